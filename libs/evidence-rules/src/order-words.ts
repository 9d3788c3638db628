import type { ClockTime } from './clock-times';
import { proseFigures } from './prose-numbers';

/** `EARLIER`: what is named first in the sentence came first. */
export type Order = 'EARLIER' | 'LATER';

const WORDS: readonly [Order, string, string][] = [
  ['EARLIER', 'before|prior to|ahead of|preced(?:ed|es|ing)|earlier than|followed by|bevor|vor', '之前|先于|早于'],
  ['LATER', 'after|subsequent to|later than|nachdem|nach', '之后|晚于|以后'],
]; // prettier-ignore

const ORDER = new RegExp(
  WORDS.map(([, spaced, unspaced]) => `((?<![\\p{L}-])(?:${spaced})(?![\\p{L}-])|${unspaced})`).join('|'),
  'giu',
);
const SENTENCE = /[^.!?。！？;；\n]+(?:[.!?](?!\s|$)[^.!?。！？;；\n]*)*/gu;

const opposite: Record<Order, Order> = { EARLIER: 'LATER', LATER: 'EARLIER' };

export type OrderClaim = {
  order: Order;
  /** The two dated things in the order in which they are named; null where the sentence gives no time. */
  times: [ClockTime, ClockTime] | null;
};

const claimIn = (sentence: string): OrderClaim | null => {
  const found = [...sentence.matchAll(ORDER)];
  const [only] = found;
  // Two such words in one sentence are more than this rule can read.
  if (!only || found.length > 1) return null;
  const order = only[1] === undefined ? 'LATER' : 'EARLIER';
  const left = proseFigures(sentence.slice(0, only.index)).times;
  const right = proseFigures(sentence.slice(only.index + only[0].length)).times;
  const [first, second] = [left.at(-1), right[0]];
  if (first && second) return { order, times: [first, second] };
  // `After the deploy at 10:10, errors began at 10:14`: what is named first is what it came after.
  const opens = sentence.slice(0, only.index).trim() === '';
  if (opens && right[0] && right[1]) return { order: opposite[order], times: [right[0], right[1]] };
  return { order: opens ? opposite[order] : order, times: null };
};

/** What the sentences of a text claim about the order of two things. */
export const orderClaims = (text: string): OrderClaim[] =>
  text.search(ORDER) < 0 ? [] : (text.match(SENTENCE) ?? []).flatMap((sentence) => claimIn(sentence) ?? []);
