import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, limitArgument, scopeOf } from '../incident/incident-tool';
import { suggestNames } from '../suggest-names';
import type { ReadOnlyTool } from '../tool';
import { selectorOf } from './logql';
import type { LokiContext } from './loki-context';
import { outOfBounds } from './read-lines';
import { LabelArgument, LabelsArgument, lokiTool, WINDOW_ARGUMENTS, windowOf } from './loki-tool';

const LIMIT_DEFAULT = 100;

type Found = { rows: Json[]; isKnown: boolean | null; suggestions: string[] };

/** Streams of some labels, or the values of one label, or the names of all labels. */
const found = async (
  { api, config }: LokiContext,
  { label, labels }: { label?: string; labels?: Record<string, string> },
  window: { from: string; to: string },
  signal: AbortSignal,
): Promise<Found> => {
  if (outOfBounds(labels ?? {}, config.matchers).length > 0)
    return { rows: [], isKnown: false, suggestions: [] };
  const equal = { ...labels, ...config.matchers };
  if (labels !== undefined && Object.keys(equal).length > 0) {
    const series = await api.series(selectorOf({ equal }), window, signal);
    const streams = label === undefined ? series : series.filter((stream) => Object.hasOwn(stream, label));
    const values = new Set(streams.flatMap((stream) => (label === undefined ? [] : (stream[label] ?? []))));
    return {
      rows:
        label === undefined
          ? streams.map((stream) => ({ labels: stream }))
          : [...values].sort().map((value) => ({ value })),
      // Streams of labels that no stream bears: that there is none is all that is known.
      isKnown: series.length > 0 ? true : false,
      suggestions: [],
    };
  }
  const names = await api.labelNames(window, signal);
  if (label === undefined)
    return { rows: [...names].sort().map((name) => ({ label: name })), isKnown: null, suggestions: [] };
  if (!names.includes(label)) return { rows: [], isKnown: false, suggestions: suggestNames(label, names) };
  const values = await api.labelValues(label, window, signal);
  return { rows: [...values].sort().map((value) => ({ value })), isKnown: true, suggestions: [] };
};

export const lokiLabels = (context: LokiContext): ReadOnlyTool =>
  lokiTool(
    {
      name: 'loki_labels',
      description:
        'Shows by which labels logs can be found: all label names; with label its values; with labels the streams that bear them (and with both the values within those streams). ' +
        'Use it before loki_search, and where a search names something unknown.',
      parameters: z.strictObject({
        label: LabelArgument.describe('Name of the label whose values are shown.').optional(),
        labels: LabelsArgument.optional(),
        contains: z
          .string()
          .min(1)
          .max(200)
          .describe('Part of the name or value, without regard to case.')
          .optional(),
        ...WINDOW_ARGUMENTS,
        limit: limitArgument(500, LIMIT_DEFAULT).optional(),
      }),
    },
    async ({ label, labels, contains, from, to, limit = LIMIT_DEFAULT }, { signal }) => {
      const window = windowOf(context, { from, to });
      const { rows, isKnown, suggestions } = await found(context, { label, labels }, window, signal);
      const matching = rows.filter(
        (row) => contains === undefined || JSON.stringify(row).toLowerCase().includes(contains.toLowerCase()),
      );
      return {
        kind: 'ROWS',
        matched: matching.length,
        rows: matching.slice(0, limit),
        scope: scopeOf({ filter: filterText({ ...labels, label, contains }) }),
        window,
        dataSpan: null,
        limitHit: matching.length > limit,
        sampled: false,
        partial: false,
        permissionFiltered: false,
        selectorKnown: isKnown,
        suggestions,
        untrustedPaths: [],
      };
    },
  );
