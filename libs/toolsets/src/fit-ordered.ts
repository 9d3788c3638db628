import { canonicalJson, type Json } from '@inquest/contracts/canonical-json';
import { cutText, SHRINK_LEVELS, shrinkJson, TRUNCATION_MARK_START, type ShrinkLimits } from './shrink-json';

export type Fitted = { value: Json; cuts: number };

const bytesOf = (value: Json): number => Buffer.byteLength(canonicalJson(value), 'utf8');

/** Room for a mark that says how much was left out, with its comma and, for a member, its key. */
const MARK_BYTES = 64;
const GENTLE = SHRINK_LEVELS[0] as ShrinkLimits;

/** As much of a text as fits, or null where a mark alone would not. */
const fitText = (text: string, bytesMax: number): Fitted | null => {
  // A character may need six bytes once it is escaped, and the mark its own.
  for (const chars of [
    bytesMax - MARK_BYTES,
    Math.floor(bytesMax / 2),
    Math.floor((bytesMax - MARK_BYTES) / 6),
  ]) {
    if (chars < 1) continue;
    const value = cutText(text, chars);
    if (bytesOf(value) <= bytesMax) return { value, cuts: value === text ? 0 : 1 };
  }
  return null;
};

/** What needs more than there is gets half of it, so that something is left for those behind. */
const fitWithin = (value: Json, left: number): Fitted | null =>
  whole(value, left) ?? fitOrdered(value, Math.floor(left / 2));

const whole = (value: Json, bytesMax: number): Fitted | null => {
  const shrunk = shrinkJson(value, GENTLE);
  return bytesOf(shrunk.value) <= bytesMax ? shrunk : null;
};

const fitItems = (items: readonly Json[], bytesMax: number): Fitted | null => {
  const kept: Json[] = [];
  let [left, cuts] = [bytesMax - 2 - MARK_BYTES, 0];
  if (left < 0) return null;
  for (const item of items) {
    const fitted = fitWithin(item, left - 1);
    if (fitted === null) break;
    kept.push(fitted.value);
    cuts += fitted.cuts;
    left -= bytesOf(fitted.value) + 1;
  }
  const dropped = items.length - kept.length;
  if (dropped === 0) return { value: kept, cuts };
  return { value: [...kept, `${TRUNCATION_MARK_START} ${dropped} items]`], cuts: cuts + 1 };
};

const fitMembers = (entries: readonly (readonly [string, Json])[], bytesMax: number): Fitted | null => {
  const kept: [string, Json][] = [];
  let [left, cuts] = [bytesMax - 2 - MARK_BYTES, 0];
  if (left < 0) return null;
  for (const [key, item] of entries) {
    const keyBytes = bytesOf(key) + 2;
    const fitted = fitWithin(item, left - keyBytes);
    // A large one behind a small room: a smaller one may follow that fits.
    if (fitted === null) continue;
    kept.push([key, fitted.value]);
    cuts += fitted.cuts;
    left -= keyBytes + bytesOf(fitted.value);
  }
  const dropped = entries.length - kept.length;
  if (dropped === 0) return { value: Object.fromEntries(kept), cuts };
  kept.push([`${TRUNCATION_MARK_START}]`, `${dropped} members`]);
  return { value: Object.fromEntries(kept), cuts: cuts + 1 };
};

/**
 * A smaller value of the same shape whose canonical JSON is within `bytesMax`, or null where not even its marks are. What
 * stands first is kept first, so that the order of members and items says what matters; `cuts` counts the places where
 * something was left out.
 */
export const fitOrdered = (value: Json, bytesMax: number): Fitted | null => {
  const asIs = whole(value, bytesMax);
  if (asIs !== null) return asIs;
  if (typeof value === 'string') return fitText(value, bytesMax);
  if (Array.isArray(value)) return fitItems(value, bytesMax);
  if (value === null || typeof value !== 'object') return null;
  return fitMembers(Object.entries(value), bytesMax);
};
