import { folded } from './fold';
import type { Exhibit } from './exhibit';
import type { Statement } from './statement';

const QUOTE_CHARS_MIN = 8;
const QUOTE_CHARS = 120;
const LEAD_CHARS = 24;
/** A quote never reaches across a mark of something left out. */
const MARK = /\[REDACTED[^\]]*\]?|\[truncated[^\]]*\]?|…|\\u[0-9a-f]{4}|\\./gi;

/** The piece of `text` around `at` that has no mark in it. */
const pieceAround = (text: string, at: number, length: number): string => {
  let from = Math.max(0, at - LEAD_CHARS);
  let to = Math.min(text.length, Math.max(at + length, from + QUOTE_CHARS));
  for (const mark of text.matchAll(MARK)) {
    const end = mark.index + mark[0].length;
    if (end <= at) from = Math.max(from, end);
    else if (mark.index >= at + length) {
      to = Math.min(to, mark.index);
      break;
    }
  }
  while (/[\uDC00-\uDFFF]/.test(text.charAt(from))) from += 1;
  while (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to).trim();
};

const termsOf = (statement: Statement): string[] => [
  ...statement.quotes,
  ...statement.identifiers,
  ...statement.times.map((time) => time.replace(/Z$/, '')),
  ...statement.numbers.map(({ value }) => String(value)),
  ...statement.words.filter((word) => word.length > 3),
];

const usable = (quote: string, exhibit: Exhibit): boolean =>
  quote.length >= QUOTE_CHARS_MIN && exhibit.support.includes(folded(quote));

/** The entry that holds the most of a statement's terms, and the first of them that it holds. */
const bestEntry = (terms: readonly string[], exhibits: readonly Exhibit[]) => {
  const held = exhibits.flatMap((exhibit) =>
    exhibit.entries.map((entry) => ({
      exhibit,
      entry,
      found: terms.filter((term) => entry.text.includes(term)),
    })),
  );
  return held.sort((a, b) => b.found.length - a.found.length)[0];
};

const fromBestEntry = (terms: readonly string[], exhibits: readonly Exhibit[]) => {
  const best = bestEntry(terms, exhibits);
  const [term] = best?.found ?? [];
  if (!best || term === undefined) return undefined;
  const start = best.exhibit.text.indexOf(best.entry.text);
  if (start < 0) return undefined;
  const quote = pieceAround(best.exhibit.text, start + best.entry.text.indexOf(term), term.length);
  return usable(quote, best.exhibit) ? { quote, toolCallId: best.exhibit.toolCallId } : undefined;
};

/** A verbatim piece of one of the projections, as near as possible to what the statement is about. */
export const quoteFor = (
  statement: Statement,
  exhibits: readonly Exhibit[],
): { quote: string; toolCallId: string } | undefined => {
  const near = fromBestEntry(termsOf(statement), exhibits);
  if (near) return near;
  for (const term of termsOf(statement)) {
    for (const exhibit of exhibits) {
      const at = exhibit.text.indexOf(term);
      if (at < 0) continue;
      const quote = pieceAround(exhibit.text, at, term.length);
      if (usable(quote, exhibit)) return { quote, toolCallId: exhibit.toolCallId };
    }
  }
  for (const exhibit of exhibits) {
    const quote = pieceAround(exhibit.text, 0, 1);
    if (usable(quote, exhibit)) return { quote, toolCallId: exhibit.toolCallId };
  }
  return undefined;
};
