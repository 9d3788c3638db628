import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, limitArgument, scopeOf, spanOf } from '../incident/incident-tool';
import { PROJECTION_BYTES_MAX, TOOL_TIMEOUT_MS, defineTool, type ReadOnlyTool } from '../tool';
import { SourceFailure } from '../incident-source';
import { PROMETHEUS, type PrometheusContext } from './prometheus-context';
import { instantOf, secondsOf } from './samples';

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
      const at = secondsOf(time ?? asOf);
      const { data, partial } = await api.query(query, at, signal);
      if (data.resultType === 'string') throw new SourceFailure('RESULT_UNUSABLE', 'the query gives a text');
      if (data.resultType === 'matrix')
        return {
          kind: 'ROWS',
          matched: data.result.length,
          rows: data.result
            .slice(0, limit)
            .map(({ metric, values }): Json => ({ metric, values: values.slice(-20) })),
          ...coverage({ query, at, partial, limitHit: data.result.length > limit }),
        };
      const rows = data.resultType === 'scalar' ? [{ metric: {}, value: data.result }] : data.result;
      const shown = rows
        .map(({ metric, value: [seconds, text] }) => {
          const value = Number(text);
          return { metric, value: Number.isFinite(value) ? value : text, at: instantOf(seconds) };
        })
        .sort((a, b) => Number(b.value) - Number(a.value) || 0);
      const judged =
        rows.length === 0
          ? await known.judge(
              query,
              { start: at - lookbackMs / 1_000, end: Math.max(at, nowMs() / 1_000) },
              signal,
            )
          : { selectorKnown: true, suggestions: [] };
      return {
        kind: 'ROWS',
        matched: rows.length,
        rows: shown.slice(0, limit) as Json[],
        ...coverage({ query, at, partial, limitHit: rows.length > limit }),
        ...judged,
        dataSpan: spanOf(shown.map((row) => row.at)),
      };
    },
  );

const coverage = (own: { query: string; at: number; partial: boolean; limitHit: boolean }) => ({
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
