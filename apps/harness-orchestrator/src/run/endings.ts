import {
  coveredTool,
  type CancelCause,
  type CoverageEntry,
  type FailureReason,
  type FallbackType,
  type SealedOutcome,
} from '@inquest/contracts/outcome';
import type { RunEvent, TerminalEvent } from '@inquest/contracts/run-decision';
import { assertNever } from '@inquest/decider/decider';
import type { Step } from '@inquest/contracts/ids';
import type { Run } from './run.state';
import { instant, proceed } from './steps';

/** Beside the outcome, outside the report's bytes: what was asked and what came of it, enums and ids only. */
export const coverageOf = (run: Run): CoverageEntry[] =>
  run.invocations.map(({ toolCallId, tool, status, evidenceStatus, truncated, unknownTool }) => ({
    toolCallId,
    tool: coveredTool(tool, unknownTool),
    status,
    evidenceStatus,
    truncated,
  }));

const ending = (run: Run) => ({
  coverage: coverageOf(run),
  modelCalls: run.modelCalls,
  toolCalls: run.invocations.length,
  tokens: run.tokens,
});

export const seal = (outcome: SealedOutcome): RunEvent[] => [{ type: 'OutcomeSealed', outcome }];
export const sealFailed = (reason: FailureReason): RunEvent[] => seal({ kind: 'FAILED', reason });
export const sealFallback = (type: FallbackType): RunEvent[] => seal({ kind: 'FALLBACK', type });

/** Success on the accepted draft: what is sealed is the hash of the snapshot that the guards passed. */
export const sealAccepted = (run: Run): RunEvent[] =>
  run.accepted === null
    ? sealFailed('EVIDENCE_GUARD_UNAVAILABLE')
    : seal({
        kind: 'SUCCESS',
        form: run.intent === 'KNOWLEDGE_QUERY' ? 'ANSWER' : 'REPORT',
        snapshotHash: run.accepted.snapshotHash,
        evidenceStep: run.accepted.step,
      });

export const cancelled = (run: Run, cause: CancelCause, sealedSeq: number | null): TerminalEvent => ({
  type: 'RunCancelled',
  cause,
  sealedSeq,
  intent: run.intent,
  ...ending(run),
});

/** Starts a cancellation; with nothing under way it is complete at once. */
export const cancel = (run: Run, cause: CancelCause, nowMs: number): RunEvent[] =>
  proceed(
    run,
    [
      {
        type: 'CancellationRequested',
        cause,
        outstanding: run.open.length,
        settleBy: instant(nowMs + run.started.limits.cancelSettleMs),
      },
    ],
    (now) => (now.open.length === 0 ? [cancelled(now, cause, null)] : []),
  );

/** The terminal fact that the sealed outcome becomes when no earlier cancellation was found. */
const terminalOf = (run: Run, sealed: SealedOutcome): TerminalEvent => {
  switch (sealed.kind) {
    case 'SUCCESS':
      return {
        type: 'RunReleased',
        form: sealed.form,
        intent: run.intent ?? 'OUT_OF_SCOPE',
        snapshotHash: sealed.snapshotHash,
        reportHash: sealed.snapshotHash === null ? null : (run.accepted?.reportHash ?? null),
        evidenceStep: sealed.evidenceStep as Step | null,
        ...ending(run),
      };
    case 'FALLBACK':
      return {
        type: 'RunFellBack',
        fallback: sealed.type,
        intent: run.intent ?? 'DIAGNOSIS',
        verifiedSources:
          sealed.type === 'EVIDENCE_VALIDATION_FAILED' ? [] : (run.accepted?.verifiedSources ?? []),
        ...ending(run),
      };
    case 'FAILED':
      return { type: 'RunFailed', reason: sealed.reason, intent: run.intent, ...ending(run) };
    default:
      return assertNever(sealed);
  }
};

/** Second fact of the release. A cancellation that stands before the seal in the log wins; later ones do not. */
export const finishSealed = (run: Run, sealedSeq: number, earlierCancel: CancelCause | null): RunEvent[] => {
  if (run.sealed === null || run.ended !== null) return [];
  return [earlierCancel === null ? terminalOf(run, run.sealed) : cancelled(run, earlierCancel, sealedSeq)];
};
