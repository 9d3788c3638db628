import type { LogLine } from './incident-format';
import { cutText } from './shrink-json';

/** Lines that differ only in numbers, ids and quoted values, taken together. */
export type LogPattern = {
  pattern: string;
  /** The first such message as it was logged: patterns cannot be quoted. */
  example: string;
  level: string;
  service: string;
  count: number;
  firstAt: string;
  lastAt: string;
};

const PATTERNS_MAX = 12;
const PATTERN_CHARS_MAX = 240;
const EXAMPLE_CHARS_MAX = 300;

/** Numbers and hexadecimal ids become `#`. */
export const patternOf = (message: string): string =>
  message
    .slice(0, 2 * PATTERN_CHARS_MAX)
    .replace(/\b[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}\b/gi, '#')
    .replace(/\d+(?:\.\d+)?/g, '#')
    .slice(0, PATTERN_CHARS_MAX);

type Group = { key: string; pattern: string };

/** A source hands out the same line objects again and again; what they are grouped by is worked out once. */
const known = new WeakMap<LogLine, Group>();

const groupOf = (line: LogLine): Group => {
  const found = known.get(line);
  if (found) return found;
  const pattern = patternOf(line.message);
  const group = { key: `${line.service}\n${line.level}\n${pattern}`, pattern };
  known.set(line, group);
  return group;
};

/** The most frequent patterns, the frequent ones first; `others` counts the lines of all that are left out. */
export const logPatterns = (lines: readonly LogLine[]): { patterns: LogPattern[]; others: number } => {
  const groups = new Map<string, LogPattern>();
  for (const line of lines) {
    const { service, level, message, time } = line;
    const { key, pattern } = groupOf(line);
    const group = groups.get(key);
    if (!group) {
      groups.set(key, {
        pattern,
        example: cutText(message, EXAMPLE_CHARS_MAX),
        level,
        service,
        count: 1,
        firstAt: time,
        lastAt: time,
      });
      continue;
    }
    group.count += 1;
    if (time < group.firstAt) {
      group.firstAt = time;
      group.example = cutText(message, EXAMPLE_CHARS_MAX);
    }
    if (time > group.lastAt) group.lastAt = time;
  }
  const all = [...groups.values()].sort((a, b) => b.count - a.count || (a.firstAt < b.firstAt ? -1 : 1));
  const others = all.slice(PATTERNS_MAX).reduce((sum, { count }) => sum + count, 0);
  return { patterns: all.slice(0, PATTERNS_MAX), others };
};
