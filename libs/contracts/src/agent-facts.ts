import { z } from 'zod';
import { type DataOf, defineFact } from './define-fact';
import { Instant, RunId, Step, ToolCallId, WorkService } from './ids';
import { AttemptRecord, FailedAttempt } from './model-call';
import { Intent, Locale } from './outcome';
import { Payload } from './payload';
import { Window } from './scope';
import { Violation } from './violation';

/** A longer argument text is cut by the adapter and so can no longer be parsed: BAD_ARGUMENTS, never a call. */
export const ARGUMENTS_CHARS_MAX = 8_192;

export const routerRequested = defineFact({
  type: 'inquest.req.router.v1',
  subject: 'diag.<p>.<run>.req.router.<step>',
  writers: ['harness-orchestrator'],
  meaning: 'Decide the intent of a question; at most two attempts, owned by the harness.',
  schema: z.strictObject({
    question: z.string(),
    attempt: z.number().int().min(1).max(2),
    deadlineAt: Instant,
  }),
});
export type RouterRequested = DataOf<typeof routerRequested>;

export const routerResult = defineFact({
  type: 'inquest.res.router.v1',
  subject: 'diag.<p>.<run>.res.router.<step>',
  writers: ['agent-runner'],
  meaning: 'The intent, or a typed failure of this one attempt.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('ROUTED'), intent: Intent, record: AttemptRecord }),
    FailedAttempt,
  ]),
});
export type RouterResult = DataOf<typeof routerResult>;

/** One earlier turn as the transcript needs it: where its reply and its tool results stand in the log. */
export const TurnRef = z.strictObject({
  turn: z.number().int().nonnegative(),
  replyStep: Step,
  /** Accepted actions in the model's order; their results are facts of `service` under `step`. A step closed by its deadline has no result fact. */
  calls: z.array(
    z.strictObject({ toolCallId: ToolCallId, service: WorkService, step: Step, timedOut: z.boolean() }),
  ),
  rejected: z.array(z.strictObject({ index: z.number().int(), reason: z.string().max(64) })),
});
export type TurnRef = z.infer<typeof TurnRef>;

export const AgentMode = z.enum([
  'INVESTIGATE',
  'CONCLUDE',
  'KNOWLEDGE_LOOKUP',
  'KNOWLEDGE_ANSWER',
  'REPAIR',
]);
export type AgentMode = z.infer<typeof AgentMode>;

export const agentRequested = defineFact({
  type: 'inquest.req.agent.v1',
  subject: 'diag.<p>.<run>.req.agent.<step>',
  writers: ['harness-orchestrator'],
  meaning:
    'One turn of the Diagnosis Agent: exactly one model call over the transcript that the references rebuild.',
  schema: z.strictObject({
    intent: Intent,
    mode: AgentMode,
    turn: z.number().int().min(1),
    attempt: z.number().int().min(1).max(9),
    question: z.string(),
    source: z.string().max(128).nullable(),
    window: Window.nullable(),
    zone: z.string().max(64),
    asOf: Instant,
    locale: Locale,
    idMode: z.enum(['strict', 'mint']),
    history: z.array(TurnRef).max(128),
    /** The released result of the session's previous turn; its ids are not citable. */
    previousRun: z
      .strictObject({ runId: RunId, question: z.string().max(8_000), conclusion: z.string().max(2_000) })
      .nullable(),
    repair: z
      .strictObject({
        draftStep: Step,
        violations: z.array(Violation).min(1).max(64),
        validToolCallIds: z.array(ToolCallId).max(128),
      })
      .nullable(),
    toolCallsLeft: z.number().int().nonnegative(),
    callsPerResponseMax: z.number().int().positive(),
    draftBytesMax: z.number().int().positive(),
    deadlineAt: Instant,
  }),
});
export type AgentRequested = DataOf<typeof agentRequested>;

/** A tool call as the provider wrote it. `toolCallId` is null when the id is unusable; the decider rejects such an action (H2). */
export const ProposedCall = z.strictObject({
  index: z.number().int().nonnegative(),
  /** As received, when it was text at all. */
  providerId: z.string().max(256).nullable(),
  toolCallId: ToolCallId.nullable(),
  name: z.string().max(256),
  /** The arguments' JSON text, whole or as received; bounded. */
  argumentsText: z.string().max(ARGUMENTS_CHARS_MAX),
});
export type ProposedCall = z.infer<typeof ProposedCall>;

export const agentResult = defineFact({
  type: 'inquest.res.agent.v1',
  subject: 'diag.<p>.<run>.res.agent.<step>',
  writers: ['agent-runner'],
  meaning:
    'What the model answered in this turn: proposed tool calls, a draft, or a typed failure of this attempt.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('TOOL_CALLS'),
      calls: z.array(ProposedCall).min(1).max(64),
      /** Opaque metadata that the provider wants echoed (kept, never published). */
      providerState: z.string().max(65_536).nullable(),
      record: AttemptRecord,
    }),
    z.strictObject({ kind: z.literal('DRAFT'), draft: Payload, record: AttemptRecord }),
    FailedAttempt,
  ]),
});
export type AgentResult = DataOf<typeof agentResult>;

export const callLease = defineFact({
  type: 'inquest.call.v1',
  subject: 'diag.<p>.<run>.call.<svc>.<step>',
  writers: ['agent-runner', 'semantic-guard'],
  meaning: 'A worker holds a model call; renewed by compare-and-set, its age told by the broker’s clock.',
  schema: z.strictObject({ holder: z.string().max(128), renewal: z.number().int().nonnegative() }),
});
export type CallLease = DataOf<typeof callLease>;
