/** Longest sleep of one timer; the durable wake-up looks at each run at least this often anyway. */
const SLEEP_MAX_MS = 30_000;
const SLEEP_MIN_MS = 50;
const ALARMS_MAX = 20_000;

/**
 * One timer a run in this process, so that a deadline is acted on within milliseconds. Losing it loses nothing: the
 * durable wake-up of the run comes round within 30 s.
 */
export class AlarmClock {
  private readonly alarms = new Map<string, NodeJS.Timeout>();

  set(runId: string, delayMs: number | null, ring: () => void): void {
    clearTimeout(this.alarms.get(runId));
    this.alarms.delete(runId);
    if (delayMs === null || this.alarms.size >= ALARMS_MAX) return;
    const timer = setTimeout(
      () => {
        this.alarms.delete(runId);
        ring();
      },
      Math.min(Math.max(delayMs, SLEEP_MIN_MS), SLEEP_MAX_MS),
    );
    timer.unref();
    this.alarms.set(runId, timer);
  }

  stop(): void {
    for (const timer of this.alarms.values()) clearTimeout(timer);
    this.alarms.clear();
  }
}
