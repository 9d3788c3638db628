import { foldText } from './fold-text';
import { leavesOf, pointersWhere, resolvePointer } from './json-pointer';
import type { TextIndex } from './text-index';

export const QUOTE_CHARS_MIN = 8;

/** Marks that redaction and shortening leave behind: what stands on both sides of one was never one text. */
const MARK = /\[(?:REDACTED|TRUNCATED)/;

export type QuoteProblem = { why: string; candidates: string[] };

/** JSON.stringify is recursive: a value nested beyond the stack has no text to quote. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '';
  }
};

/** Whether the string (or the JSON of the value) at a path holds a folded text whole, and not across a mark. */
const standsAt = (index: TextIndex, path: string, folded: string): boolean => {
  const at = resolvePointer(index.document, path);
  if (!at.found) return false;
  const text = typeof at.value === 'string' ? at.value : jsonOf(at.value);
  const pieces = MARK.test(text) ? text.split(/\[(?:REDACTED|TRUNCATED)[^\]]{0,120}\]/) : [text];
  return pieces.some((piece) => piece.includes(folded) || foldText(piece).includes(folded));
};

/** Places whose text shares the beginning or the end of a quote: where the right words may be found. */
const nearTo = (index: TextIndex, folded: string): string[] => {
  const half = Math.max(QUOTE_CHARS_MIN, Math.floor(folded.length / 2));
  const parts = [folded.slice(0, half), folded.slice(-half)];
  return pointersWhere(
    index.document,
    (value) => typeof value === 'string' && parts.some((part) => foldText(value).includes(part)),
  );
};

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
  if (path !== undefined && standsAt(index, path, folded)) return null;
  if (!index.holdsText(folded))
    return {
      why: 'this text does not stand in the output of the call',
      candidates: nearTo(index, folded),
    };
  if (path === undefined) return null;
  const candidates = pointersWhere(
    index.document,
    (value) => typeof value === 'string' && foldText(value).includes(folded),
  );
  return { why: 'this text stands in the output of the call, but not at this path', candidates };
};

const jsonInside = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Where in an unfolded text a folded piece begins, in UTF-16 units: the shortest beginning after which the fold of the rest
 * starts with the piece. Folding never makes the beginning of a text depend on what follows it by more than a few characters.
 */
const unfoldedStart = (text: string, folded: string): number | null => {
  const at = foldText(text).indexOf(folded);
  if (at < 0) return null;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (foldText(text.slice(0, middle)).length < at) low = middle + 1;
    else high = middle;
  }
  for (let start = Math.max(0, low - 4); start <= Math.min(text.length, low + 4); start += 1) {
    if (foldText(text.slice(start)).startsWith(folded)) return start;
  }
  return null;
};

/**
 * Where the quote begins in the projection's text, in UTF-16 units, also where only its folded form stands there; null when
 * it stands nowhere.
 */
export const quoteOffset = (index: TextIndex, quote: string): number | null => {
  const { text: projection, document } = index;
  const exact = projection.indexOf(jsonInside(quote));
  if (exact >= 0) return exact;
  const folded = foldText(quote).trim();
  for (const { value } of leavesOf(document)) {
    if (typeof value !== 'string' || !foldText(value).includes(folded)) continue;
    const start = unfoldedStart(value, folded);
    const leaf = projection.indexOf(JSON.stringify(value));
    if (start !== null && leaf >= 0) return leaf + 1 + jsonInside(value.slice(0, start)).length;
  }
  // A piece of the JSON text itself, such as `"state":"Running"`.
  return unfoldedStart(projection, folded);
};
