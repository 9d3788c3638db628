import { z } from 'zod';
import { defineFact, type DataOf } from './define-fact';
import { Instant, RunId, SessionId, Token } from './ids';
import { Locale } from './outcome';
import { Problem } from './problem';
import { Window } from './scope';

/** Body of `POST /v1/runs` and, with `key` from the subject in place of the Idempotency-Key header, of an entry request. */
export const NewRun = z.strictObject({
  question: z.string().trim().min(1).max(4_000),
  sessionId: SessionId.optional(),
  /** Name of a configured source, e.g. an incident; never a path or an address. */
  source: Token.optional(),
  window: Window.optional(),
  zone: z.string().min(1).max(64).optional(),
  locale: Locale.optional(),
  /** True: nobody's stream owns the run, a lost connection does not cancel it. */
  detached: z.boolean().optional(),
  /** How long a lost owner stream may stay away; 0 (default): a disconnect is a cancel request. */
  disconnectGraceMs: z.number().int().min(0).max(600_000).optional(),
});
export type NewRun = z.infer<typeof NewRun>;

export const entryRequest = defineFact({
  type: 'inquest.entry.request.v1',
  subject: 'entry.<publisher>.<key>.request',
  writers: ['<publisher>'],
  meaning: 'A platform gateway asks over the bus; the key is the idempotency key.',
  schema: NewRun.extend({
    /** One of the tenants that the gateway maps this publisher to; may be left out when there is only one. */
    tenant: Token.optional(),
  }),
});
export type EntryRequest = DataOf<typeof entryRequest>;

export const entryCancel = defineFact({
  type: 'inquest.entry.cancel.v1',
  subject: 'entry.<publisher>.<key>.cancel',
  writers: ['<publisher>'],
  meaning: 'The publisher cancels the run of this key.',
  schema: z.strictObject({}),
});

export const entryAnswer = defineFact({
  type: 'inquest.entry.answer.v1',
  subject: 'entry-answer.<publisher>.<key>',
  writers: ['chat-gateway'],
  meaning:
    'Core NATS answer to the publisher: accepted with the run id, refused with a problem, or the run’s ending.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ACCEPTED'), runId: RunId }),
    z.strictObject({ kind: z.literal('REFUSED'), problem: Problem }),
    z.strictObject({
      kind: z.literal('ENDED'),
      runId: RunId,
      outcome: z.enum(['SUCCESS', 'FALLBACK', 'FAILED', 'CANCELLED']),
    }),
  ]),
});
export type EntryAnswer = DataOf<typeof entryAnswer>;

/** Services of the system, as they announce themselves and as the broker knows them. */
export const ServiceName = z.enum([
  'chat-gateway',
  'harness-orchestrator',
  'agent-runner',
  'evidence-guard',
  'semantic-guard',
  'knowledge-rag',
  'run-projector',
]);
export type ServiceName = z.infer<typeof ServiceName>;

export const serviceAnnounced = defineFact({
  type: 'inquest.svc.v1',
  subject: 'svc.<name>.<instance>',
  writers: [...ServiceName.options],
  meaning: 'A service instance is alive; repeated every 10 s, forgotten after 30 s.',
  schema: z.strictObject({
    service: ServiceName,
    instance: Token,
    contractVersion: z.number().int().positive(),
    version: z.string().max(32),
    startedAt: Instant,
    at: Instant,
    /** Its last word: it ends on purpose, and is not to be counted on from here. */
    leaving: z.literal(true).optional(),
    /** evidence-guard: the rule set it runs. */
    ruleSet: z.string().max(64).optional(),
    /** semantic-guard: whether its canaries pass. */
    judge: z
      .strictObject({
        healthy: z.boolean(),
        model: z.string().max(200),
        checkedAt: Instant.nullable(),
        why: z.string().max(200).nullable(),
      })
      .optional(),
  }),
});
export type ServiceAnnounced = DataOf<typeof serviceAnnounced>;

export const cutOver = defineFact({
  type: 'inquest.ctl.cutover.v1',
  subject: 'ctl.cutover',
  writers: ['operator'],
  meaning:
    'The public entry runs on the guarded path (or was rolled back to the old one): durable, last one counts.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('CUT_OVER'),
      contractVersion: z.number().int(),
      ruleSet: z.string(),
      at: Instant,
      by: z.string().max(200),
    }),
    z.strictObject({ kind: z.literal('ROLLED_BACK'), at: Instant, by: z.string().max(200) }),
  ]),
});
export type CutOver = DataOf<typeof cutOver>;

export const wakeUp = defineFact({
  type: 'inquest.tmr.v1',
  subject: 'tmr.<p>.<run>',
  writers: ['harness-orchestrator'],
  meaning:
    'One wake-up per run: redelivered until the run is terminal, so that a deadline outlives every process.',
  schema: z.strictObject({
    runId: RunId,
    createdAt: Instant,
    /** What is to be looked at; left out for a run. */
    aggregate: z.literal('case').optional(),
  }),
});
export type WakeUp = DataOf<typeof wakeUp>;

export const canaryRecorded = defineFact({
  type: 'inquest.ctl.canary.v1',
  subject: 'ctl.canary.<hash>',
  writers: ['semantic-guard'],
  meaning:
    'What is known of one judge (endpoint, model, prompt, canaries): the last one counts, shared by all its processes.',
  schema: z.strictObject({
    state: z.enum(['CHECKING', 'HEALTHY', 'UNHEALTHY']),
    model: z.string().max(200),
    /** Fixed words: which canary, and how it went. */
    why: z.string().max(200).nullable(),
    checkedAt: Instant,
    /** How long it holds from when the broker stored it. */
    validForMs: z.number().int().nonnegative(),
    holder: z.string().max(128),
  }),
});
export type CanaryRecorded = DataOf<typeof canaryRecorded>;
