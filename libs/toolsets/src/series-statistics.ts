import type { MetricPoint } from './incident-format';

/** Summary of a series' values; instants are seconds since the epoch. */
export type SeriesStatistics = {
  count: number;
  min: number;
  max: number;
  mean: number;
  first: number;
  last: number;
  p50: number;
  p95: number;
  minAt: number;
  maxAt: number;
};

/** A lasting change of level: from `at` on (seconds since the epoch) the median is `after` instead of `before`. */
export type ChangePoint = { at: number; before: number; after: number };

const tidy = (value: number): number => Number(value.toPrecision(6));

/** Linear interpolation between the closest ranks, as in most statistics packages. `sorted` must not be empty. */
export const quantile = (sorted: readonly number[], q: number): number => {
  const position = (sorted.length - 1) * q;
  const [low, high] = [Math.floor(position), Math.ceil(position)];
  const below = sorted[low] ?? 0;
  return below + ((sorted[high] ?? below) - below) * (position - low);
};

const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);
const median = (values: readonly number[]): number => quantile(ascending(values), 0.5);

/** Undefined for an empty series: no number stands for no data. */
export const seriesStatistics = (points: readonly MetricPoint[]): SeriesStatistics | undefined => {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return undefined;
  let [lowest, highest, sum] = [first, first, 0];
  for (const point of points) {
    if (point[1] < lowest[1]) lowest = point;
    if (point[1] > highest[1]) highest = point;
    sum += point[1];
  }
  const sorted = ascending(points.map(([, value]) => value));
  return {
    count: points.length,
    min: lowest[1],
    max: highest[1],
    mean: tidy(sum / points.length),
    first: first[1],
    last: last[1],
    p50: tidy(quantile(sorted, 0.5)),
    p95: tidy(quantile(sorted, 0.95)),
    minAt: lowest[0],
    maxAt: highest[0],
  };
};

/** Ranks 1..n, ties share their mean rank. */
const ranksOf = (values: readonly number[]): number[] => {
  const order = values.map((_, index) => index).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1] ?? 0] === values[order[start] ?? 0]) end += 1;
    for (let at = start; at <= end; at += 1) ranks[order[at] ?? 0] = (start + end) / 2 + 1;
    start = end + 1;
  }
  return ranks;
};

const SEGMENT_POINTS_MIN = 4;
/** Of one test. Low, since every segment is tested on about twenty intervals. */
const SIGNIFICANCE = 0.005;
const CHANGE_POINTS_MAX = 6;
/** A change is worth telling when it exceeds the noise around the two medians by this factor ... */
const NOISE_FACTOR = 2.5;
/** ... and this share of the larger median. */
const RELATIVE_MIN = 0.1;
/** Scales a median absolute deviation to the standard deviation of a normal distribution. */
const MAD_TO_SIGMA = 1.4826;

type Split = { at: number; probability: number };

/**
 * Pettitt's rank test (Applied Statistics 28, 1979) for one change in values[from, to): the split with the largest
 * rank imbalance. Ranks make it indifferent to outliers, to scale and to the shape of the noise.
 */
const pettitt = (values: readonly number[], from: number, to: number): Split | undefined => {
  const n = to - from;
  if (n < 2 * SEGMENT_POINTS_MIN) return undefined;
  let [sum, best, at] = [0, 0, 0];
  ranksOf(values.slice(from, to)).forEach((rank, index) => {
    sum += rank;
    const imbalance = Math.abs(2 * sum - (index + 1) * (n + 1));
    if (imbalance > best && index + 1 >= SEGMENT_POINTS_MIN && n - index - 1 >= SEGMENT_POINTS_MIN) {
      [best, at] = [imbalance, index + 1];
    }
  });
  return { at: from + at, probability: 2 * Math.exp((-6 * best * best) / (n ** 3 + n ** 2)) };
};

