import { suggestNames } from '../suggest-names';
import { matchersIn, metricsIn, selector, type Matcher } from './promql';
import type { PrometheusApi } from './prometheus-api';

const FRESH_MS = 60_000;
const RANGES_MAX = 16;
const LABELS_LOOKED_UP_MAX = 6;
const SUGGESTIONS_MAX = 10;
type Range = { start: number; end: number };
type Standing = { selectorKnown: boolean | null; suggestions: string[] };

/** Server-side blocks are hours long: ranges within the same minutes hold the same names. */
const keyOf = ({ start, end }: Range): string => `${Math.floor(start / 60)}-${Math.ceil(end / 60)}`;

/** What the server has names for, so that an empty result is told from a misspelt name. */
export class KnownNames {
  private readonly found = new Map<string, { names: ReadonlySet<string>; atMs: number }>();

  constructor(
    private readonly api: PrometheusApi,
    private readonly nowMs: () => number = Date.now,
    /** Narrows every look to the part of a shared server that is meant. */
    private readonly always: readonly Matcher[] = [],
  ) {}

  /** All metric names of the range's time, at most a minute old. Each caller waits on a look of its own, which its signal ends. */
  async metricNames(range: Range, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const key = keyOf(range);
    const known = this.found.get(key);
    if (known && this.nowMs() - known.atMs < FRESH_MS) return known.names;
    const atMs = this.nowMs();
    const names = new Set(await this.valuesOf('__name__', range, signal));
    this.found.delete(key);
    this.found.set(key, { names, atMs });
    const [oldest] = this.found.keys();
    if (this.found.size > RANGES_MAX && oldest !== undefined) this.found.delete(oldest);
    return names;
  }

  /** Values of a label, as they are or of those series alone that some matchers select. */
  async valuesOf(
    label: string,
    range: Range,
    signal: AbortSignal,
    matchers: readonly Matcher[] = [],
  ): Promise<string[]> {
    const all = [...this.always, ...matchers];
    return (await this.api.labels(label, all.length === 0 ? [] : [selector(all)], range, signal)).data;
  }

  /**
   * Whether everything that a query without a result names exists in the range: its metrics, and what its matchers of
   * equality and of patterns ask for. Null where it names nothing.
   */
  async judge(query: string, range: Range, signal: AbortSignal): Promise<Standing> {
    const metrics = metricsIn(query);
    const matchers = matchersIn(query);
    if (metrics.length + matchers.length === 0) return { selectorKnown: null, suggestions: [] };
    const names = metrics.length === 0 ? new Set<string>() : await this.metricNames(range, signal);
    const unknown = metrics.filter((metric) => !names.has(metric));
    const looked = matchers.slice(0, LABELS_LOOKED_UP_MAX);
    const strange = await Promise.all(looked.map((matcher) => this.strangeIn(matcher, range, signal)));
    const isStrange = strange.some((near) => near !== undefined);
    // What was not looked up is not known.
    const unlooked = matchers.length > looked.length;
    return {
      selectorKnown: unknown.length > 0 || isStrange ? false : unlooked ? null : true,
      suggestions: [
        ...unknown.flatMap((name) => suggestNames(name, names)),
        ...strange.flatMap((near) => near ?? []),
      ].slice(0, SUGGESTIONS_MAX),
    };
  }

  /** Undefined where some series has what the matcher asks for; otherwise the values that are near to it. */
  private async strangeIn(
    matcher: Matcher,
    range: Range,
    signal: AbortSignal,
  ): Promise<string[] | undefined> {
    const { label, op, value } = matcher;
    // The server itself reads its patterns; ours would be another dialect.
    if (op === '=~')
      return (await this.valuesOf(label, range, signal, [matcher])).length > 0 ? undefined : [];
    const values = await this.valuesOf(label, range, signal);
    return values.includes(value) ? undefined : suggestNames(value, values);
  }
}
