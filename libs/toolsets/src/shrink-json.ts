import type { Json } from '@inquest/contracts/canonical-json';

/** Every mark of a cut starts so; no quote of evidence may reach across one. */
export const TRUNCATION_MARK_START = '[TRUNCATED';

export type ShrinkLimits = { stringChars: number; items: number; members: number; depth: number };

/** From gentle to brutal; the last level fits any value into about 2 KB. */
export const SHRINK_LEVELS: readonly ShrinkLimits[] = [
  { stringChars: 2_000, items: 500, members: 500, depth: 24 },
  { stringChars: 500, items: 100, members: 100, depth: 12 },
  { stringChars: 200, items: 30, members: 60, depth: 8 },
  { stringChars: 100, items: 10, members: 30, depth: 5 },
  { stringChars: 40, items: 3, members: 12, depth: 3 },
  { stringChars: 30, items: 1, members: 6, depth: 2 },
];

const MARK = /\[(?:REDACTED|TRUNCATED)[^\]]{0,60}$/;

/** Cuts a text with an explicit mark, never inside a surrogate pair or inside another mark. */
export const cutText = (text: string, charsMax: number): string => {
  if (text.length <= charsMax) return text;
  const head = text
    .slice(0, charsMax)
    .replace(/[\uD800-\uDBFF]$/, '')
    .replace(MARK, '');
  return `${head}${TRUNCATION_MARK_START} ${text.length - head.length} characters]`;
};

/** A smaller value of the same shape; `cuts` counts the places where something was left out. */
export const shrinkJson = (value: Json, limits: ShrinkLimits): { value: Json; cuts: number } => {
  let cuts = 0;
  const shrink = (current: Json, depth: number): Json => {
    if (typeof current === 'string') {
      if (current.length > limits.stringChars) cuts += 1;
      return cutText(current, limits.stringChars);
    }
    if (current === null || typeof current !== 'object') return current;
    if (depth >= limits.depth) {
      cuts += 1;
      return `${TRUNCATION_MARK_START} ${Array.isArray(current) ? 'array' : 'object'}]`;
    }
    if (Array.isArray(current)) {
      const kept = current.slice(0, limits.items).map((item) => shrink(item, depth + 1));
      const left = current.length - kept.length;
      if (left === 0) return kept;
      cuts += 1;
      return [...kept, `${TRUNCATION_MARK_START} ${left} items]`];
    }
    const entries = Object.entries(current);
    const kept = entries
      .slice(0, limits.members)
      .map(([key, item]): [string, Json] => [cutText(key, limits.stringChars), shrink(item, depth + 1)]);
    if (entries.length > kept.length) {
      cuts += 1;
      kept.push([`${TRUNCATION_MARK_START}]`, `${entries.length - kept.length} members`]);
    }
    return Object.fromEntries(kept);
  };
  return { value: shrink(value, 0), cuts };
};
