import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Window } from '@inquest/contracts/scope';

type Span = { from: number; to: number };

const spanOf = (window: Window): Span => ({ from: Date.parse(window.from), to: Date.parse(window.to) });

export const isEmptyWindow = (window: Window): boolean => {
  const { from, to } = spanOf(window);
  return !(from < to);
};

/** `[from, to)` inside `[from, to)`. */
export const isInside = (inner: Window, outer: Window): boolean => {
  const [i, o] = [spanOf(inner), spanOf(outer)];
  return i.from >= o.from && i.to <= o.to;
};

const SLACK_MIN_MS = 60_000;
const SLACK_SHARE = 0.05;

/**
 * Whether a claimed window is inside what a call can speak of: the queried window, and the span of its data where that is
 * narrower. Samples lie apart, so that the last one falls short of the window's end: the span is widened by
 * 5 % of the queried window, at least a minute.
 */
export const coversWindow = (call: Pick<LedgerEntry, 'window' | 'dataSpan'>, claim: Window): boolean => {
  if (call.window && !isInside(claim, call.window)) return false;
  if (!call.dataSpan) return call.window !== null;
  const data = spanOf(call.dataSpan);
  const query = call.window ? spanOf(call.window) : data;
  const slack = Math.max(SLACK_MIN_MS, (query.to - query.from) * SLACK_SHARE);
  const { from, to } = spanOf(claim);
  return from >= data.from - slack && to <= data.to + slack;
};
