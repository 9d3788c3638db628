import type {
  CaseEvent,
  CaseFailureReason,
  CaseOutcome,
  InconclusiveReason,
  TerminalCaseEvent,
} from '@inquest/contracts/case-decision';
import type { CancelCause, FallbackType } from '@inquest/contracts/outcome';
import { assertNever } from '@inquest/decider/decider';
import { instant, proceed } from './case-steps';
import type { Case } from './case.state';

const ending = (c: Case) => ({
  turns: c.turn,
  modelCalls: c.modelCalls,
  actions: c.actions.filter(({ state }) => state === 'settled').length,
  tokens: c.tokens,
});

/** Nothing stays reserved in a case that ends. */
const releaseAll = (c: Case): CaseEvent[] =>
  c.actions
    .filter(({ state }) => state === 'reserved')
    .map(({ toolCallId, hypothesisId }) => ({
      type: 'ActionReleased',
      toolCallId,
      hypothesisId,
      why: 'CASE_ENDED',
    }));

export const sealCase = (c: Case, outcome: CaseOutcome): CaseEvent[] => [
  ...releaseAll(c),
  { type: 'CaseOutcomeSealed', outcome },
];

export const sealFailed = (c: Case, reason: CaseFailureReason): CaseEvent[] =>
  sealCase(c, { kind: 'FAILED', reason });

export const sealInconclusive = (c: Case, reason: InconclusiveReason): CaseEvent[] =>
  sealCase(c, { kind: 'INCONCLUSIVE', reason, snapshotHash: null, evidenceStep: null });

const cancelledCase = (c: Case, cause: CancelCause, sealedSeq: number | null): TerminalCaseEvent => ({
  type: 'CaseCancelled',
  cause,
  sealedSeq,
  ...ending(c),
});

/** All that was under way has answered, or its time is over. */
export const endCancelled = (c: Case, cause: CancelCause): CaseEvent[] => [
  ...releaseAll(c),
  cancelledCase(c, cause, null),
];

/** Starts a cancellation; with nothing under way it is complete at once. */
export const cancelCase = (c: Case, cause: CancelCause, nowMs: number): CaseEvent[] =>
  proceed(
    c,
    [
      {
        type: 'CaseCancellationRequested',
        cause,
        outstanding: c.open.length,
        settleBy: instant(nowMs + c.opened.policy.cancelSettleMs),
      },
    ],
    (now) => (now.open.length === 0 ? endCancelled(now, cause) : []),
  );

const FALLBACK_OF: Record<InconclusiveReason, FallbackType | null> = {
  NO_CAUSE_ESTABLISHED: null,
  FINAL_VALIDATION_FAILED: 'EVIDENCE_VALIDATION_FAILED',
  SEMANTIC_UNAVAILABLE: 'SEMANTIC_UNAVAILABLE',
};

const terminalOf = (c: Case, sealed: CaseOutcome): TerminalCaseEvent => {
  switch (sealed.kind) {
    case 'DIAGNOSED': {
      const { snapshotHash, evidenceStep } = sealed;
      return { type: 'CaseDiagnosed', snapshotHash, evidenceStep, ...ending(c) };
    }
    case 'INCONCLUSIVE': {
      const { reason, snapshotHash, evidenceStep } = sealed;
      const fallback = FALLBACK_OF[reason];
      return { type: 'CaseInconclusive', reason, snapshotHash, evidenceStep, fallback, ...ending(c) };
    }
    case 'FAILED':
      return { type: 'CaseFailed', reason: sealed.reason, ...ending(c) };
    default:
      return assertNever(sealed);
  }
};

/** Second fact of the release. A cancellation that stands before the seal in the log wins; later ones do not. */
export const finishSealed = (c: Case, sealedSeq: number, earlierCancel: CancelCause | null): CaseEvent[] => {
  if (c.sealed === null || c.ended !== null) return [];
  return [earlierCancel === null ? terminalOf(c, c.sealed) : cancelledCase(c, earlierCancel, sealedSeq)];
};
