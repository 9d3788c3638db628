import { z } from 'zod';
import { InvestigatorMode } from './case-facts';
import {
  Confidence,
  Coordinates,
  DeclineReason,
  EvaluatorPrompt,
  Finding,
  FindingId,
  Hypothesis,
  HypothesisId,
  InvalidWhy,
  InvestigationPolicy,
  InvestigationPrompt,
  ResearchAction,
} from './case-parts';
import { CaseStepKind } from './case-steps';
import { defineFact, type DataOf } from './define-fact';
import { ConclusionStatus } from './draft';
import { Instant, RunId, Sequence, SessionId, Sha256, Step, ToolCallId, WorkService } from './ids';
import { EvidenceStatus, ToolErrorClass } from './ledger';
import { AttemptFailure, TokenUsage } from './model-call';
import { CancelCause, FallbackType, Locale, VerifiedSource } from './outcome';
import { Window } from './scope';
import { Violation } from './violation';

const event = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

/** Where an invalid answer is counted (E2, E10): `analysis/forming`, `analysis/turn/<n>`, `analysis/diagnosis/NNNN/early/NNNN/`. */
const Namespace = z.string().regex(/^analysis\/[a-z0-9/]{1,80}$/);

export const CaseFailureReason = z.enum([
  'FORMING_FAILED',
  'MODEL_UNAVAILABLE',
  'EVIDENCE_GUARD_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'POISONED',
  'OPERATOR_DROPPED',
  'NOT_CUT_OVER',
]);
export type CaseFailureReason = z.infer<typeof CaseFailureReason>;

export const InconclusiveReason = z.enum([
  /** The final diagnosis itself says so. */
  'NO_CAUSE_ESTABLISHED',
  'FINAL_VALIDATION_FAILED',
  'SEMANTIC_UNAVAILABLE',
]);
export type InconclusiveReason = z.infer<typeof InconclusiveReason>;

const ending = {
  turns: z.number().int().nonnegative(),
  modelCalls: z.number().int().nonnegative(),
  actions: z.number().int().nonnegative(),
  tokens: z.number().int().nonnegative(),
};

export const CaseOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('DIAGNOSED'),
    snapshotHash: Sha256,
    evidenceStep: Step,
  }),
  z.strictObject({
    kind: z.literal('INCONCLUSIVE'),
    reason: InconclusiveReason,
    /** With NO_CAUSE_ESTABLISHED there is a report that both guards passed. */
    snapshotHash: Sha256.nullable(),
    evidenceStep: Step.nullable(),
  }),
  z.strictObject({ kind: z.literal('FAILED'), reason: CaseFailureReason }),
]);
export type CaseOutcome = z.infer<typeof CaseOutcome>;

