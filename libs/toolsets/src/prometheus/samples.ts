import type { MetricPoint } from '../incident-format';

/** Samples that are numbers; NaN and the infinities are counted apart, since no JSON holds them. */
export const pointsOf = (
  samples: readonly (readonly [number, string])[],
): { points: MetricPoint[]; notFinite: number } => {
  const points: MetricPoint[] = [];
  for (const [at, text] of samples) {
    const value = Number(text);
    if (text !== '' && Number.isFinite(value)) points.push([at, value]);
  }
  return { points, notFinite: samples.length - points.length };
};

export const nameAndLabels = (metric: Readonly<Record<string, string>>) => {
  const { __name__: name = '', ...labels } = metric;
  return { name, labels };
};

/** Points that a range query is meant to give for each series. */
const POINTS_WANTED = 240;
const STEP_SECONDS_MIN = 15;
/** What Prometheus itself allows for each series. */
export const POINTS_MAX = 11_000;

export const stepFor = (start: number, end: number): number =>
  Math.max(STEP_SECONDS_MIN, Math.ceil((end - start) / POINTS_WANTED));

export const secondsOf = (instant: string): number => Date.parse(instant) / 1_000;
export const instantOf = (seconds: number): string => new Date(seconds * 1_000).toISOString();