/** The segment itself, its halves and its quarters, overlapping: a rise and a fall hide each other in the whole. */
const intervalsOf = (from: number, to: number): [number, number][] =>
  [1, 2, 4].flatMap((parts) => {
    const length = Math.floor((to - from) / parts);
    const step = Math.max(1, Math.floor(length / 4));
    const starts = Array.from(
      { length: Math.floor((to - from - length) / step) + 1 },
      (_, n) => from + n * step,
    );
    return [...starts, to - length].map((start): [number, number] => [start, start + length]);
  });

const significantSplit = (values: readonly number[], from: number, to: number): number | undefined => {
  const splits = intervalsOf(from, to).flatMap(([start, end]) => pettitt(values, start, end) ?? []);
  const best = splits.sort((a, b) => a.probability - b.probability)[0];
  return best && best.probability < SIGNIFICANCE ? best.at : undefined;
};

/** Median distance from Tukey's resistant line, which goes through the medians of the outer thirds. */
const distanceFromLine = (values: readonly number[]): number => {
  const third = Math.floor(values.length / 3);
  const slope = (median(values.slice(-third)) - median(values.slice(0, third))) / (values.length - third);
  const level = values.map((value, n) => value - slope * n);
  const middle = median(level);
  return median(level.map((value) => Math.abs(value - middle)));
};
/** A steady rise or fall fits one line this much better than two levels: it has no point of change. */
const RAMP_SHARE = 0.3;

/** How far two neighbouring segments lie apart, in units of what is worth telling: below 1 it is not. */
const distinctness = (before: readonly number[], after: readonly number[]): number => {
  const [low, high] = [median(before), median(after)];
  const residual = median([...before.map((v) => Math.abs(v - low)), ...after.map((v) => Math.abs(v - high))]);
  if (distanceFromLine([...before, ...after]) < RAMP_SHARE * residual) return 0;
  const noise = residual * MAD_TO_SIGMA * NOISE_FACTOR;
  const relative = RELATIVE_MIN * Math.max(Math.abs(low), Math.abs(high));
  const threshold = Math.max(noise, relative);
  return threshold === 0 ? 0 : Math.abs(high - low) / threshold;
};

/** Removes the least distinct split until all of them, and no more than the bound, are worth telling. */
const prune = (values: readonly number[], splits: readonly number[]): number[] => {
  const bounds = [0, ...splits, values.length];
  const weights = splits.map((at, index) =>
    distinctness(values.slice(bounds[index], at), values.slice(at, bounds[index + 2])),
  );
  const least = Math.min(...weights);
  if (splits.length === 0 || (least > 1 && splits.length <= CHANGE_POINTS_MAX)) return [...splits];
  return prune(values, splits.toSpliced(weights.indexOf(least), 1));
};

/** Lasting changes of level, in order of time. Short spikes are none: they show in `max` and `maxAt`. */
export const changePoints = (points: readonly MetricPoint[]): ChangePoint[] => {
  const values = points.map(([, value]) => value);
  const search = (from: number, to: number, depth: number): number[] => {
    const at = depth === 0 ? undefined : significantSplit(values, from, to);
    return at === undefined ? [] : [...search(from, at, depth - 1), at, ...search(at, to, depth - 1)];
  };
  const splits = prune(values, search(0, values.length, 5));
  const bounds = [0, ...splits, values.length];
  return splits.map((at, index) => ({
    at: points[at]?.[0] ?? 0,
    before: tidy(median(values.slice(bounds[index], at))),
    after: tidy(median(values.slice(at, bounds[index + 2]))),
  }));
};

/** At most `pointsMax` points, evenly spread, the first and the last among them. */
export const thinPoints = (points: readonly MetricPoint[], pointsMax: number): MetricPoint[] => {
  if (points.length <= pointsMax) return [...points];
  if (pointsMax < 2) return points.slice(-pointsMax);
  const step = (points.length - 1) / (pointsMax - 1);
  return Array.from({ length: pointsMax }, (_, n) => points[Math.round(n * step)] as MetricPoint);
};
