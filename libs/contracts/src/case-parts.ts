import { z } from 'zod';
import { Sha256, ToolCallId } from './ids';

/** `h1` to `h7`, in the order in which they were proposed. */
export const HypothesisId = z
  .string()
  .regex(/^h[1-7]$/)
  .brand<'HypothesisId'>();
export type HypothesisId = z.infer<typeof HypothesisId>;

/** `f<turn>-<index>`. */
export const FindingId = z
  .string()
  .regex(/^f\d{1,4}-\d{1,2}$/)
  .brand<'FindingId'>();
export type FindingId = z.infer<typeof FindingId>;

/** A qualitative rating, in words; never a probability and never used as one (E14). */
export const Confidence = z.enum([
  'unassessed',
  'weakly_supported',
  'supported',
  'strongly_supported',
  'contradicted',
  'refuted',
]);
export type Confidence = z.infer<typeof Confidence>;

/** Open, or terminal in one of three ways. */
export const AccountState = z.enum(['open', 'rejected', 'exhausted', 'concluded']);
export type AccountState = z.infer<typeof AccountState>;

/** How one finding bears on one hypothesis. */
export const Cell = z.enum(['consistent', 'inconsistent', 'neutral']);
export type Cell = z.infer<typeof Cell>;

export const Hypothesis = z.strictObject({
  id: HypothesisId,
  statement: z.string().min(1).max(600),
  /** What would be seen if it held, and what would show that it does not. */
  confirmedBy: z.string().min(1).max(600),
  refutedBy: z.string().min(1).max(600),
});
export type Hypothesis = z.infer<typeof Hypothesis>;

/** Something seen, with the evidence for it and its row of the matrix. Evidence is shared: who collected it restricts nothing. */
export const Finding = z.strictObject({
  id: FindingId,
  text: z.string().min(1).max(600),
  toolCallIds: z.array(ToolCallId).min(1).max(10),
  cells: z
    .array(z.strictObject({ hypothesisId: HypothesisId, cell: Cell }))
    .min(1)
    .max(7),
});
export type Finding = z.infer<typeof Finding>;

export const ReservationState = z.enum(['reserved', 'settled', 'released']);

/** One research action with what it was expected to show, written before it ran. */
export const ResearchAction = z.strictObject({
  toolCallId: ToolCallId,
  hypothesisId: HypothesisId,
  tool: z.string().min(1).max(128),
  argumentsText: z.string().max(8_192),
  expectedIfTrue: z.string().min(1).max(400),
  expectedIfFalse: z.string().min(1).max(400),
});
export type ResearchAction = z.infer<typeof ResearchAction>;

/** Names the protocol of a call: the file of that name is what the model is told, its hash is checked at start. */
export const InvestigationPrompt = z.enum([
  'investigation_v1',
  'investigation_v2',
  'investigation_v3',
  'investigation_project_v2',
  'investigation_project_v3',
  'investigation_project_v4',
]);
export type InvestigationPrompt = z.infer<typeof InvestigationPrompt>;
export const EvaluatorPrompt = z.enum(['diagnosis_early_v1', 'diagnosis_early_v2']);
export type EvaluatorPrompt = z.infer<typeof EvaluatorPrompt>;

/** Where code of a service lives, as far as somebody said so. */
export const Coordinates = z.strictObject({
  service: z.string().min(1).max(128),
  repository: z.string().min(1).max(300),
  path: z.string().max(300).nullable(),
  ref: z.string().max(128).nullable(),
});
export type Coordinates = z.infer<typeof Coordinates>;

/** Frozen with the revision (E12). Policies of before early reviews have no `maxEarlyReviews` and mean three. */
export const InvestigationPolicy = z.strictObject({
  hypothesesMax: z.number().int().min(2).max(7),
  actionsPerHypothesis: z.number().int().min(1).max(32),
  actionsTotalMax: z.number().int().min(1).max(128),
  actionsPerTurnMax: z.number().int().min(1).max(8),
  turnsMax: z.number().int().min(1).max(256),
  maxInvalidResponses: z.number().int().min(0).max(5),
  maxEarlyReviews: z.number().int().min(0).max(10).optional(),
  evaluatorAttemptsMax: z.number().int().min(1).max(3),
  semanticAttemptsMax: z.number().int().min(1).max(2),
  repairsMax: z.number().int().min(0).max(1),
  /** Attempts of one model call that were lost to a dead worker. */
  lossesMax: z.number().int().min(0).max(5),
  tokensMax: z.number().int().min(0).max(16_000_000),
  wallClockMs: z.number().int().min(1_000).max(86_400_000),
  projectionBytesMax: z.number().int().min(1_024).max(262_144),
  draftBytesMax: z.number().int().min(1_024).max(262_144),
  modelTimeoutMs: z.number().int().min(1_000).max(600_000),
  toolTimeoutMs: z.number().int().min(1_000).max(600_000),
  evidenceTimeoutMs: z.number().int().min(1_000).max(600_000),
  semanticTimeoutMs: z.number().int().min(1_000).max(600_000),
  evaluatorTimeoutMs: z.number().int().min(1_000).max(600_000),
  cancelSettleMs: z.number().int().min(0).max(60_000),
});
export type InvestigationPolicy = z.infer<typeof InvestigationPolicy>;

export const MAX_EARLY_REVIEWS_DEFAULT = 3;
export const maxEarlyReviewsOf = ({ maxEarlyReviews }: InvestigationPolicy): number =>
  maxEarlyReviews ?? MAX_EARLY_REVIEWS_DEFAULT;

/** What is wrong with an answer of an investigator or evaluator: fixed words, since the harness writes no prose (H1). */
export const InvalidWhy = z.enum([
  'NOT_THIS_PROTOCOL',
  'NOT_ASKED_FOR',
  'FEWER_THAN_TWO_HYPOTHESES',
  'HYPOTHESIS_PROPOSED_TWICE',
  'NEXT_NOT_PERMITTED',
  'TOO_MANY_ACTIONS',
  'CITES_NO_RESULT_OF_THIS_CASE',
  'UNKNOWN_HYPOTHESIS',
  'TWO_CELLS_FOR_ONE_HYPOTHESIS',
  'NOT_STRONGLY_SUPPORTED',
  'NO_CONSISTENT_EVIDENCE',
  'UNKNOWN_COUNTERCHECK',
  'COUNTERCHECK_WITHOUT_ALTERNATIVE',
]);
export type InvalidWhy = z.infer<typeof InvalidWhy>;

/** Why an early request was declined; immutable once written (E9). */
export const DeclineReason = z.enum([
  'PREREQUISITE_LOST',
  'INCONCLUSIVE',
  'OTHER_HYPOTHESIS',
  'INSUFFICIENT_CONFIDENCE',
  'NO_DIRECT_EVIDENCE',
  'COUNTERCHECK_INADEQUATE',
  'UNRESOLVED_CONTRADICTION',
  'PASSES_DISAGREE',
  'INVALID_RESPONSES',
  'EVALUATOR_UNAVAILABLE',
  'FINAL_VALIDATION_FAILED',
]);
export type DeclineReason = z.infer<typeof DeclineReason>;

/** Content of evidence, independent of ids, arguments and times (E13). */
export const ContentHash = Sha256;
