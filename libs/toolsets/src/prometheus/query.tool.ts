import type { Json } from '@inquest/contracts/canonical-json';
import type { Window } from '@inquest/contracts/scope';
import { z } from 'zod';
import { filterText, limitArgument, scopeOf, spanOf } from '../incident/incident-tool';
import {
  ArgumentsRefused,
  PROJECTION_BYTES_MAX,
  TOOL_TIMEOUT_MS,
  defineTool,
  type Coverage,
  type RawResult,
  type ReadOnlyTool,
} from '../tool';
import type { MetricPoint } from '../incident-format';
import { SourceFailure } from '../incident-source';
import { pointsFor, shownSeries } from '../shown-series';
import type { QueryData } from './prometheus-api';
import { PROMETHEUS, type PrometheusContext } from './prometheus-context';
import { instantOf, nameAndLabels, pointsOf, secondsOf } from './samples';

const LIMIT_DEFAULT = 50;
export const QueryArgument = z
  .string()
  .trim()
  .min(1)
  .max(2_000)
  .describe(
    'PromQL. Aggregate and select, so that few series come back, e.g. topk(10, sum by (pod) (rate(x[5m]))).',
  );

export const prometheusQuery = ({ api, known, nowMs, lookbackMs }: PrometheusContext): ReadOnlyTool =>
  defineTool(
    {
      name: 'prometheus_query',
      toolset: PROMETHEUS,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      description:
        'Evaluates a PromQL query at one instant: one row for each series with its labels and value, largest first. ' +
        'For how something developed use prometheus_query_range; prometheus_labels shows metric names, labels and their values.',
      parameters: z.strictObject({
        query: QueryArgument,
        time: z.iso
          .datetime({ offset: true })
          .describe('The instant, ISO 8601 (default: that of the question).')
          .optional(),
        limit: limitArgument(200, LIMIT_DEFAULT).optional(),
      }),
    },
    async ({ query, time, limit = LIMIT_DEFAULT }, { signal, asOf }) => {
      const at = instantWithin(nowMs() / 1_000, time, asOf);
      const { data, partial } = await api.query(query, at, signal);
      if (data.resultType === 'string') throw new SourceFailure('RESULT_UNUSABLE', 'the query gives a text');
      const matched = data.resultType === 'scalar' ? 1 : data.result.length;
      const judged =
        matched === 0
          ? await known.judge(query, { start: at - lookbackMs / 1_000, end: nowMs() / 1_000 }, signal)
          : { selectorKnown: true, suggestions: [] };
      const own = { ...coverage({ query, at, partial, limitHit: matched > limit }), ...judged, matched };
      // A range selector gives the samples themselves: they are told as every other series.
      if (data.resultType === 'matrix') return samplesOf(data.result, limit, own);
      const rows = data.resultType === 'scalar' ? [{ metric: {}, value: data.result }] : data.result;
      const shown = rows
        .map(({ metric, value: [seconds, text] }) => {
          const value = Number(text);
          return { metric, value: Number.isFinite(value) ? value : text, at: instantOf(seconds) };
        })
        .sort((a, b) => Number(b.value) - Number(a.value) || 0);
      return {
        kind: 'ROWS',
        rows: shown.slice(0, limit) as Json[],
        ...own,
        dataSpan: spanOf(shown.map((row) => row.at)),
      };
    },
  );

/** Clocks differ by less. */
const SKEW_SECONDS = 60;

/** Of the time to come nothing is known: a server answers with what it saw last, or with nothing. */
const instantWithin = (now: number, time: string | undefined, asOf: string): number => {
  const at = secondsOf(time ?? asOf);
  if (time !== undefined && at > now + SKEW_SECONDS) throw new ArgumentsRefused('time: must be in the past');
  return Math.min(at, now);
};

type Windowed = Coverage & { window: Window; matched: number };
type Matrix = Extract<QueryData, { resultType: 'matrix' }>['result'];

const samplesOf = (result: Matrix, limit: number, own: Windowed): RawResult => {
  const all = result.map(({ metric, values }) => ({ ...nameAndLabels(metric), ...pointsOf(values) }));
  const ends = all.flatMap(({ points }) => [points[0], points.at(-1)]);
  const dataSpan = spanOf(ends.flatMap((point) => (point ? [instantOf(point[0])] : [])));
  const shown = all.slice(0, limit);
  return {
    kind: 'SERIES',
    series: shown.map(({ name, labels, points, notFinite }): Json => ({
      ...shownSeries(
        { name, unit: '', labels, stepSeconds: stepOf(points), points },
        pointsFor(shown.length),
      ),
      ...(notFinite > 0 ? { notFinite } : {}),
    })),
    ...own,
    window: { from: dataSpan?.from ?? own.window.from, to: own.window.to },
    dataSpan,
    untrustedPaths: ['/series/*/labels'],
  };
};

/** The usual distance of raw samples; a series of one has none. */
const stepOf = (points: readonly MetricPoint[]): number => {
  const [first, last] = [points[0], points.at(-1)];
  return first && last && points.length > 1
    ? Math.max(1, Math.round((last[0] - first[0]) / (points.length - 1)))
    : 1;
};

const coverage = (own: {
  query: string;
  at: number;
  partial: boolean;
  limitHit: boolean;
}): Coverage & { window: Window } => ({
  scope: scopeOf({ filter: filterText({ query: own.query }) }),
  // An instant looks back five minutes for the newest sample of each series.
  window: { from: instantOf(own.at - 300), to: instantOf(own.at + 0.001) },
  dataSpan: null,
  limitHit: own.limitHit,
  sampled: false,
  partial: own.partial,
  permissionFiltered: false,
  selectorKnown: true,
  suggestions: [],
  untrustedPaths: ['/rows/*/metric'],
});
