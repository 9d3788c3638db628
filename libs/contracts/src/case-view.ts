import { z } from 'zod';
import { CaseFailureReason, InconclusiveReason } from './case-decision';
import { AccountView } from './case-facts';
import {
  Cell,
  Confidence,
  Coordinates,
  DeclineReason,
  EvaluatorPrompt,
  FindingId,
  Hypothesis,
  HypothesisId,
  InvestigationPrompt,
  ReservationState,
} from './case-parts';
import { ChangeRequest } from './change-request';
import { DiagnosisDraft } from './draft';
import { Instant, RunId, SessionId, Sha256, ToolCallId } from './ids';
import { EvidenceStatus, ToolErrorClass } from './ledger';
import { CancelCause, Locale, SafeFallback } from './outcome';
import { Timings } from './run-view';
import { Window } from './scope';

const count = z.number().int().nonnegative();

export const CaseStatus = z.enum([
  'OPENED',
  'FORMING_HYPOTHESES',
  'INVESTIGATING_HYPOTHESES',
  'BUILDING_DIAGNOSIS',
  'DIAGNOSED',
  'INCONCLUSIVE',
  'CANCELLED',
  'FAILED',
]);
export type CaseStatus = z.infer<typeof CaseStatus>;

export const ENDED_CASE_STATUSES: readonly CaseStatus[] = [
  'DIAGNOSED',
  'INCONCLUSIVE',
  'CANCELLED',
  'FAILED',
];
export const isEndedCase = (status: CaseStatus): boolean => ENDED_CASE_STATUSES.includes(status);

/** A guess of the investigator and how it stands. Its words are the model's; no guard has passed them. */
export const HypothesisView = z.strictObject({
  ...Hypothesis.shape,
  /** A qualitative rating, in words (E14). */
  confidence: Confidence,
  account: AccountView,
  /** What the investigator last said of it. */
  assessment: z.string().nullable(),
  /** Why the account is closed; null while it is open. */
  closedBecause: z.string().nullable(),
});
export type HypothesisView = z.infer<typeof HypothesisView>;

/** One research action: what it should have shown, written before it ran, beside what it did. */
export const ActionView = z.strictObject({
  toolCallId: ToolCallId,
  hypothesisId: HypothesisId,
  turn: count,
  tool: z.string(),
  expectedIfTrue: z.string(),
  expectedIfFalse: z.string(),
  state: ReservationState,
  /** Null until it is settled, and for one that never was. */
  found: z
    .strictObject({
      status: z.enum(['READY', 'ERROR']),
      evidenceStatus: EvidenceStatus,
      errorClass: ToolErrorClass.nullable(),
      truncated: z.boolean(),
      contentHash: Sha256,
    })
    .nullable(),
  releasedBecause: z.enum(['DEADLINE', 'NOT_STARTED', 'CASE_ENDED']).nullable(),
  /** What was made of it: the findings that cite it, and how each bears on the hypothesis it was run for. */
  readAs: z.array(z.strictObject({ findingId: FindingId, cell: Cell.nullable() })),
});
export type ActionView = z.infer<typeof ActionView>;

export const FindingView = z.strictObject({
  id: FindingId,
  text: z.string(),
  /** In whose turn it was written; that restricts nobody's use of it. */
  hypothesisId: HypothesisId,
  toolCallIds: z.array(ToolCallId),
});

/** A row of the evidence-by-hypothesis matrix. `diagnostic`: it tells hypotheses apart. Shown, never decided by (E4). */
export const MatrixRow = z.strictObject({
  findingId: FindingId,
  cells: z.array(z.strictObject({ hypothesisId: HypothesisId, cell: Cell })),
  diagnostic: z.boolean(),
});
export type MatrixRow = z.infer<typeof MatrixRow>;

