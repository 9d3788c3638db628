import { suggestNames } from '../suggest-names';
import { equalitiesIn, metricsIn } from './promql';
import type { PrometheusApi } from './prometheus-api';

const FRESH_MS = 60_000;
const LABELS_LOOKED_UP_MAX = 6;
type Range = { start: number; end: number };

/** What the server has names for, so that an empty result is told from a misspelt name. */
export class KnownNames {
  private metrics: { names: Promise<ReadonlySet<string>>; atMs: number } | undefined;

  constructor(
    private readonly api: PrometheusApi,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** All metric names of the range's time, at most a minute old. */
  metricNames(range: Range, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const known = this.metrics;
    if (known && this.nowMs() - known.atMs < FRESH_MS) return known.names;
    const names = this.api.labels('__name__', [], range, signal).then(({ data }) => new Set(data));
    const made = { names, atMs: this.nowMs() };
    this.metrics = made;
    // A failed look is no knowledge.
    names.catch(() => {
      if (this.metrics === made) this.metrics = undefined;
    });
    return names;
  }

  /**
   * Whether everything that a query without a result names exists in the range: its metrics, and the values of its
   * equality matchers. Null where it names nothing.
   */
  async judge(
    query: string,
    range: Range,
    signal: AbortSignal,
  ): Promise<{ selectorKnown: boolean | null; suggestions: string[] }> {
    const metrics = metricsIn(query);
    const equalities = equalitiesIn(query).slice(0, LABELS_LOOKED_UP_MAX);
    if (metrics.length + equalities.length === 0) return { selectorKnown: null, suggestions: [] };
    const names = await this.metricNames(range, signal);
    const unknown = metrics.filter((metric) => !names.has(metric));
    const values = await Promise.all(
      equalities.map(async ({ label, value }) => {
        const { data } = await this.api.labels(label, [], range, signal);
        return data.includes(value) ? [] : [{ value, data }];
      }),
    );
    const strange = values.flat();
    return {
      selectorKnown: unknown.length === 0 && strange.length === 0,
      suggestions: [
        ...unknown.flatMap((name) => suggestNames(name, names)),
        ...strange.flatMap(({ value, data }) => suggestNames(value, data)),
      ].slice(0, 10),
    };
  }
}
