import type { CaseEvent } from '@inquest/contracts/case-decision';
import type { Evaluation, EvaluatorResult } from '@inquest/contracts/case-facts';
import type { DeclineReason } from '@inquest/contracts/case-parts';
import { earlyReviewRef } from '@inquest/contracts/case-steps';
import type { FailedAttempt } from '@inquest/contracts/model-call';
import type { Protocol } from './case.commands';
import { proceed, requestAgain, requestInvestigator, requestPass } from './case-steps';
import { pendingReview, type Case, type OpenCaseStep } from './case.state';
import { confidenceIn, objectionOf } from './early-review';
import { decline } from './go-on';

type Now = Protocol & { nowMs: number };

/** The evaluator's own words about its objection: the next turns are told what was not enough (E9). */
const wordsOf = (
  reason: DeclineReason,
  { countercheck, contradictions, uncertainty }: Evaluation,
): string => {
  if (reason === 'COUNTERCHECK_INADEQUATE') return countercheck.text;
  const open = contradictions.find(({ material, resolved }) => material && !resolved);
  return reason === 'UNRESOLVED_CONTRADICTION' && open ? open.text : uncertainty;
};

const INVALID: ReadonlySet<string> = new Set([
  'INVALID_RESPONSE',
  'LENGTH',
  'EMPTY',
  'REFUSED',
  'CONTENT_FILTER',
]);

export const onEvaluatorFailure = (
  c: Case,
  open: OpenCaseStep,
  { failure }: Pick<FailedAttempt, 'failure'>,
  now: Now,
): CaseEvent[] => {
  const review = pendingReview(c);
  if (review === undefined) return [];
  const isInvalid = INVALID.has(failure);
  const recorded: CaseEvent = isInvalid
    ? {
        type: 'InvalidResponseRecorded',
        namespace: earlyReviewRef(c.diagnoses, review.review),
        step: open.step,
        why: 'NOT_THIS_PROTOCOL',
        count: open.attempt,
      }
    : { type: 'CaseAttemptFailed', service: 'evaluator', step: open.step, failure };
  return proceed(c, [recorded], (next) =>
    open.attempt < c.opened.policy.evaluatorAttemptsMax
      ? requestAgain(next, open, now.nowMs)
      : decline(next, review, isInvalid ? 'INVALID_RESPONSES' : 'EVALUATOR_UNAVAILABLE', '', now),
  );
};

/** Both orders have to accept, with the same rating; the first objection declines (E7). */
export const onEvaluatorResult = (
  c: Case,
  open: OpenCaseStep,
  result: EvaluatorResult,
  now: Now,
): CaseEvent[] => {
  if (result.kind === 'FAILED') return onEvaluatorFailure(c, open, result, now);
  const review = pendingReview(c);
  if (review === undefined || open.pass === null) return [];
  if (result.pass !== open.pass) return onEvaluatorFailure(c, open, { failure: 'INVALID_RESPONSE' }, now);
  const { evaluation, record } = result;
  const objection = objectionOf(c, review.hypothesisId, evaluation);
  const confidence = confidenceIn(evaluation);
  const events: CaseEvent[] = [
    { type: 'CaseModelCallRecorded', service: 'evaluator', step: open.step, usage: record.usage },
    {
      type: 'EarlyReviewPassRecorded',
      review: review.review,
      pass: open.pass,
      step: open.step,
      hypothesisId: evaluation.hypothesisId,
      confidence,
      objection,
    },
  ];
  return proceed(c, events, (next) => {
    if (objection !== null) return decline(next, review, objection, wordsOf(objection, evaluation), now);
    if (open.pass === 1) return requestPass(next, review.review, 2, 1, now.nowMs);
    const ratings = new Set(next.building?.passes.map((pass) => pass.confidence));
    if (ratings.size > 1)
      return decline(next, review, 'PASSES_DISAGREE', wordsOf('PASSES_DISAGREE', evaluation), now);
    const { hypothesisId } = review;
    return proceed(next, [{ type: 'EarlyReviewAccepted', review: review.review, hypothesisId }], (accepted) =>
      requestInvestigator(accepted, 'final', accepted.turn + 1, now.nowMs),
    );
  });
};
