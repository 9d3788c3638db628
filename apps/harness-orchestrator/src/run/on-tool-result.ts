import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { RunEvent } from '@inquest/contracts/run-decision';
import { seal } from './endings';
import { orExhausted } from './on-model-result';
import type { OpenStep, Run } from './run.state';
import { proceed, requestNextTurn, requestWaitingTools } from './steps';

type Completion = Pick<LedgerEntry, 'status' | 'evidenceStatus' | 'errorClass' | 'truncated'> & {
  projection?: Pick<LedgerEntry['projection'], 'bytes'>;
};

export const STEP_TIMED_OUT: Completion = {
  status: 'ERROR',
  evidenceStatus: 'ERROR',
  errorClass: 'STEP_TIMED_OUT',
  truncated: false,
};

/** When the last call of a turn is in, the agent goes on; an empty knowledge lookup ends in the constant answer. */
const afterTools = (run: Run, nowMs: number): RunEvent[] => {
  const waiting = requestWaitingTools(run, nowMs);
  if (waiting.length > 0 || run.open.length > 0) return waiting;
  const lookup = run.invocations[0];
  if (
    run.intent === 'KNOWLEDGE_QUERY' &&
    lookup?.status === 'READY' &&
    lookup.evidenceStatus === 'NO_EVIDENCE'
  ) {
    return seal({ kind: 'SUCCESS', form: 'ANSWER', snapshotHash: null, evidenceStep: null });
  }
  return orExhausted(requestNextTurn(run, nowMs));
};

export const onToolResult = (run: Run, open: OpenStep, result: Completion, nowMs: number): RunEvent[] => {
  const toolCallId = open.toolCallId;
  if (toolCallId === null) return [];
  const { status, evidenceStatus, errorClass, truncated, projection } = result;
  return proceed(
    run,
    [
      {
        type: 'ToolInvocationCompleted',
        toolCallId,
        step: open.step,
        status,
        evidenceStatus,
        errorClass,
        truncated,
        ...(projection ? { bytes: projection.bytes } : {}),
      },
    ],
    (now) => afterTools(now, nowMs),
  );
};
