import type { CaseDecision, CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import type { CaseFrame } from '@inquest/contracts/case-frame';
import { maxEarlyReviewsOf } from '@inquest/contracts/case-parts';
import type { CaseView } from '@inquest/contracts/case-view';
import type { RunId } from '@inquest/contracts/ids';
import { toolName } from '../stream/frames-of-decision';

type FrameBody = CaseFrame extends infer Frame
  ? Frame extends CaseFrame
    ? Omit<Frame, 'caseId' | 'at'>
    : never
  : never;

const IDS_LISTED_MAX = 64;

type Spent = { turns: number; modelCalls: number; actions: number };
const spentOf = ({ turns, modelCalls, actions }: Spent): Spent => ({ turns, modelCalls, actions });

type Bodies = { [Type in CaseEvent['type']]: (event: CaseEventOf<Type>) => FrameBody | undefined };

/**
 * What may be shown of each event while the case lives: enums, ids, counts, times. Every member is copied by name, so
 * that a field that is added to an event stays unseen until somebody decides otherwise here.
 */
const BODIES: Bodies = {
  CaseOpened: ({ promptVersion, deadlineAt, policy }) => ({
    type: 'case.opened',
    promptVersion,
    deadlineAt,
    turnsMax: policy.turnsMax,
    actionsMax: policy.actionsTotalMax,
    earlyReviewsMax: maxEarlyReviewsOf(policy),
  }),
  CaseStepRequested: ({ service, step, kind, attempt, mode, hypothesisId, toolCallId, pass }) => ({
    ...{ type: 'step.requested', service, step, kind },
    ...{ attempt, mode, hypothesisId, toolCallId, pass },
  }),
  PromptVersionAdopted: ({ from, to }) => ({ type: 'prompt.adopted', from, to }),
  CaseModelCallRecorded: () => undefined,
  CaseAttemptFailed: ({ service, step, failure }) => ({ type: 'attempt.failed', service, step, failure }),
  InvalidResponseRecorded: ({ namespace, step, why, count }) => ({
    type: 'response.invalid',
    namespace,
    step,
    why,
    count,
  }),
  CaseStepTimedOut: ({ service, step }) => ({ type: 'step.timed-out', service, step }),
  HypothesesFormed: ({ hypotheses }) => ({
    type: 'hypotheses.formed',
    hypotheses: hypotheses.map(({ id }) => id),
  }),
  ActionReserved: ({ toolCallId, hypothesisId, tool, turn }) => ({
    type: 'action.reserved',
    toolCallId,
    hypothesisId,
    tool: toolName(tool),
    turn,
  }),
  ActionSettled: ({ toolCallId, hypothesisId, status, evidenceStatus, errorClass, truncated }) => ({
    ...{ type: 'action.settled', toolCallId, hypothesisId },
    ...{ status, evidenceStatus, errorClass, truncated },
  }),
  ActionReleased: ({ toolCallId, hypothesisId, why }) => ({
    type: 'action.released',
    toolCallId,
    hypothesisId,
    why,
  }),
  TurnAssessed: ({ turn, hypothesisId, confidence, findings }) => ({
    type: 'turn.assessed',
    turn,
    hypothesisId,
    confidence,
    findings: findings.map(({ id }) => id),
  }),
  HypothesisConcluded: ({ hypothesisId, confidence }) => ({
    type: 'hypothesis.concluded',
    hypothesisId,
    confidence,
  }),
  HypothesisRejected: ({ hypothesisId }) => ({ type: 'hypothesis.rejected', hypothesisId }),
  HypothesisExhausted: ({ hypothesisId, why }) => ({ type: 'hypothesis.exhausted', hypothesisId, why }),
  EarlyDiagnosisRequested: ({ review, hypothesisId, countercheckRefs, deferred }) => ({
    type: 'review.requested',
    review,
    hypothesisId,
    counterchecks: countercheckRefs,
    deferred,
  }),
  AlternativeDeferred: ({ hypothesisId }) => ({ type: 'alternative.deferred', hypothesisId }),
  DiagnosisBuildingStarted: ({ diagnosis, review, leading }) => ({
    type: 'diagnosis.building',
    diagnosis,
    review,
    leading,
  }),
  EarlyReviewPassRecorded: ({ review, pass, hypothesisId, confidence, objection }) => ({
    type: 'review.pass',
    review,
    pass,
    hypothesisId,
    confidence,
    objection,
  }),
  EarlyReviewAccepted: ({ review, hypothesisId }) => ({ type: 'review.accepted', review, hypothesisId }),
  EarlyDiagnosisDeclined: ({ review, hypothesisId, reason }) => ({
    type: 'review.declined',
    review,
    hypothesisId,
    reason,
  }),
  FinalDraftReceived: ({ revision, bytes }) => ({ type: 'draft.received', revision, bytes }),
  FinalEvidenceAccepted: ({ revision, items, verifiedSources }) => ({
    type: 'evidence.accepted',
    revision,
    items,
    verifiedSources: verifiedSources.length,
  }),
  FinalEvidenceRejected: ({ revision, violations }) => ({
    type: 'evidence.rejected',
    revision,
    rules: [...new Set(violations.map(({ ruleId }) => ruleId))].slice(0, IDS_LISTED_MAX),
  }),
  FinalSemanticRecorded: ({ attempt, outcome, failure }) => ({
    type: 'semantic.judged',
    attempt,
    outcome,
    failure,
  }),
  DiagnosisCompleted: ({ diagnosis, artifactRef, review }) => ({
    type: 'diagnosis.completed',
    diagnosis,
    ref: artifactRef,
    review,
  }),
  CaseCancellationRequested: ({ cause, outstanding }) => ({ type: 'cancel.requested', cause, outstanding }),
  CaseLateResultDiscarded: ({ service, step }) => ({ type: 'cancel.discarded', service, step }),
  CaseOutcomeSealed: () => ({ type: 'outcome.sealed' }),
  CaseDiagnosed: (event) => ({ type: 'case.diagnosed', ...spentOf(event) }),
  CaseInconclusive: ({ reason, fallback, ...event }) => ({
    type: 'case.inconclusive',
    reason,
    fallback,
    ...spentOf(event),
  }),
  CaseFailed: ({ reason, ...event }) => ({ type: 'case.failed', reason, ...spentOf(event) }),
  CaseCancelled: ({ cause, ...event }) => ({ type: 'case.cancelled', cause, ...spentOf(event) }),
};

const bodyOf = <Type extends CaseEvent['type']>(event: CaseEventOf<Type>): FrameBody | undefined =>
  (BODIES as Bodies)[event.type as Type](event);

/** The frames of one chain entry, in the order of its events. */
export const framesOfCase = (caseId: RunId, decision: CaseDecision): CaseFrame[] =>
  decision.events.flatMap((event) => {
    const body = bodyOf(event);
    return body ? [{ ...body, caseId, at: decision.at }] : [];
  });

/** The one frame that is left to say of a case whose chain has expired; `undefined` for one that has not ended. */
export const endingFrameOfCase = (view: CaseView): CaseFrame | undefined => {
  const { caseId, status, inconclusive, fallback, failure, cancellation, budgets, timings } = view;
  const common = {
    caseId,
    at: timings.endedAt ?? timings.requestedAt,
    turns: budgets.turns.used,
    actions: budgets.actions.used,
    modelCalls: budgets.modelCalls,
  };
  if (status === 'DIAGNOSED') return { type: 'case.diagnosed', ...common };
  if (status === 'INCONCLUSIVE' && inconclusive)
    return {
      type: 'case.inconclusive',
      reason: inconclusive.reason,
      fallback: fallback?.type ?? null,
      ...common,
    };
  if (status === 'FAILED' && failure) return { type: 'case.failed', reason: failure.reason, ...common };
  if (status === 'CANCELLED' && cancellation)
    return { type: 'case.cancelled', cause: cancellation.cause, ...common };
  return undefined;
};
