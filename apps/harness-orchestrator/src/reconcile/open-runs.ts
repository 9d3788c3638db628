import type { NatsConnection } from '@nats-io/transport-node';
import { RunId } from '@inquest/contracts/ids';
import { wakeUp } from '@inquest/contracts/platform-facts';
import { TIMERS_STREAM } from '@inquest/contracts/subjects';
import { directGet } from '@inquest/event-log/js-api';

/** Looked at side by side; each look reads a chain and the results of its open steps. */
const LOOKS_AT_ONCE = 8;
/** What one start looks at; the wake-ups of all further runs come round within 30 s anyway. */
const RUNS_MAX = 5_000;

/** A run or a case that has not ended. */
export type OpenOne = { runId: RunId; ofCase: boolean };

const ofCase = (data: Uint8Array): boolean => {
  try {
    return wakeUp.schema.parse(JSON.parse(new TextDecoder().decode(data)) as unknown).aggregate === 'case';
  } catch {
    return false;
  }
};

/** Every run and case that has not ended has a wake-up in the log. Yields each of one, oldest first. */
export const openRuns = async function* (nc: NatsConnection): AsyncGenerator<OpenOne, void> {
  for (let seq = 1; ;) {
    const wake = await directGet(nc, TIMERS_STREAM, { seq, next_by_subj: 'tmr.>' });
    if (wake === undefined) return;
    const runId = RunId.safeParse(wake.subject.split('.')[2]);
    if (runId.success) yield { runId: runId.data, ofCase: ofCase(wake.data) };
    seq = wake.seq + 1;
  }
};

/**
 * The first thing that a process of the harness does: a predecessor may have died with results in its hands, which the
 * broker gives out again only after the ack wait. Safe beside other instances, since a look at a run changes nothing
 * that is not due. Returns how many runs were looked at.
 */
export const lookAtOpenRuns = async (
  nc: NatsConnection,
  look: (open: OpenOne) => Promise<unknown>,
  signal: AbortSignal,
): Promise<number> => {
  const runs = openRuns(nc);
  let looked = 0;
  const worker = async (): Promise<void> => {
    while (!signal.aborted && looked < RUNS_MAX) {
      const next = await runs.next();
      if (next.done) return;
      looked += 1;
      await look(next.value);
    }
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, worker));
  return looked;
};
