import { z } from 'zod';
import { type DataOf, defineFact } from './define-fact';
import { AnalysisKind } from './draft';
import { Instant, RunId, Sha256, Step, ToolCallId } from './ids';
import { LedgerEntry } from './ledger';
import { AttemptRecord, FailedAttempt } from './model-call';
import { Intent } from './outcome';
import { Scope, Window } from './scope';

export const ReviewItem = z.strictObject({
  id: z.string().max(16),
  section: z.enum([
    'conclusion',
    'analysis',
    'actionPlan',
    'recommendation',
    'limitation',
    'candidate',
    'answer',
  ]),
  kind: AnalysisKind.nullable(),
  text: z.string(),
  facts: z.array(z.unknown()),
  scope: z.unknown().nullable(),
  citations: z.array(z.string()),
  analysisIds: z.array(z.string()),
  flags: z.array(z.string()),
});
export type ReviewItem = z.infer<typeof ReviewItem>;

export const SnapshotEvidence = z.strictObject({
  toolCallId: ToolCallId,
  tool: z.string().max(128),
  scope: Scope,
  window: Window.nullable(),
  evidenceStatus: LedgerEntry.shape.evidenceStatus,
  truncated: z.boolean(),
  sha256: Sha256,
  /** The projection's exact text. */
  projection: z.string(),
});
export type SnapshotEvidence = z.infer<typeof SnapshotEvidence>;

/** Frozen by the EvidenceGuard as canonical JSON; its sha256 is the snapshot hash. `report` is the draft's exact text: the bytes that are released. */
export const Snapshot = z.strictObject({
  schema: z.literal('inquest.snapshot.v1'),
  runId: RunId,
  intent: Intent,
  revision: z.number().int().min(1).max(2),
  question: z.string(),
  report: z.string(),
  reportHash: Sha256,
  items: z.array(ReviewItem),
  evidence: z.array(SnapshotEvidence),
  ruleSet: z.string(),
});
export type Snapshot = z.infer<typeof Snapshot>;

export const semanticRequested = defineFact({
  type: 'inquest.req.semantic.v1',
  subject: 'diag.<p>.<run>.req.semantic.<step>',
  writers: ['harness-orchestrator'],
  meaning: 'Judge one frozen snapshot in a single isolated turn.',
  schema: z.strictObject({
    attempt: z.number().int().min(1).max(2),
    evidenceStep: Step,
    snapshotHash: Sha256,
    deadlineAt: Instant,
  }),
});
export type SemanticRequested = DataOf<typeof semanticRequested>;

export const ReasonCode = z.enum([
  'ENTAILED',
  'CONTRADICTED',
  'NOT_IN_EVIDENCE',
  'OVERSTATED',
  'SCOPE',
  'CAUSAL_LEAP',
  'NEGATION',
  'INJECTION_SUSPECTED',
]);
export type ReasonCode = z.infer<typeof ReasonCode>;

/** One judged item. `evidenceQuote` is null for negatives, which echo `scopeHash` instead, and for items without citations. */
export const ItemVerdict = z.strictObject({
  itemId: z.string().max(16),
  verdict: z.enum(['SUPPORTED', 'UNSUPPORTED']),
  reasonCode: ReasonCode,
  evidenceQuote: z.string().max(1_000).nullable(),
  toolCallId: z.string().max(128).nullable(),
  scopeHash: Sha256.nullable(),
});
export type ItemVerdict = z.infer<typeof ItemVerdict>;

export const semanticResult = defineFact({
  type: 'inquest.res.semantic.v1',
  subject: 'diag.<p>.<run>.res.semantic.<step>',
  writers: ['semantic-guard'],
  meaning: 'One attempt of the judge: a valid verdict over every item, or a typed failure.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('JUDGED'),
      attempt: z.number().int().min(1).max(2),
      snapshotHash: Sha256,
      verdict: z.enum(['SUPPORTED', 'UNSUPPORTED']),
      verdicts: z.array(ItemVerdict).min(1).max(256),
      record: AttemptRecord,
    }),
    FailedAttempt,
  ]),
});
export type SemanticResult = DataOf<typeof semanticResult>;
