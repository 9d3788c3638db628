import type { AttemptFailure } from '@inquest/contracts/model-call';
import type { RunEvent } from '@inquest/contracts/run-decision';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { SemanticResult } from '@inquest/contracts/semantic-facts';
import { partsOfStep, type Step } from '@inquest/contracts/ids';
import { sealAccepted, sealFailed, sealFallback } from './endings';
import { costOf, type Failed } from './failed-attempt';
import type { OpenStep, Run } from './run.state';
import { deadlineMs, instant, proceed, requestModel, requestSemantic } from './steps';

const EVIDENCE_FAILURE: Record<Extract<EvidenceResult, { kind: 'FAILED' }>['failure'], AttemptFailure> = {
  TIMEOUT: 'TIMEOUT',
  NOT_STARTED: 'NOT_STARTED',
  FACT_MISSING: 'INVALID_RESPONSE',
  PAYLOAD_UNUSABLE: 'INVALID_RESPONSE',
  RULE_SET_UNKNOWN: 'INVALID_RESPONSE',
  INTERNAL: 'INVALID_RESPONSE',
};

/** One structural repair, without tools, unless the draft was the repaired one or no repair could help. */
const onRejected = (
  run: Run,
  result: Extract<EvidenceResult, { kind: 'REJECTED' }>,
  nowMs: number,
): RunEvent[] => {
  const mayRepair =
    run.drafts.length <= run.started.limits.repairsMax && result.violations.every((v) => v.repairable);
  return mayRepair
    ? [requestModel(run, run.turn + 1, 1, 'REPAIR', nowMs)]
    : sealFallback('EVIDENCE_VALIDATION_FAILED');
};

/** The KNOWLEDGE answer without items is the fixed one: there is nothing for a judge to grade. */
const onAccepted = (run: Run, items: number, nowMs: number): RunEvent[] => {
  if (items > 0) return [requestSemantic(run, 1, nowMs)];
  return run.intent === 'KNOWLEDGE_QUERY' ? sealAccepted(run) : sealFallback('EVIDENCE_VALIDATION_FAILED');
};

export const onEvidenceResult = (
  run: Run,
  open: OpenStep,
  result: EvidenceResult,
  nowMs: number,
): RunEvent[] => {
  const { step } = open;
  switch (result.kind) {
    case 'ACCEPTED': {
      const { revision, snapshotHash, reportHash, items, verifiedSources } = result;
      return proceed(
        run,
        [{ type: 'EvidenceAccepted', revision, step, snapshotHash, reportHash, items, verifiedSources }],
        (now) => onAccepted(now, items, nowMs),
      );
    }
    case 'REJECTED':
      return proceed(
        run,
        [{ type: 'EvidenceRejected', revision: result.revision, step, violations: result.violations }],
        (now) => onRejected(now, result, nowMs),
      );
    case 'FAILED':
      return [
        { type: 'AttemptFailed', service: 'evidence', step, failure: EVIDENCE_FAILURE[result.failure] },
        ...sealFailed('EVIDENCE_GUARD_UNAVAILABLE'),
      ];
  }
};

/** Failures after which the same snapshot may be judged once more (semantic-guard contract, 5). */
const JUDGE_AGAIN: ReadonlySet<AttemptFailure> = new Set([
  'TRANSPORT',
  'TIMEOUT',
  'RATE_LIMITED',
  'SERVER_ERROR',
  'REFUSED',
  'CONTENT_FILTER',
  'LENGTH',
  'EMPTY',
  'INVALID_RESPONSE',
  'ATTEMPT_LOST',
]);

export const onSemanticFailure = (
  run: Run,
  open: { step: Step; attempt: number },
  failed: Failed,
  nowMs: number,
): RunEvent[] => {
  const { attempt, step } = open;
  const record: RunEvent = {
    type: 'SemanticAttemptRecorded',
    attempt,
    step,
    outcome: 'FAILED',
    failure: failed.failure,
    ...costOf(failed),
  };
  return proceed(run, [record], (now) => {
    const mayAgain = attempt < now.started.limits.semanticAttemptsMax && JUDGE_AGAIN.has(failed.failure);
    const dueAtMs = nowMs + (failed.retryAfterMs ?? 0);
    if (!mayAgain || dueAtMs >= deadlineMs(now)) return sealFallback('SEMANTIC_UNAVAILABLE');
    const next = requestSemantic(now, attempt + 1, nowMs);
    return dueAtMs === nowMs
      ? [next]
      : [{ type: 'RetryScheduled', service: 'semantic', step: next.step, dueAt: instant(dueAtMs) }];
  });
};

/**
 * A verdict counts only for the snapshot that the EvidenceGuard froze. A valid UNSUPPORTED of any attempt is final, also
 * a late one: there is no shopping for verdicts.
 */
export const onSemanticResult = (run: Run, step: Step, result: SemanticResult, nowMs: number): RunEvent[] => {
  const attempt = partsOfStep(step)?.attempt ?? 0;
  const isOpen = run.open.some((o) => o.step === step);
  const valid = result.kind === 'JUDGED' && result.snapshotHash === run.accepted?.snapshotHash;
  if (valid && result.verdict === 'UNSUPPORTED') {
    return [
      {
        type: 'SemanticAttemptRecorded',
        attempt,
        step,
        outcome: 'UNSUPPORTED',
        failure: null,
        ...costOf(result),
      },
      ...sealFallback('SEMANTIC_UNSUPPORTED'),
    ];
  }
  if (!isOpen) return [];
  if (!valid) {
    const failed =
      result.kind === 'FAILED'
        ? result
        : { failure: 'INVALID_RESPONSE' as const, retryAfterMs: null, record: result.record };
    return onSemanticFailure(run, { step, attempt }, failed, nowMs);
  }
  const record: RunEvent = {
    type: 'SemanticAttemptRecorded',
    attempt,
    step,
    outcome: 'SUPPORTED',
    failure: null,
    ...costOf(result),
  };
  return proceed(run, [record], (now) =>
    now.judged.some((j) => j.outcome === 'UNSUPPORTED')
      ? sealFallback('SEMANTIC_UNSUPPORTED')
      : sealAccepted(now),
  );
};
