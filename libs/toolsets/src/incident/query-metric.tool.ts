import { z } from 'zod';
import { pointsFor, shownSeries } from '../shown-series';
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
    const pointsMax = pointsFor(shown.length);
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
