import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import type { MetricPoint, MetricSeries } from '../incident-format';
import { changePoints, seriesStatistics, thinPoints } from '../series-statistics';
import {
  FromArgument,
  ServiceArgument,
  ToArgument,
  coverageOf,
  filterText,
  incidentTool,
  instantOf,
  scopeOf,
  searchedWindow,
  spanOf,
} from './incident-tool';

const SERIES_MAX = 20;
const POINTS_MAX = 60;
/** Over all series of one answer. */
const POINTS_TOTAL_MAX = 300;

const datedStatistics = (points: readonly MetricPoint[]): Json => {
  const statistics = seriesStatistics(points);
  if (!statistics) return null;
  return { ...statistics, minAt: instantOf(statistics.minAt), maxAt: instantOf(statistics.maxAt) };
};

const shownSeries = ({ name, unit, labels, stepSeconds, points }: MetricSeries, pointsMax: number): Json => ({
  name,
  unit,
  labels,
  stepSeconds,
  statistics: datedStatistics(points),
  changePoints: changePoints(points).map(({ at, before, after }) => ({ at: instantOf(at), before, after })),
  points: thinPoints(points, pointsMax).map(([at, value]) => [instantOf(at), value]),
  pointsTotal: points.length,
});

export const queryMetric = incidentTool(
  {
    name: 'query_metric',
    description:
      'Reads one metric over a time range. For every matching series: statistics over all points (count, min, max, mean, first, last, p50, p95, ' +
      'and when the extremes occurred), change points (lasting changes of level with the median before and after; short spikes are not listed) ' +
      'and the points, thinned to at most 60. Without from and to it covers the whole recording.',
    parameters: z.strictObject({
      name: z.string().min(1).max(253).describe('Exact metric name; list_metrics shows them.'),
      service: ServiceArgument.optional(),
      labels: z
        .record(z.string().min(1).max(64), z.string().max(253))
        .describe('Exact label values, e.g. {"state":"active"}.')
        .optional(),
      from: FromArgument.optional(),
      to: ToArgument.optional(),
    }),
  },
  async ({ name, service, labels, from, to }, { source, signal }) => {
    const window = searchedWindow((await source.extent(signal)).window, from, to);
    const page = await source.queryMetric({ name, service, labels, window }, signal);
    const shown = page.items.slice(0, SERIES_MAX);
    const pointsMax = Math.max(
      12,
      Math.min(POINTS_MAX, Math.floor(POINTS_TOTAL_MAX / Math.max(1, shown.length))),
    );
    const instants = page.items.flatMap(({ points }) => points.map(([at]) => instantOf(at)));
    return {
      kind: 'SERIES',
      matched: page.matched,
      series: shown.map((series) => shownSeries(series, pointsMax)),
      ...coverageOf(page, {
        scope: scopeOf({ service, filter: filterText({ ...labels, name }) }),
        window,
        dataSpan: spanOf(instants),
        untrustedPaths: [],
      }),
      limitHit: page.limitHit || page.items.length > SERIES_MAX,
    };
  },
);
