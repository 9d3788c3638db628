import { foldText } from './fold-text';
import { pointersWhere, resolvePointer } from './json-pointer';
import type { TextIndex } from './text-index';

export const QUOTE_CHARS_MIN = 8;

/** Marks that redaction and shortening leave behind: what stands on both sides of one was never one text. */
const MARK = /\[(?:REDACTED:|TRUNCATED)/;

export type QuoteProblem = { why: string; candidates: string[] };

/** Null when the quote is a piece of one string of the document (or of its JSON text), under the folding of rule 30. */
export const quoteProblem = (
  index: TextIndex,
  quote: string,
  path: string | undefined,
): QuoteProblem | null => {
  const folded = foldText(quote).trim();
  if (folded.length < QUOTE_CHARS_MIN)
    return { why: `a quote has at least ${QUOTE_CHARS_MIN} characters`, candidates: [] };
  if (MARK.test(quote))
    return { why: 'a quote cannot reach over a mark of redaction or shortening', candidates: [] };
  if (!index.haystack().includes(folded))
    return { why: 'this text does not stand in the output of the call', candidates: [] };
  if (path === undefined) return null;
  const at = resolvePointer(index.document, path);
  const text = at.found && typeof at.value === 'string' ? at.value : at.found ? JSON.stringify(at.value) : '';
  if (foldText(text).includes(folded)) return null;
  const candidates = pointersWhere(
    index.document,
    (value) => typeof value === 'string' && foldText(value).includes(folded),
  );
  return { why: 'this text stands in the output of the call, but not at this path', candidates };
};

/** Where the quote begins in the projection's text, in UTF-16 units; null when only the folded text holds it. */
export const quoteOffset = (projection: string, quote: string): number | null => {
  const literal = JSON.stringify(quote).slice(1, -1);
  const at = projection.indexOf(literal);
  return at < 0 ? null : at;
};
