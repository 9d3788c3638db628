import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, limitArgument, scopeOf } from '../incident/incident-tool';
import { suggestNames } from '../suggest-names';
import { PROJECTION_BYTES_MAX, TOOL_TIMEOUT_MS, defineTool, type ReadOnlyTool } from '../tool';
import type { MetricMetadata } from './prometheus-api';
import { PROMETHEUS, type PrometheusContext } from './prometheus-context';
import { selector } from './promql';
import { instantOf } from './samples';

const LIMIT_DEFAULT = 100;
const HELP_CHARS = 160;

const matching = (names: readonly string[], contains: string | undefined): string[] => {
  const needle = contains?.toLowerCase();
  return names
    .filter((name) => name !== '__name__' && (needle === undefined || name.toLowerCase().includes(needle)))
    .sort();
};

const row = (name: string, help: MetricMetadata): Json => {
  const [about] = help[name] ?? [];
  return about
    ? { name, type: about.type, unit: about.unit, help: about.help.slice(0, HELP_CHARS) }
    : { name };
};

export const prometheusLabels = ({ api, known, lookbackMs, nowMs }: PrometheusContext): ReadOnlyTool =>
  defineTool(
    {
      name: 'prometheus_labels',
      toolset: PROMETHEUS,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      description:
        'Shows what there is to ask for. Without arguments: metric names with type and help. With metric: the names of its labels. ' +
        'With label (and metric): the values of that label. contains narrows what is listed.',
      parameters: z.strictObject({
        metric: z.string().min(1).max(253).describe('Exact metric name.').optional(),
        label: z
          .string()
          .regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/)
          .describe('Name of a label.')
          .optional(),
        contains: z
          .string()
          .min(1)
          .max(200)
          .describe('Part of a name or value, compared without regard to case.')
          .optional(),
        limit: limitArgument(500, LIMIT_DEFAULT).optional(),
      }),
    },
    async ({ metric, label, contains, limit = LIMIT_DEFAULT }, { signal }) => {
      const end = nowMs() / 1_000;
      const range = { start: end - lookbackMs / 1_000, end };
      const metrics = await known.metricNames(range, signal);
      const isKnown = metric === undefined || metrics.has(metric);
      const selectors =
        metric === undefined ? [] : [selector([{ label: '__name__', op: '=', value: metric }])];
      const listsMetrics = metric === undefined && label === undefined;
      const told = listsMetrics
        ? { data: [...metrics], partial: false }
        : isKnown
          ? await api.labels(label ?? null, selectors, range, signal)
          : { data: [], partial: false };
      const found = matching(told.data, contains);
      const shown = found.slice(0, limit);
      // Help is an extra: a server without it still has names.
      const help: MetricMetadata = listsMetrics
        ? await api.metadata(signal).then(
            ({ data }) => data,
            () => ({}),
          )
        : {};
      return {
        kind: 'ROWS',
        matched: found.length,
        rows: shown.map((name) => row(name, help)),
        scope: scopeOf({ filter: filterText({ metric, label, contains }) }),
        window: { from: instantOf(range.start), to: instantOf(range.end) },
        dataSpan: null,
        limitHit: found.length > limit,
        sampled: false,
        partial: told.partial,
        permissionFiltered: false,
        selectorKnown: metric === undefined ? null : isKnown,
        suggestions: metric === undefined || isKnown ? [] : suggestNames(metric, metrics),
        untrustedPaths: ['/rows/*/name', '/rows/*/help'],
      };
    },
  );
