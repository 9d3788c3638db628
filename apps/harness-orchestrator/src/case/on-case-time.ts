import type { CaseEvent } from '@inquest/contracts/case-decision';
import { assertNever } from '@inquest/decider/decider';
import type { Protocol } from './case.commands';
import { endCancelled, sealFailed, sealInconclusive } from './case-endings';
import { deadlineMs, proceed } from './case-steps';
import type { Case, OpenCaseStep } from './case.state';
import { onActionDeadline } from './on-action';
import { onEvaluatorFailure } from './on-evaluator';
import { guardAbsent, onVerdict } from './on-final';
import { onInvestigatorFailure } from './on-investigator';
import { STEP_DEADLINE_SLACK_MS } from '../run/run.limits';

type Now = Protocol & { nowMs: number };

/** The worker's own time-out comes first and yields a typed result; the harness closes the step this much later. */
const closesAtMs = (open: OpenCaseStep): number => open.deadlineAtMs + STEP_DEADLINE_SLACK_MS;

const TIMEOUT = { failure: 'TIMEOUT' as const };

const onStepDeadline = (c: Case, open: OpenCaseStep, now: Now): CaseEvent[] => {
  switch (open.kind) {
    case 'form':
    case 'turn':
    case 'final':
    case 'refine':
      return onInvestigatorFailure(c, open, TIMEOUT, now);
    case 'act':
      return onActionDeadline(c, open, now);
    case 'review':
      return onEvaluatorFailure(c, open, TIMEOUT, now);
    case 'proof':
      return guardAbsent(c, open, now);
    case 'verdict':
      return onVerdict(c, open, { kind: 'FAILED', retryAfterMs: null, record: null, ...TIMEOUT }, now);
    default:
      return assertNever(open.kind);
  }
};

/** In its review a case has nothing but an unfinished diagnosis to show; before that it has failed. */
const onCaseDeadline = (c: Case): CaseEvent[] =>
  c.building?.accepted ? sealInconclusive(c, 'SEMANTIC_UNAVAILABLE') : sealFailed(c, 'DEADLINE_EXCEEDED');

/** What is due at `nowMs`; one matter at a time, so that each decision sees the one before. */
export const onCaseTime = (c: Case, now: Now): CaseEvent[] => {
  if (c.sealed !== null || c.ended !== null) return [];
  if (c.cancellation !== null)
    return now.nowMs < c.cancellation.settleByMs ? [] : endCancelled(c, c.cancellation.cause);
  if (now.nowMs >= deadlineMs(c)) return onCaseDeadline(c);
  const late = c.open.find((o) => now.nowMs >= closesAtMs(o));
  if (late === undefined) return [];
  return proceed(c, onStepDeadline(c, late, now), (next) => onCaseTime(next, now));
};

/** The next instant at which time alone changes something; null when the case needs no clock. */
export const nextCaseDueAtMs = (c: Case): number | null => {
  if (c.ended !== null) return null;
  if (c.sealed !== null) return 0;
  if (c.cancellation !== null) return c.cancellation.settleByMs;
  return Math.min(deadlineMs(c), ...c.open.map(closesAtMs));
};
