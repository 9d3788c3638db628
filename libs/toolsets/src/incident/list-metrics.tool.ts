import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import type { MetricSeries } from '../incident-format';
import { seriesStatistics } from '../series-statistics';
import {
  ServiceArgument,
  coverageOf,
  filterText,
  incidentTool,
  instantOf,
  scopeOf,
  spanOf,
} from './incident-tool';

const row = ({ name, unit, labels, points }: MetricSeries): Json => {
  const statistics = seriesStatistics(points);
  return {
    name,
    unit,
    labels,
    ...(statistics ? { min: statistics.min, max: statistics.max, last: statistics.last } : {}),
  };
};

export const listMetrics = incidentTool(
  {
    name: 'list_metrics',
    description:
      'Lists the metric series that exist: name, unit, labels, and smallest, largest and last value over the whole recording. ' +
      'Use it to find exact metric names for query_metric and to see which values left their usual range.',
    parameters: z.strictObject({
      service: ServiceArgument.optional(),
      name_contains: z.string().min(1).max(253).describe('Part of the metric name.').optional(),
    }),
  },
  async ({ service, name_contains: nameContains }, { source, signal }) => {
    const page = await source.listMetrics({ service, nameContains }, signal);
    const { window } = await source.extent(signal);
    const ends = page.items.flatMap(({ points }) =>
      [points[0], points.at(-1)].flatMap((point) => point?.[0] ?? []),
    );
    return {
      kind: 'ROWS',
      matched: page.matched,
      rows: page.items.map(row),
      ...coverageOf(page, {
        scope: scopeOf({ service, filter: filterText({ name_contains: nameContains }) }),
        window,
        dataSpan: spanOf(ends.map(instantOf)),
        untrustedPaths: [],
      }),
    };
  },
);
