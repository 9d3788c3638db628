import type { Step } from '@inquest/contracts/ids';
import { partsOfStep } from '@inquest/contracts/ids';
import type { RunEvent } from '@inquest/contracts/run-decision';
import { assertNever } from '@inquest/decider/decider';
import { cancel, cancelled, sealFailed, sealFallback } from './endings';
import { onSemanticFailure } from './on-guard-result';
import { onAgentFailure, onRouterFailure } from './on-model-result';
import { onToolResult, STEP_TIMED_OUT } from './on-tool-result';
import { STEP_DEADLINE_SLACK_MS } from './run.limits';
import type { OpenStep, Run } from './run.state';
import { deadlineMs, proceed, requestModel, requestRouter, requestSemantic } from './steps';

const closesAtMs = (open: OpenStep): number => open.deadlineAtMs + STEP_DEADLINE_SLACK_MS;

const timedOut = (open: OpenStep): RunEvent => ({
  type: 'StepTimedOut',
  service: open.service,
  step: open.step,
});

const onRunDeadline = (run: Run): RunEvent[] => [
  ...run.open.map(timedOut),
  ...(run.phase === 'REVIEWING_SEMANTICS'
    ? sealFallback('SEMANTIC_UNAVAILABLE')
    : sealFailed('DEADLINE_EXCEEDED')),
];

const TIMEOUT = { failure: 'TIMEOUT' as const, retryAfterMs: null };

const onStepDeadline = (run: Run, open: OpenStep, nowMs: number): RunEvent[] =>
  proceed(run, [timedOut(open)], (now) => {
    switch (open.kind) {
      case 'router':
        return onRouterFailure(now, open, TIMEOUT, nowMs);
      case 'model':
      case 'repair':
        return onAgentFailure(now, open, TIMEOUT, nowMs);
      case 'tool':
        return onToolResult(now, open, STEP_TIMED_OUT, nowMs);
      case 'evidence':
        return sealFailed('EVIDENCE_GUARD_UNAVAILABLE');
      case 'semantic':
        return onSemanticFailure(now, open, TIMEOUT, nowMs);
      default:
        return assertNever(open.kind);
    }
  });

const requestRetried = (run: Run, step: Step, nowMs: number): RunEvent[] => {
  const parts = partsOfStep(step);
  if (parts === undefined) return [];
  if (parts.kind === 'router') return [requestRouter(run, parts.attempt, nowMs)];
  if (parts.kind === 'semantic') return [requestSemantic(run, parts.attempt, nowMs)];
  const earlier =
    run.drafts.length > 0 ? 'REPAIR' : run.intent === 'KNOWLEDGE_QUERY' ? 'KNOWLEDGE_LOOKUP' : 'INVESTIGATE';
  const mode = earlier === 'KNOWLEDGE_LOOKUP' && run.invocations.length > 0 ? 'KNOWLEDGE_ANSWER' : earlier;
  return [requestModel(run, parts.turn, parts.attempt, mode, nowMs)];
};

const settleCancellation = (run: Run, nowMs: number): RunEvent[] => {
  if (run.cancellation === null || nowMs < run.cancellation.settleByMs) return [];
  const { cause } = run.cancellation;
  const closing = run.open.map((o): RunEvent => ({
    type: 'WorkInterrupted',
    service: o.service,
    step: o.step,
    how: 'TIMED_OUT',
  }));
  return [...closing, cancelled(run, cause, null)];
};

/** What is due at `nowMs`; one matter at a time, so that each decision sees the one before. */
export const onTime = (run: Run, nowMs: number): RunEvent[] => {
  if (run.sealed !== null) return [];
  if (run.cancellation !== null) return settleCancellation(run, nowMs);
  const { cancelsAtMs } = run.owner;
  // Nothing is sealed while the owner is away, so the run's own deadline ends the grace as well.
  if (cancelsAtMs !== null && nowMs >= Math.min(cancelsAtMs, deadlineMs(run)))
    return cancel(run, 'DISCONNECT', nowMs);
  if (nowMs >= deadlineMs(run)) return onRunDeadline(run);
  const late = run.open.find((o) => nowMs >= closesAtMs(o));
  if (late !== undefined) {
    return proceed(run, onStepDeadline(run, late, nowMs), (now) =>
      now.ended === null ? onTime(now, nowMs) : [],
    );
  }
  const due = run.retries.find((r) => nowMs >= r.dueAtMs);
  return due === undefined ? [] : requestRetried(run, due.step, nowMs);
};

/** The next instant at which time alone changes something; null when the run needs no clock. */
export const nextDueAtMs = (run: Run): number | null => {
  if (run.ended !== null) return null;
  if (run.sealed !== null) return 0;
  if (run.cancellation !== null) return run.cancellation.settleByMs;
  return Math.min(
    deadlineMs(run),
    run.owner.cancelsAtMs ?? Infinity,
    ...run.open.map(closesAtMs),
    ...run.retries.map((r) => r.dueAtMs),
  );
};
