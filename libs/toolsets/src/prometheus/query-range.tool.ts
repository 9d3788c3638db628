import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { FromArgument, ToArgument, filterText, scopeOf, spanOf } from '../incident/incident-tool';
import { SourceFailure } from '../incident-source';
import { pointsFor, shownSeries } from '../shown-series';
import {
  ArgumentsRefused,
  PROJECTION_BYTES_MAX,
  TOOL_TIMEOUT_MS,
  defineTool,
  type ReadOnlyTool,
} from '../tool';
import { PROMETHEUS, type PrometheusContext } from './prometheus-context';
import { QueryArgument } from './query.tool';
import { POINTS_MAX, instantOf, nameAndLabels, pointsOf, secondsOf, stepFor } from './samples';

const SERIES_MAX = 20;
const HOUR_SECONDS = 3_600;

/** Never beyond the present: of the time to come nothing is known, so that nothing can be found absent there. */
const rangeOf = (
  { from, to, wanted }: { from: string | undefined; to: string; wanted: number | undefined },
  nowSeconds: number,
) => {
  const end = Math.min(secondsOf(to), nowSeconds);
  const start = from === undefined ? end - HOUR_SECONDS : secondsOf(from);
  if (start >= end) throw new ArgumentsRefused('from: must be before to, and in the past');
  const step = wanted ?? stepFor(start, end);
  const least = Math.ceil((end - start) / POINTS_MAX);
  if (step < least)
    throw new ArgumentsRefused(`step_seconds: gives more than ${POINTS_MAX} points; at least ${least}`);
  return { start, end, step };
};

export const prometheusQueryRange = ({ api, known, nowMs }: PrometheusContext): ReadOnlyTool =>
  defineTool(
    {
      name: 'prometheus_query_range',
      toolset: PROMETHEUS,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      description:
        'Evaluates a PromQL query over a time range. For every series: statistics over all points (min, max, mean, first, last, p50, p95 and ' +
        'when the extremes occurred), change points (lasting changes of level) and the points, thinned to at most 60. At most 20 series are ' +
        'shown, those that changed most first: aggregate with sum by, topk or a selector. Without from and to: the hour before the question.',
      parameters: z.strictObject({
        query: QueryArgument,
        from: FromArgument.optional(),
        to: ToArgument.optional(),
        step_seconds: z
          .number()
          .int()
          .min(1)
          .max(86_400)
          .describe('Distance of the points (default: so that about 240 points come back, at least 15 s).')
          .optional(),
      }),
    },
    async ({ query, from, to, step_seconds: wanted }, { signal, asOf }) => {
      const { start, end, step } = rangeOf({ from, to: to ?? asOf, wanted }, nowMs() / 1_000);
      const { data, partial } = await api.queryRange(query, { start, end, step }, signal);
      if (data.resultType !== 'matrix')
        throw new SourceFailure('RESULT_UNUSABLE', 'a range query gave no matrix');
      const all = data.result.map(({ metric, values }) => ({
        ...nameAndLabels(metric),
        ...pointsOf(values),
      }));
      const shown = [...all].sort((a, b) => spread(b.points) - spread(a.points)).slice(0, SERIES_MAX);
      const judged =
        all.length === 0
          ? await known.judge(query, { start, end }, signal)
          : { selectorKnown: true, suggestions: [] };
      const pointsMax = pointsFor(shown.length);
      return {
        kind: 'SERIES',
        matched: all.length,
        series: shown.map(({ name, labels, points, notFinite }): Json => ({
          ...shownSeries({ name, unit: '', labels, stepSeconds: step, points }, pointsMax),
          ...(notFinite > 0 ? { notFinite } : {}),
        })),
        scope: scopeOf({ filter: filterText({ query, step: `${step}s` }) }),
        window: { from: instantOf(start), to: instantOf(end) },
        dataSpan: spanOf(
          all.flatMap(({ points }) =>
            [points[0], points.at(-1)].flatMap((point) => (point ? [instantOf(point[0])] : [])),
          ),
        ),
        limitHit: all.length > SERIES_MAX,
        sampled: false,
        partial,
        permissionFiltered: false,
        ...judged,
        untrustedPaths: ['/series/*/labels'],
      };
    },
  );

/** How far a series moved beside its size: what changed tells more than what is large. */
const spread = (points: readonly (readonly [number, number])[]): number => {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [, value] of points) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const size = Math.max(Math.abs(min), Math.abs(max));
  return points.length === 0 || size === 0 ? 0 : (max - min) / size;
};
