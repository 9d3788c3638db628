import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { coverageOf, filterText, limitArgument, scopeOf, spanOf } from '../incident/incident-tool';
import { LogLevel, type LogLine } from '../incident-format';
import { logPatterns } from '../log-patterns';
import { shownLines } from '../shown-lines';
import type { ReadOnlyTool } from '../tool';
import type { LokiContext } from './loki-context';
import { LabelsArgument, lokiTool, WINDOW_ARGUMENTS, windowOf } from './loki-tool';
import { readLines } from './read-lines';

const LIMIT_DEFAULT = 40;
const Text = z.string().min(1).max(200);

const countsBy = (lines: readonly LogLine[], key: 'service' | 'level'): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line[key], (counts.get(line[key]) ?? 0) + 1);
  return Object.fromEntries(counts);
};

/** A line counts as found only by what is shown of it, and so for each of several texts. */
const shownOf = (
  lines: readonly LogLine[],
  texts: readonly string[],
  redactor: Parameters<typeof shownLines>[2],
): LogLine[] =>
  texts.length === 0
    ? shownLines(lines, undefined, redactor)
    : texts.reduce((kept, text) => shownLines(kept, text, redactor), [...lines]);

export const lokiSearch = (context: LokiContext): ReadOnlyTool =>
  lokiTool(
    {
      name: 'loki_search',
      description:
        'Searches log lines of the streams with given labels. Like search_logs, and narrower: any label, several texts at once, texts that must not occur. ' +
        'Besides rows it returns a summary over the lines that were read: counts by service and level, and the most frequent patterns with count, first and last time and an example. ' +
        'To see further lines, ask again with from set to the time of the last row, or exclude a frequent pattern with without.',
      parameters: z.strictObject({
        labels: LabelsArgument,
        contains: z
          .array(Text)
          .max(5)
          .describe('Texts that a line holds, all of them, compared without regard to case.')
          .optional(),
        without: z.array(Text).max(5).describe('Texts that a line does not hold.').optional(),
        level: LogLevel.describe('This level or a graver one.').optional(),
        ...WINDOW_ARGUMENTS,
        order: z
          .enum(['oldest', 'newest'])
          .describe('Which lines are read and come first (default oldest).')
          .optional(),
        limit: limitArgument(200, LIMIT_DEFAULT).optional(),
      }),
    },
    async (args, { signal, redactor }) => {
      const { labels, contains = [], without = [], level, order = 'oldest', limit = LIMIT_DEFAULT } = args;
      const window = windowOf(context, args);
      const page = await readLines(context, { labels, contains, without, level, window, order }, signal);
      const lines = shownOf(page.items, contains, redactor);
      const { patterns, others } = logPatterns(lines);
      const filter = filterText({
        ...labels,
        level,
        contains: contains.length > 0 ? contains.join(' & ') : undefined,
        without: without.length > 0 ? without.join(' | ') : undefined,
      });
      return {
        kind: 'ROWS',
        matched: page.matched === null ? null : lines.length,
        rows: lines.slice(0, limit) as Json[],
        ...(lines.length === 0
          ? {}
          : {
              summary: {
                linesRead: page.items.length,
                byLevel: countsBy(lines, 'level'),
                byService: countsBy(lines, 'service'),
                patterns: patterns as Json[],
                otherPatternLines: others,
              },
            }),
        ...coverageOf(page, {
          scope: scopeOf({ filter }),
          window,
          dataSpan: spanOf([lines[0], lines.at(-1)].flatMap((line) => line?.time ?? [])),
          untrustedPaths: ['/rows/*/message', '/summary/patterns/*/pattern', '/summary/patterns/*/example'],
        }),
        limitHit: page.limitHit || lines.length > limit,
      };
    },
  );
