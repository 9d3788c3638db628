import type { Window } from '@inquest/contracts/scope';
import type { LokiApi } from './loki-api';

const FRESH_MS = 60_000;
const KEPT_MAX = 64;

/** What the server has labels and values for, at most a minute old, so that an empty result is told from a misspelt name. */
export class KnownStreams {
  private readonly kept = new Map<string, { names: Promise<string[]>; atMs: number; signal: AbortSignal }>();

  constructor(
    private readonly api: LokiApi,
    private readonly lookbackMs: number,
    private readonly nowMs: () => number = Date.now,
  ) {}

  labels(window: Window, signal: AbortSignal): Promise<string[]> {
    return this.fresh('', window, (wide) => this.api.labelNames(wide, signal), signal);
  }

  values(label: string, window: Window, signal: AbortSignal): Promise<string[]> {
    return this.fresh(label, window, (wide) => this.api.labelValues(label, wide, signal), signal);
  }

  /** A service that was silent in a short window is still known: names are looked for as far back as the source is asked. */
  private wide({ from, to }: Window): Window {
    const nowMs = this.nowMs();
    const fromMs = Math.min(Date.parse(from), nowMs - this.lookbackMs);
    // Whole minutes, so that questions that follow each other share what is known.
    const start = Math.floor(fromMs / FRESH_MS) * FRESH_MS;
    const end = Math.ceil(Math.max(Date.parse(to), nowMs) / FRESH_MS) * FRESH_MS;
    return { from: new Date(start).toISOString(), to: new Date(end).toISOString() };
  }

  private fresh(
    label: string,
    window: Window,
    read: (wide: Window) => Promise<string[]>,
    signal: AbortSignal,
  ): Promise<string[]> {
    const wide = this.wide(window);
    const key = `${label} ${wide.from}`;
    const known = this.kept.get(key);
    // What was asked by a run that was cancelled meanwhile has no answer for others.
    if (known && !known.signal.aborted && this.nowMs() - known.atMs < FRESH_MS) return known.names;
    const made = { names: read(wide), atMs: this.nowMs(), signal };
    if (this.kept.size >= KEPT_MAX) this.kept.clear();
    this.kept.set(key, made);
    // A failed look is no knowledge.
    made.names.catch(() => {
      if (this.kept.get(key) === made) this.kept.delete(key);
    });
    return made.names;
  }
}