/** The facts of a case's chain: what the harness decided about an investigation, and nothing that it could author (H1). */
export const CaseEvent = z.discriminatedUnion('type', [
  event('CaseOpened', {
    caseId: RunId,
    tenant: z.string(),
    principal: z.string(),
    sessionId: SessionId.nullable(),
    question: z.string(),
    source: z.string().nullable(),
    window: Window.nullable(),
    zone: z.string(),
    locale: Locale,
    asOf: Instant,
    deadlineAt: Instant,
    fromRun: RunId.nullable(),
    coordinates: z.array(Coordinates).max(32),
    /** The analysis revision; a declined review returns to the same one. */
    revision: z.literal(1),
    policy: InvestigationPolicy,
    promptVersion: InvestigationPrompt,
    evaluatorVersion: EvaluatorPrompt,
    ruleSet: z.string(),
    requestSeq: Sequence,
  }),
  event('CaseStepRequested', {
    service: WorkService,
    step: Step,
    kind: CaseStepKind,
    attempt: z.number().int().positive(),
    mode: InvestigatorMode.nullable(),
    /** What the call is asked and parsed under, for ever (E11). */
    promptVersion: z.union([InvestigationPrompt, EvaluatorPrompt]).nullable(),
    hypothesisId: HypothesisId.nullable(),
    toolCallId: ToolCallId.nullable(),
    pass: z.union([z.literal(1), z.literal(2)]).nullable(),
    deadlineAt: Instant,
  }),
  /** At a decision boundary, never while a call is pending (E11). */
  event('PromptVersionAdopted', { from: InvestigationPrompt, to: InvestigationPrompt }),
  event('CaseModelCallRecorded', { service: WorkService, step: Step, usage: TokenUsage.nullable() }),
  event('CaseAttemptFailed', { service: WorkService, step: Step, failure: AttemptFailure }),
  event('InvalidResponseRecorded', {
    namespace: Namespace,
    step: Step,
    why: InvalidWhy,
    count: z.number().int().positive(),
  }),
  event('CaseStepTimedOut', { service: WorkService, step: Step }),
  event('HypothesesFormed', { step: Step, hypotheses: z.array(Hypothesis).min(2).max(7) }),

  event('ActionReserved', {
    ...ResearchAction.shape,
    turn: z.number().int().nonnegative(),
    service: WorkService,
    step: Step,
    deadlineAt: Instant,
  }),
  event('ActionSettled', {
    toolCallId: ToolCallId,
    hypothesisId: HypothesisId,
    status: z.enum(['READY', 'ERROR']),
    evidenceStatus: EvidenceStatus,
    errorClass: ToolErrorClass.nullable(),
    truncated: z.boolean(),
    contentHash: Sha256,
    sha256: Sha256,
  }),
  event('ActionReleased', {
    toolCallId: ToolCallId,
    hypothesisId: HypothesisId,
    why: z.enum(['DEADLINE', 'NOT_STARTED', 'CASE_ENDED']),
  }),

  event('TurnAssessed', {
    turn: z.number().int().positive(),
    step: Step,
    hypothesisId: HypothesisId,
    findings: z.array(Finding).max(8),
    confidence: Confidence,
    /** Null where the turn left the rating as it was. */
    assessment: z.string().max(600).nullable(),
    /** Results that this turn has seen: they are assessed from here on. */
    assessed: z.array(ToolCallId).max(256),
  }),
  event('HypothesisConcluded', { hypothesisId: HypothesisId, confidence: Confidence }),
  event('HypothesisRejected', { hypothesisId: HypothesisId, reason: z.string().max(600) }),
  event('HypothesisExhausted', {
    hypothesisId: HypothesisId,
    why: z.enum(['BUDGET', 'TURNS', 'INVALID_RESPONSES', 'MODEL_UNAVAILABLE', 'TOKENS']),
  }),

  /** Counts towards the limit from here on (E5). The case stays INVESTIGATING_HYPOTHESES. */
  event('EarlyDiagnosisRequested', {
    review: z.number().int().positive(),
    hypothesisId: HypothesisId,
    reason: z.string().max(1_000),
    evidence: z.array(Sha256).min(1).max(256),
    countercheckRefs: z.array(FindingId).min(1).max(16),
    /** Open alternatives that are explicitly left for later. */
    deferred: z.array(HypothesisId).max(7),
  }),
  event('AlternativeDeferred', { hypothesisId: HypothesisId, reason: z.string().max(600) }),
  event('DiagnosisBuildingStarted', {
    diagnosis: z.number().int().positive(),
    /** Null: the ordinary path, all accounts are closed. */
    review: z.number().int().positive().nullable(),
    leading: HypothesisId.nullable(),
  }),
  event('EarlyReviewPassRecorded', {
    review: z.number().int().positive(),
    pass: z.union([z.literal(1), z.literal(2)]),
    step: Step,
    hypothesisId: HypothesisId.nullable(),
    confidence: Confidence.nullable(),
    /** What this pass says by itself; null where it would accept. */
    objection: DeclineReason.nullable(),
  }),
  event('EarlyReviewAccepted', { review: z.number().int().positive(), hypothesisId: HypothesisId }),
  /** The persisted condition of the only way back (E9). */
  event('EarlyDiagnosisDeclined', {
    review: z.number().int().positive(),
    hypothesisId: HypothesisId,
    reason: DeclineReason,
    /** The evaluator's own words about it, copied; empty where there was no evaluation. */
    text: z.string().max(2_000),
    /** All evidence content of the case at this moment: another request needs content beyond it (E13). */
    knownContent: z.array(Sha256).max(256),
  }),

  event('FinalDraftReceived', {
    revision: z.number().int().min(1).max(2),
    step: Step,
    sha256: Sha256,
    bytes: z.number().int(),
  }),
  event('FinalEvidenceAccepted', {
    revision: z.number().int().min(1).max(2),
    step: Step,
    snapshotHash: Sha256,
    reportHash: Sha256,
    items: z.number().int(),
    verifiedSources: z.array(VerifiedSource),
    conclusionStatus: ConclusionStatus.nullable(),
  }),
  event('FinalEvidenceRejected', {
    revision: z.number().int().min(1).max(2),
    step: Step,
    violations: z.array(Violation),
  }),
  event('FinalSemanticRecorded', {
    attempt: z.number().int(),
    step: Step,
    outcome: z.enum(['SUPPORTED', 'UNSUPPORTED', 'FAILED']),
    failure: AttemptFailure.nullable(),
  }),
  /** The canonical checkpoint: early and ordinary path end in the same fact (E10). */
  event('DiagnosisCompleted', {
    diagnosis: z.number().int().positive(),
    artifactRef: z.string().regex(/^analysis\/diagnosis\/\d{4}\/$/),
    review: z.number().int().positive().nullable(),
    snapshotHash: Sha256,
    evidenceStep: Step,
  }),

  event('CaseCancellationRequested', {
    cause: CancelCause,
    outstanding: z.number().int(),
    settleBy: Instant,
  }),
  event('CaseLateResultDiscarded', { service: WorkService, step: Step, hash: Sha256 }),
  event('CaseOutcomeSealed', { outcome: CaseOutcome }),
  event('CaseDiagnosed', { snapshotHash: Sha256, evidenceStep: Step, ...ending }),
  event('CaseInconclusive', {
    reason: InconclusiveReason,
    snapshotHash: Sha256.nullable(),
    evidenceStep: Step.nullable(),
    fallback: FallbackType.nullable(),
    ...ending,
  }),
  event('CaseFailed', { reason: CaseFailureReason, ...ending }),
  event('CaseCancelled', { cause: CancelCause, sealedSeq: Sequence.nullable(), ...ending }),
]);
export type CaseEvent = z.infer<typeof CaseEvent>;
export type CaseEventOf<Type extends CaseEvent['type']> = Extract<CaseEvent, { type: Type }>;

export const TERMINAL_CASE_EVENT_TYPES = [
  'CaseDiagnosed',
  'CaseInconclusive',
  'CaseFailed',
  'CaseCancelled',
] as const;
export type TerminalCaseEvent = CaseEventOf<(typeof TERMINAL_CASE_EVENT_TYPES)[number]>;
export const isTerminalCaseEvent = (e: CaseEvent): e is TerminalCaseEvent =>
  (TERMINAL_CASE_EVENT_TYPES as readonly string[]).includes(e.type);

export const caseDecision = defineFact({
  type: 'inquest.case.v1',
  subject: 'diag.<p>.<case>.case',
  writers: ['harness-orchestrator'],
  meaning:
    'The decision chain of a case: optimistic concurrency, each entry naming its predecessor and the facts it took in.',
  schema: z.strictObject({
    n: z.number().int().nonnegative(),
    prevSeq: Sequence,
    took: z.array(z.strictObject({ fact: z.string().max(128), seq: Sequence })).max(256),
    at: Instant,
    events: z.array(CaseEvent).min(1).max(256),
  }),
});
export type CaseDecision = DataOf<typeof caseDecision>;
