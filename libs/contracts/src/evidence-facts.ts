import { z } from 'zod';
import { type DataOf, defineFact } from './define-fact';
import { ConclusionStatus } from './draft';
import { Instant, Sha256, Step, ToolCallId, WorkService } from './ids';
import { Intent, VerifiedSource } from './outcome';
import { Payload } from './payload';
import { Violation } from './violation';

export const RULE_SET = 'evidence-2';

export const evidenceRequested = defineFact({
  type: 'inquest.req.evidence.v1',
  subject: 'diag.<p>.<run>.req.evidence.<step>',
  writers: ['harness-orchestrator'],
  meaning: 'Validate one draft against the run’s ledger; names every fact that may be read.',
  schema: z.strictObject({
    intent: Intent,
    revision: z.number().int().min(1).max(2),
    draftStep: Step,
    /** Whose result holds the draft; left out by runs, whose drafts are the agent's. */
    draftService: z.enum(['agent', 'investigator']).optional(),
    previousDraftStep: Step.nullable(),
    /** The violations that the repaired draft answers, for the monotony rule; empty for a first draft. */
    repairOf: z.array(Violation).max(64),
    ledger: z
      .array(
        z.strictObject({
          toolCallId: ToolCallId,
          tool: z.string().max(256),
          service: WorkService,
          step: Step,
          status: z.enum(['PROJECTING', 'READY', 'ERROR']),
        }),
      )
      .max(256),
    question: z.string(),
    zone: z.string().max(64),
    asOf: Instant,
    ruleSet: z.string().max(64),
    draftBytesMax: z.number().int().positive(),
    deadlineAt: Instant,
  }),
});
export type EvidenceRequested = DataOf<typeof evidenceRequested>;

/** A SOFT finding: not a rejection, shown to the judge beside the item. */
export const Attention = z.strictObject({
  ruleId: z.string().max(64),
  itemId: z.string().max(16),
  note: z.string().max(300),
});
export type Attention = z.infer<typeof Attention>;

/** Hosts that the guard lets reports link to: with them whoever runs it again sees what it saw. Left out where there are none. */
export const LinkHosts = z.array(z.string().max(253)).max(256);

export const evidenceResult = defineFact({
  type: 'inquest.res.evidence.v1',
  subject: 'diag.<p>.<run>.res.evidence.<step>',
  writers: ['evidence-guard'],
  meaning:
    'ACCEPTED with the frozen snapshot, REJECTED with every violation, or FAILED when the guard could not judge.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('ACCEPTED'),
      revision: z.number().int().min(1).max(2),
      /** The canonical snapshot: what the judge grades and what is released, see {@link Snapshot}. */
      snapshot: Payload,
      snapshotHash: Sha256,
      reportHash: Sha256,
      items: z.number().int().nonnegative(),
      verifiedSources: z.array(VerifiedSource).max(128),
      attention: z.array(Attention).max(256),
      ruleSet: z.string().max(64),
      ms: z.number().nonnegative(),
      linkHosts: LinkHosts.optional(),
      /** What the accepted draft of a diagnosis concludes; cases end by it, and the harness reads no drafts. */
      conclusionStatus: ConclusionStatus.optional(),
    }),
    z.strictObject({
      kind: z.literal('REJECTED'),
      revision: z.number().int().min(1).max(2),
      violations: z.array(Violation).min(1).max(64),
      ruleSet: z.string().max(64),
      ms: z.number().nonnegative(),
      linkHosts: LinkHosts.optional(),
    }),
    z.strictObject({
      kind: z.literal('FAILED'),
      failure: z.enum([
        'FACT_MISSING',
        'PAYLOAD_UNUSABLE',
        'TIMEOUT',
        'NOT_STARTED',
        'RULE_SET_UNKNOWN',
        'INTERNAL',
      ]),
    }),
  ]),
});
export type EvidenceResult = DataOf<typeof evidenceResult>;