export const ReviewView = z.strictObject({
  review: z.number().int().positive(),
  /** `analysis/diagnosis/NNNN/early/NNNN/`; null as long as nothing has been built for it. */
  ref: z.string().nullable(),
  state: z.enum(['preparing', 'building', 'accepted', 'declined']),
  hypothesisId: HypothesisId,
  /** The author's reason; the evaluator does not see it. */
  reason: z.string(),
  requestedAt: Instant,
  /** Content hashes of the evidence that the hypothesis stood on. */
  evidence: z.array(Sha256),
  /** `diagnostic`: its cell differs between the requested hypothesis and an alternative. */
  counterchecks: z.array(z.strictObject({ findingId: FindingId, diagnostic: z.boolean() })),
  /** Alternatives that were left open; with the reason that was given in preparation. */
  deferred: z.array(z.strictObject({ hypothesisId: HypothesisId, reason: z.string().nullable() })),
  /** In canonical order (1) and in its reverse (2). `objection` null: this pass would accept. */
  passes: z.array(
    z.strictObject({
      pass: z.union([z.literal(1), z.literal(2)]),
      hypothesisId: HypothesisId.nullable(),
      confidence: Confidence.nullable(),
      objection: DeclineReason.nullable(),
    }),
  ),
  decision: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('ACCEPTED'), at: Instant }),
      z.strictObject({ kind: z.literal('DECLINED'), at: Instant, reason: DeclineReason, text: z.string() }),
    ])
    .nullable(),
});
export type ReviewView = z.infer<typeof ReviewView>;

const Used = z.strictObject({ used: count, max: count.nullable() });

/** `GET /v1/cases/{id}`: a case as people see it. */
export const CaseView = z.strictObject({
  caseId: RunId,
  tenant: z.string(),
  sessionId: SessionId.nullable(),
  question: z.string(),
  source: z.string().nullable(),
  window: Window.nullable(),
  zone: z.string(),
  locale: Locale,
  fromRun: RunId.nullable(),
  coordinates: z.array(Coordinates),
  status: CaseStatus,
  /** The analysis revision; a declined review returns to the same one. */
  revision: z.number().int().positive(),
  promptVersion: InvestigationPrompt.nullable(),
  evaluatorVersion: EvaluatorPrompt.nullable(),
  hypotheses: z.array(HypothesisView),
  actions: z.array(ActionView),
  findings: z.array(FindingView),
  matrix: z.array(MatrixRow),
  reviews: z.array(ReviewView),
  /** Being written or judged at this moment. */
  building: z
    .strictObject({
      diagnosis: z.number().int().positive(),
      review: z.number().int().positive().nullable(),
      leading: HypothesisId.nullable(),
    })
    .nullable(),
  /** The canonical checkpoint, by whichever path it was reached (E10). */
  diagnosis: z.strictObject({ ref: z.string(), review: z.number().int().positive().nullable() }).nullable(),
  /** What both guards passed; also of a case that established no cause. */
  report: DiagnosisDraft.optional(),
  reportHash: Sha256.nullable(),
  snapshotHash: Sha256.nullable(),
  /** Of a diagnosed case: the coding task, or what is missing for one. */
  changeRequest: ChangeRequest.nullable(),
  inconclusive: z.strictObject({ reason: InconclusiveReason, text: z.string() }).nullable(),
  fallback: SafeFallback.nullable(),
  failure: z.strictObject({ reason: CaseFailureReason, text: z.string() }).nullable(),
  cancellation: z.strictObject({ cause: CancelCause, requestedAt: Instant }).nullable(),
  budgets: z.strictObject({
    turns: Used,
    actions: Used,
    tokens: Used,
    earlyReviews: Used,
    modelCalls: count,
    deadlineAt: Instant.nullable(),
  }),
  timings: Timings,
  /** Who wrote the diagnosis, as runs name it. */
  author: z.string().nullable(),
});
export type CaseView = z.infer<typeof CaseView>;

export const CaseSummary = CaseView.pick({
  caseId: true,
  sessionId: true,
  question: true,
  source: true,
  fromRun: true,
  status: true,
  timings: true,
});
export type CaseSummary = z.infer<typeof CaseSummary>;
export const CaseList = z.strictObject({ cases: z.array(CaseSummary), nextCursor: z.string().nullable() });
export type CaseList = z.infer<typeof CaseList>;

export const CaseReviews = z.strictObject({
  caseId: RunId,
  max: count.nullable(),
  reviews: z.array(ReviewView),
});
export type CaseReviews = z.infer<typeof CaseReviews>;

/** 201 for a new case, 200 for the same key and body again. */
export const CaseAccepted = z.strictObject({
  caseId: RunId,
  status: CaseStatus,
  links: z.strictObject({ self: z.string(), events: z.string(), cancel: z.string(), reviews: z.string() }),
});
export type CaseAccepted = z.infer<typeof CaseAccepted>;
