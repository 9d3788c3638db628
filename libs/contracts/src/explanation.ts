import { z } from 'zod';
import { AnalysisKind, DerivedValue, Entity, Fact } from './draft';
import { RunId, Sha256, ToolCallId } from './ids';
import { EvidenceStatus } from './ledger';
import { AttemptFailure } from './model-call';
import { CancelCause, FailureReason, FallbackType, Intent } from './outcome';
import { Scope, Window } from './scope';
import { ReasonCode, ReviewItem } from './semantic-facts';
import { Violation } from './violation';

/** Number and name, e.g. `25 FACT_VALUE`. */
const RuleIds = z.array(z.string().max(64)).max(64);
const Place = z.string().max(300);
/** UTF-16 units from the start of the projection; null where only the folded text (rule 30) holds it. */
const Offset = z.number().int().nonnegative().nullable();

const ground = <const Kind extends string, Shape extends z.ZodRawShape>(kind: Kind, shape: Shape) =>
  z.strictObject({
    kind: z.literal(kind),
    ...shape,
    /** The analysis that it carries, where an item only rests on that; null for the item's own evidence. */
    analysisId: z.string().max(16).nullable(),
    rules: RuleIds,
  });
const source = { toolCallId: ToolCallId, tool: z.string().max(128) };

/** One piece of evidence that carries a statement, and the rules that held the statement to it. */
export const Ground = z.discriminatedUnion('kind', [
  ground('QUOTE', { ...source, path: Place.nullable(), quote: z.string(), offset: Offset }),
  /** `found` is the value at `path` of the projection. */
  ground('FACT', {
    ...source,
    path: Place,
    stated: Fact.shape.value,
    unit: z.string().max(20).nullable(),
    policy: Fact.shape.policy,
    found: z.unknown(),
  }),
  ground('DERIVED', {
    op: DerivedValue.shape.op,
    stated: z.number(),
    unit: z.string().max(20).nullable(),
    operands: z.array(z.strictObject({ ...source, path: Place, found: z.unknown() })).max(20),
  }),
  ground('ENTITY', { ...source, type: Entity.shape.type, name: z.string().max(253), offset: Offset }),
  /** A number or time of the prose that is no typed fact, at the first place where a cited projection holds it. */
  ground('NUMBER', { ...source, text: z.string().max(64), path: Place, found: z.unknown() }),
  ground('DOCUMENT', { ...source, documentId: z.string().max(200), versionHash: Sha256.nullable() }),
  /** The call as a whole: what was asked, and whether it found anything. */
  ground('CALL', { ...source, evidenceStatus: EvidenceStatus, scope: Scope, window: Window.nullable() }),
]);
export type Ground = z.infer<typeof Ground>;

export const ExplainedSentence = z.strictObject({
  text: z.string(),
  /** Where it begins in the item's text, in UTF-16 units. */
  at: z.number().int().nonnegative(),
  /** What carries this very sentence. */
  grounds: z.array(Ground).max(128),
});
export type ExplainedSentence = z.infer<typeof ExplainedSentence>;

export const ExplainedItem = z.strictObject({
  id: z.string().max(16),
  section: ReviewItem.shape.section,
  kind: AnalysisKind.nullable(),
  sentences: z.array(ExplainedSentence).max(200),
  /** What carries the item without being tied to one of its sentences. */
  grounds: z.array(Ground).max(256),
  /** Analyses that it rests on: their grounds are its grounds. */
  analysisIds: z.array(z.string().max(16)).max(50),
  /** The rules that looked at this item. */
  rules: RuleIds,
  /** Soft findings, which the judge was shown. */
  attention: z.array(z.strictObject({ ruleId: z.string().max(64), note: z.string().max(300) })).max(256),
  /** What the SemanticGuard said of it, and the words of the evidence that it pointed at. */
  judge: z
    .strictObject({
      verdict: z.enum(['SUPPORTED', 'UNSUPPORTED']),
      reasonCode: ReasonCode,
      quote: z.string().nullable(),
      toolCallId: z.string().nullable(),
      offset: Offset,
    })
    .nullable(),
});
export type ExplainedItem = z.infer<typeof ExplainedItem>;

/** A rejected draft with each violation where it stands. Unverified text: with scope `operate` only. */
export const RejectedDraft = z.strictObject({
  /** Null where neither log nor archive holds it any more. */
  text: z.string().nullable(),
  violations: z.array(Violation.extend({ stands: z.string().max(600).nullable() })).max(64),
  /** Items that the judge did not find supported, with their text. */
  unsupported: z.array(z.strictObject({ itemId: z.string().max(16), text: z.string() })).max(256),
});
export type RejectedDraft = z.infer<typeof RejectedDraft>;

/** What became of one draft: codes, places and counts, and nothing that its author chose. */
export const DraftVerdict = z.strictObject({
  revision: z.number().int().min(1).max(2),
  verdict: z.enum(['ACCEPTED', 'REJECTED', 'NOT_JUDGED']),
  violations: z.number().int().nonnegative(),
  failed: z
    .array(
      z.strictObject({
        ruleId: z.string().max(64),
        count: z.number().int().positive(),
        /** JSON pointers into the draft; a member that the contract does not know reads `*`. */
        places: z.array(Place).max(64),
      }),
    )
    .max(64),
  /** Absent without scope `operate`. */
  draft: RejectedDraft.optional(),
});
export type DraftVerdict = z.infer<typeof DraftVerdict>;

export const ReviewAttempt = z.strictObject({
  attempt: z.number().int().min(1).max(9),
  outcome: z.enum(['SUPPORTED', 'UNSUPPORTED', 'FAILED']),
  failure: AttemptFailure.nullable(),
  unsupported: z.array(z.strictObject({ itemId: z.string().max(16), reasonCode: ReasonCode })).max(256),
});
export type ReviewAttempt = z.infer<typeof ReviewAttempt>;

const told = {
  runId: RunId,
  intent: Intent.nullable(),
  ruleSet: z.string().max(64),
  /** In order; more than one after a repair. */
  drafts: z.array(DraftVerdict).max(2),
  review: z.array(ReviewAttempt).max(8),
  /** Facts that neither the log nor the archive holds any more. */
  missing: z.array(z.string().max(128)).max(1_024),
};

/** `GET /v1/runs/{id}/explanation`: what carried each sentence of a report, or why there is none. */
export const Explanation = z.discriminatedUnion('outcome', [
  z.strictObject({
    outcome: z.literal('SUCCESS'),
    ...told,
    form: z.enum(['REPORT', 'ANSWER', 'OUT_OF_SCOPE_REPLY']),
    reportHash: Sha256.nullable(),
    snapshotHash: Sha256.nullable(),
    /** None for a constant reply. */
    items: z.array(ExplainedItem).max(256),
    /** Rules over the draft as a whole. */
    wholeReport: RuleIds,
  }),
  z.strictObject({ outcome: z.literal('FALLBACK'), ...told, fallback: FallbackType }),
  z.strictObject({ outcome: z.literal('FAILED'), ...told, reason: FailureReason }),
  z.strictObject({ outcome: z.literal('CANCELLED'), ...told, cause: CancelCause }),
]);
export type Explanation = z.infer<typeof Explanation>;
