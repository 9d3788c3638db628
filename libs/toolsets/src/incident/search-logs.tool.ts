import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { LogLevel, type LogLine } from '../incident-format';
import { logPatterns } from '../log-patterns';
import { shownLines } from '../shown-lines';
import {
  FromArgument,
  ServiceArgument,
  ToArgument,
  coverageOf,
  filterText,
  incidentTool,
  limitArgument,
  scopeOf,
  searchedWindow,
  spanOf,
} from './incident-tool';

const LIMIT_DEFAULT = 40;

const countsBy = (lines: readonly LogLine[], key: 'service' | 'level'): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line[key], (counts.get(line[key]) ?? 0) + 1);
  return Object.fromEntries(counts);
};

export const searchLogs = incidentTool(
  {
    name: 'search_logs',
    description:
      'Searches log lines by service, level, text and time. Besides the rows it returns a summary over everything that matched: ' +
      'counts by service and level, and the most frequent message patterns with their count, first and last time and an example. ' +
      'Start with level WARN or ERROR and no service to see what complains; then look at one service around the time it began.',
    parameters: z.strictObject({
      service: ServiceArgument.optional(),
      level: LogLevel.describe('This level or a graver one.').optional(),
      contains: z
        .string()
        .min(1)
        .max(200)
        .describe('Text in the message, compared without regard to case.')
        .optional(),
      from: FromArgument.optional(),
      to: ToArgument.optional(),
      order: z
        .enum(['oldest', 'newest'])
        .describe('Which rows come first when there are more than the limit (default oldest).')
        .optional(),
      limit: limitArgument(200, LIMIT_DEFAULT).optional(),
    }),
  },
  async (
    { service, level, contains, from, to, order = 'oldest', limit = LIMIT_DEFAULT },
    { source, signal, redactor },
  ) => {
    const window = searchedWindow((await source.extent(signal)).window, from, to);
    const page = await source.searchLogs({ service, level, contains, window, order }, signal);
    const lines = shownLines(page.items, contains, redactor);
    const { patterns, others } = logPatterns(lines);
    return {
      kind: 'ROWS',
      matched: page.matched === null ? null : page.matched - (page.items.length - lines.length),
      rows: lines.slice(0, limit) as Json[],
      ...(lines.length === 0
        ? {}
        : {
            summary: {
              byLevel: countsBy(lines, 'level'),
              byService: countsBy(lines, 'service'),
              patterns: patterns as Json[],
              otherPatternLines: others,
            },
          }),
      ...coverageOf(page, {
        scope: scopeOf({ service, filter: filterText({ level, contains }) }),
        window,
        // A source hands its lines out in the order of time, one way or the other.
        dataSpan: spanOf([lines[0], lines.at(-1)].flatMap((line) => line?.time ?? [])),
        untrustedPaths: ['/rows/*/message', '/summary/patterns/*/pattern', '/summary/patterns/*/example'],
      }),
      limitHit: page.limitHit || lines.length > limit,
    };
  },
);
