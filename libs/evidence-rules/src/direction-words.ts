import type { Analysis, DerivedValue, Fact } from '@inquest/contracts/draft';
import { proseFigures } from './prose-numbers';

type Direction = 'UP' | 'DOWN';

const UP =
  /(?<![\p{L}-])(?:rose|rises?|risen|rising|increas(?:e|es|ed|ing)|grew|grows?|grown|growing|climb(?:s|ed|ing)?|jump(?:s|ed)?|went up|surged?|spiked?|up by|stieg|gestiegen|zugenommen)(?![\p{L}-])|上升|增加|增长|升高|上涨/iu;
const DOWN =
  /(?<![\p{L}-])(?:fell|falls?|fallen|falling|dropp(?:ed|ing)|drops?|decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|shrank|shrinks?|shrunk|went down|sank|sinks?|down by|fiel|gesunken|abgenommen)(?![\p{L}-])|下降|减少|降低|下跌/iu;
const NEGATED = /\b(?:not|never|no|without|nicht|kein\w*)\b|n't\b|[没不未]/i;
const SENTENCE = /[^.!?。！？;；\n]+(?:[.!?](?!\s|$)[^.!?。！？;；\n]*)*/gu;

/** A change that an analysis states in typed form, and the numbers by which a sentence speaks of it. */
export type TypedChange = { direction: Direction; numbers: number[]; at: string };

const LATER_KEYS: ReadonlyMap<string, string> = new Map([
  ['first', 'last'],
  ['before', 'after'],
  ['from', 'to'],
  ['old', 'new'],
]);

const split = (path: string): [parent: string, key: string] => {
  const at = path.lastIndexOf('/');
  return [path.slice(0, at), path.slice(at + 1)];
};

/** Whether `a` is a later value of the same thing than `b`; null when the paths do not tell. */
const isLater = (
  a: { toolCallId: string; path: string },
  b: { toolCallId: string; path: string },
): boolean | null => {
  const [[parentA, keyA], [parentB, keyB]] = [split(a.path), split(b.path)];
  if (a.toolCallId !== b.toolCallId || parentA !== parentB) return null;
  if (LATER_KEYS.get(keyB) === keyA) return true;
  return LATER_KEYS.get(keyA) === keyB ? false : null;
};

const directionOf = (change: number): Direction | null => (change > 0 ? 'UP' : change < 0 ? 'DOWN' : null);

const ofDerived = ({ op, operands, value }: DerivedValue): Direction | null => {
  if (op === 'pct_change') return directionOf(value);
  const [a, b] = operands;
  const later = op === 'diff' && a && b ? isLater(a, b) : null;
  return later === null ? null : directionOf(later ? value : -value);
};

function* ofFacts(facts: readonly Fact[]): Generator<TypedChange> {
  for (const [k, earlier] of facts.entries()) {
    for (const later of facts) {
      if (typeof earlier.value !== 'number' || typeof later.value !== 'number') continue;
      if (earlier.unit !== later.unit || isLater(later, earlier) !== true) continue;
      const direction = directionOf(later.value - earlier.value);
      if (direction) yield { direction, numbers: [earlier.value, later.value], at: `facts/${k}` };
    }
  }
}

/** Derived changes, and pairs of facts that are the earlier and the later value of one thing. */
export const typedChanges = ({ facts = [], derived = [] }: Analysis): TypedChange[] => [
  ...derived.flatMap((item, k): TypedChange[] => {
    const direction = ofDerived(item);
    return direction ? [{ direction, numbers: [item.value], at: `derived/${k}` }] : [];
  }),
  ...ofFacts(facts),
];

const isSaidIn = (sentence: string, numbers: readonly number[]): boolean => {
  const { numbers: figures } = proseFigures(sentence);
  return numbers.every((n) =>
    figures.some(({ readings }) =>
      readings.some(({ value }) => Math.abs(value - Math.abs(n)) <= 1e-9 * Math.abs(n)),
    ),
  );
};

/** A figure of the first sentence that speaks of a change and says the other direction; null when none does. */
export const wrongDirection = (text: string, { direction, numbers }: TypedChange): string | null => {
  for (const sentence of text.match(SENTENCE) ?? []) {
    const [up, down] = [UP.test(sentence), DOWN.test(sentence)];
    if (up === down || NEGATED.test(sentence) || (up ? 'UP' : 'DOWN') === direction) continue;
    if (isSaidIn(sentence, numbers)) return String(Math.abs(numbers.at(-1) ?? 0));
  }
  return null;
};
