import { z } from 'zod';
import { CaseFailureReason, InconclusiveReason } from './case-decision';
import { InvestigatorMode } from './case-facts';
import {
  Confidence,
  DeclineReason,
  FindingId,
  HypothesisId,
  InvalidWhy,
  InvestigationPrompt,
} from './case-parts';
import { CaseStepKind } from './case-steps';
import { Instant, RunId, WorkService } from './ids';
import { EvidenceStatus, ToolErrorClass } from './ledger';
import { AttemptFailure } from './model-call';
import { CancelCause, FallbackType } from './outcome';

const frame = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), caseId: RunId, at: Instant, ...shape });

const Pass = z.union([z.literal(1), z.literal(2)]);
const spent = { turns: z.number(), modelCalls: z.number(), actions: z.number() };

/**
 * What the event stream may show of a case: enums, ids, counts, times. What the investigator wrote (hypotheses,
 * expectations, findings) is read at `GET /v1/cases/{id}`; no text of it is representable here. Same wire form as RunFrame.
 */
export const CaseFrame = z.discriminatedUnion('type', [
  frame('case.opened', {
    promptVersion: InvestigationPrompt,
    deadlineAt: Instant,
    turnsMax: z.number(),
    actionsMax: z.number(),
    earlyReviewsMax: z.number(),
  }),
  frame('step.requested', {
    service: WorkService,
    step: z.string(),
    kind: CaseStepKind,
    attempt: z.number(),
    mode: InvestigatorMode.nullable(),
    hypothesisId: HypothesisId.nullable(),
    toolCallId: z.string().nullable(),
    pass: Pass.nullable(),
  }),
  frame('prompt.adopted', { from: InvestigationPrompt, to: InvestigationPrompt }),
  frame('attempt.failed', { service: WorkService, step: z.string(), failure: AttemptFailure }),
  frame('response.invalid', {
    namespace: z.string(),
    step: z.string(),
    why: InvalidWhy,
    count: z.number(),
  }),
  frame('step.timed-out', { service: WorkService, step: z.string() }),
  frame('hypotheses.formed', { hypotheses: z.array(HypothesisId) }),
  frame('action.reserved', {
    toolCallId: z.string(),
    hypothesisId: HypothesisId,
    tool: z.string(),
    turn: z.number(),
  }),
  frame('action.settled', {
    toolCallId: z.string(),
    hypothesisId: HypothesisId,
    status: z.enum(['READY', 'ERROR']),
    evidenceStatus: EvidenceStatus,
    errorClass: ToolErrorClass.nullable(),
    truncated: z.boolean(),
  }),
  frame('action.released', {
    toolCallId: z.string(),
    hypothesisId: HypothesisId,
    why: z.enum(['DEADLINE', 'NOT_STARTED', 'CASE_ENDED']),
  }),
  frame('turn.assessed', {
    turn: z.number(),
    hypothesisId: HypothesisId,
    confidence: Confidence,
    findings: z.array(FindingId),
  }),
  frame('hypothesis.concluded', { hypothesisId: HypothesisId, confidence: Confidence }),
  frame('hypothesis.rejected', { hypothesisId: HypothesisId }),
  frame('hypothesis.exhausted', {
    hypothesisId: HypothesisId,
    why: z.enum(['BUDGET', 'TURNS', 'INVALID_RESPONSES', 'MODEL_UNAVAILABLE', 'TOKENS']),
  }),
  frame('review.requested', {
    review: z.number(),
    hypothesisId: HypothesisId,
    counterchecks: z.array(FindingId),
    deferred: z.array(HypothesisId),
  }),
  frame('alternative.deferred', { hypothesisId: HypothesisId }),
  frame('diagnosis.building', {
    diagnosis: z.number(),
    review: z.number().nullable(),
    leading: HypothesisId.nullable(),
  }),
  frame('review.pass', {
    review: z.number(),
    pass: Pass,
    hypothesisId: HypothesisId.nullable(),
    confidence: Confidence.nullable(),
    objection: DeclineReason.nullable(),
  }),
  frame('review.accepted', { review: z.number(), hypothesisId: HypothesisId }),
  frame('review.declined', { review: z.number(), hypothesisId: HypothesisId, reason: DeclineReason }),
  frame('draft.received', { revision: z.number(), bytes: z.number() }),
  frame('evidence.accepted', { revision: z.number(), items: z.number(), verifiedSources: z.number() }),
  frame('evidence.rejected', { revision: z.number(), rules: z.array(z.string()) }),
  frame('semantic.judged', {
    attempt: z.number(),
    outcome: z.enum(['SUPPORTED', 'UNSUPPORTED', 'FAILED']),
    failure: AttemptFailure.nullable(),
  }),
  frame('diagnosis.completed', { diagnosis: z.number(), ref: z.string(), review: z.number().nullable() }),
  frame('cancel.requested', { cause: CancelCause, outstanding: z.number() }),
  frame('cancel.discarded', { service: WorkService, step: z.string() }),
  frame('outcome.sealed', {}),
  frame('case.diagnosed', spent),
  frame('case.inconclusive', {
    reason: InconclusiveReason,
    fallback: FallbackType.nullable(),
    ...spent,
  }),
  frame('case.failed', { reason: CaseFailureReason, ...spent }),
  frame('case.cancelled', { cause: CancelCause, ...spent }),
]);
export type CaseFrame = z.infer<typeof CaseFrame>;

const ENDS: readonly CaseFrame['type'][] = [
  'case.diagnosed',
  'case.inconclusive',
  'case.failed',
  'case.cancelled',
];
/** Nothing follows it. */
export const endsCase = ({ type }: CaseFrame): boolean => ENDS.includes(type);
