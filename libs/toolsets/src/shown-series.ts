import type { Json } from '@inquest/contracts/canonical-json';
import type { MetricPoint, MetricSeries } from './incident-format';
import { changePoints, seriesStatistics, thinPoints } from './series-statistics';

const POINTS_MAX = 60;
/** Over all series of one answer. */
const POINTS_TOTAL_MAX = 300;

const instantOf = (epochSeconds: number): string => new Date(epochSeconds * 1_000).toISOString();

const datedStatistics = (points: readonly MetricPoint[]): Json => {
  const statistics = seriesStatistics(points);
  if (!statistics) return null;
  return { ...statistics, minAt: instantOf(statistics.minAt), maxAt: instantOf(statistics.maxAt) };
};

/** Points that each of `count` series may show. */
export const pointsFor = (count: number): number =>
  Math.max(12, Math.min(POINTS_MAX, Math.floor(POINTS_TOTAL_MAX / Math.max(1, count))));

/** A series as a model sees it: statistics and change points over all of its points, and the points thinned. */
export const shownSeries = (
  { name, unit, labels, stepSeconds, points }: MetricSeries,
  pointsMax: number,
): { [member: string]: Json } => ({
  name,
  unit,
  labels,
  stepSeconds,
  statistics: datedStatistics(points),
  changePoints: changePoints(points).map(({ at, before, after }) => ({ at: instantOf(at), before, after })),
  points: thinPoints(points, pointsMax).map(([at, value]) => [instantOf(at), value]),
  pointsTotal: points.length,
});
