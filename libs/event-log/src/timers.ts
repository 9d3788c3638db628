import { partitionOf, timerSubject } from '@inquest/contracts/subjects';
import type { WakeUp } from '@inquest/contracts/platform-facts';
import type { EventLog, PutResult } from './event-log';
import { messageOf } from './message';
import type { WorkContext } from './work';

/** A wake-up comes at least this often, so that a changed due time or a changed clock is noticed. */
export const WAKE_EVERY_MAX_MS = 30_000;

/**
 * Makes sure that a run will be looked at until it has ended, whatever happens to every process. One per run; it says
 * nothing but "look": when the next thing is due follows from the run's own facts.
 */
export const putWakeUp = (log: EventLog, runId: string, source: string, now: Date): Promise<PutResult> => {
  const subject = timerSubject(partitionOf(runId, log.partitions), runId);
  const data = { runId, createdAt: now.toISOString() } satisfies Record<
    Exclude<keyof WakeUp, 'aggregate'>,
    string
  >;
  return log.putIfAbsent(
    subject,
    messageOf({ subject, type: 'inquest.tmr.v1', source, time: now.toISOString() }, data),
  );
};

/** How long to wait for `dueAtMs`, 0 when it is time. Never longer than {@link WAKE_EVERY_MAX_MS}: the clock is asked again. */
export const wakeDelayMs = (dueAtMs: number, nowMs: number): number =>
  Math.min(Math.max(dueAtMs - nowMs, 0), WAKE_EVERY_MAX_MS);

/** For a handler of the `timer` consumer: goes on when it is time, gives the wake-up back when it is not. */
export const untilDue = (context: WorkContext, dueAtMs: number, nowMs = Date.now()): void => {
  const delayMs = wakeDelayMs(dueAtMs, nowMs);
  if (delayMs > 0) context.retryLater(delayMs);
};
