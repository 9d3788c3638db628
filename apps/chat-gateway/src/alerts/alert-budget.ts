/** New runs that the alerts of one tenant and source may open within an hour. */
export const ALERT_RUNS_MAX = 30;
const HOUR_MS = 3_600_000;
const KEYS_MAX = 1_000;

/**
 * An alert storm must not become a storm of model calls. Counts what was opened within the last hour; kept in memory,
 * since a restart that forgets it costs at most another hour's budget.
 */
export class AlertBudget {
  private readonly opened = new Map<string, number[]>();

  constructor(private readonly max = ALERT_RUNS_MAX) {}

  /** Undefined: there is room. Otherwise the seconds until there is. */
  waitS(key: string, nowMs: number): number | undefined {
    const recent = (this.opened.get(key) ?? []).filter((atMs) => nowMs - atMs < HOUR_MS);
    if (recent.length === 0) this.opened.delete(key);
    else this.opened.set(key, recent);
    const [oldest] = recent;
    return recent.length < this.max || oldest === undefined
      ? undefined
      : Math.max(1, Math.ceil((oldest + HOUR_MS - nowMs) / 1_000));
  }

  spend(key: string, nowMs: number): void {
    this.opened.set(key, [...(this.opened.get(key) ?? []), nowMs]);
    const [first] = this.opened.keys();
    if (this.opened.size > KEYS_MAX && first !== undefined) this.opened.delete(first);
  }
}
