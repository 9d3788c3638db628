import type { CaseEvent } from '@inquest/contracts/case-decision';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Protocol } from './case.commands';
import { proceed } from './case-steps';
import { actionOf, type Case, type OpenCaseStep } from './case.state';
import { goOn } from './go-on';

type Now = Protocol & { nowMs: number };

/** A call that never ran charges nobody; one that ran and failed was an action. */
const NEVER_RAN: ReadonlySet<string> = new Set(['NOT_STARTED', 'CANCELLED', 'ATTEMPT_LOST']);

export const onActionResult = (c: Case, open: OpenCaseStep, entry: LedgerEntry, now: Now): CaseEvent[] => {
  const action = actionOf(c, open.toolCallId);
  if (action?.state !== 'reserved') return [];
  const { toolCallId, hypothesisId } = action;
  const settled: CaseEvent = NEVER_RAN.has(entry.errorClass ?? '')
    ? { type: 'ActionReleased', toolCallId, hypothesisId, why: 'NOT_STARTED' }
    : {
        type: 'ActionSettled',
        toolCallId,
        hypothesisId,
        status: entry.status,
        evidenceStatus: entry.evidenceStatus,
        errorClass: entry.errorClass,
        truncated: entry.truncated,
        contentHash: entry.contentHash,
        sha256: entry.projection.sha256,
      };
  return proceed(c, [settled], (next) => goOn(next, now));
};

/** Its time is over: the reservation goes back, and nobody waits for it any longer (E5). */
export const onActionDeadline = (c: Case, open: OpenCaseStep, now: Now): CaseEvent[] => {
  const action = actionOf(c, open.toolCallId);
  if (action?.state !== 'reserved') return [];
  const { toolCallId, hypothesisId } = action;
  return proceed(c, [{ type: 'ActionReleased', toolCallId, hypothesisId, why: 'DEADLINE' }], (next) =>
    goOn(next, now),
  );
};
