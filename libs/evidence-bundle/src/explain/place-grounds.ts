import type { ExplainedSentence, Ground } from '@inquest/contracts/explanation';
import type { Locale } from '@inquest/contracts/outcome';
import type { ReviewItem } from '@inquest/contracts/semantic-facts';
import type { ClockTime } from '@inquest/evidence-rules/clock-times';
import { hasWhole } from '@inquest/evidence-rules/entity-names';
import { foldText } from '@inquest/evidence-rules/fold-text';
import { proseFigures, type Figure } from '@inquest/evidence-rules/prose-numbers';
import { readingTolerance, TextIndex } from '@inquest/evidence-rules/text-index';
import type { Evidence, Leaf } from './evidence';
import { rulesOfGround } from './rules-of';
import { sentencesOf, type Sentence } from './sentences';

const SENTENCES_MAX = 200;
const MENTIONS_PER_SENTENCE_MAX = 32;

const saysNumber = (figures: readonly Figure[], value: number): boolean =>
  figures.some(({ readings }) =>
    readings.some((reading) => Math.abs(reading.value - Math.abs(value)) <= readingTolerance(reading)),
  );

const indexOfText = (value: string): TextIndex => new TextIndex(JSON.stringify(value), value);

/** What a sentence says in numbers and times, read once. */
type Said = { text: string; figures: readonly Figure[]; times: readonly ClockTime[]; zone: string };

const saysValue = (said: Said, value: unknown): boolean => {
  if (typeof value === 'number') return saysNumber(said.figures, value);
  if (Array.isArray(value)) return value.some((each) => saysValue(said, each));
  if (typeof value !== 'string' || value === '') return false;
  if (hasWhole(foldText(said.text), foldText(value))) return true;
  const index = /\d/.test(value) && said.times.length > 0 ? indexOfText(value) : null;
  return index !== null && said.times.some((time) => index.hasTime(time, said.zone));
};

/** Whether a sentence speaks of this very piece of evidence. */
const speaksOf = (said: Said, ground: Ground): boolean => {
  switch (ground.kind) {
    case 'QUOTE':
      return foldText(said.text).includes(foldText(ground.quote).trim());
    case 'FACT':
    case 'DERIVED':
      return saysValue(said, ground.stated);
    case 'ENTITY':
      return hasWhole(said.text, ground.name);
    case 'DOCUMENT':
      return said.text.includes(ground.documentId);
    case 'NUMBER':
    case 'CALL':
      return false;
  }
};

/** A figure or a time of the prose, with the ways to find it. */
type Mention = { raw: string; isIn: (index: TextIndex) => boolean; isAt: (leaf: Leaf) => boolean };

const mentionOf = ({ raw, readings }: Figure): Mention => ({
  raw,
  isIn: (index) => readings.some((reading) => index.hasNumber(reading)),
  isAt: ({ value, index }) =>
    typeof value === 'number'
      ? readings.some((reading) => Math.abs(reading.value - Math.abs(value)) <= readingTolerance(reading))
      : index !== null && readings.some((reading) => index.hasNumber(reading)),
});

const timeMention = (time: ClockTime, zone: string): Mention => ({
  raw: time.raw.trim(),
  isIn: (index) => index.hasTime(time, zone),
  isAt: ({ index: leaf }) => leaf !== null && leaf.hasTime(time, zone),
});

/** A number that no typed fact carries stands somewhere in a cited projection (rule 28): the first such place. */
const mentionGround = (
  mention: Mention,
  { section, cited }: Pick<PlacedItem, 'section' | 'cited'>,
  { evidence }: Placing,
): Ground[] => {
  for (const id of cited) {
    const entry = evidence.entry(id);
    const index = evidence.index(id);
    if (!entry || !index || !mention.isIn(index)) continue;
    const leaf = evidence.leaves(id).find((each) => mention.isAt(each));
    if (!leaf) continue;
    const rules = rulesOfGround('NUMBER', section);
    const at = { text: mention.raw.slice(0, 64), path: leaf.path, found: evidence.at(id, leaf.path) };
    return [{ kind: 'NUMBER', ...evidence.source(entry.toolCallId), ...at, analysisId: null, rules }];
  }
  return [];
};

export type PlacedItem = Pick<ReviewItem, 'text' | 'section'> & {
  /** Its own evidence. */
  grounds: readonly Ground[];
  /** Evidence of the analyses that it rests on. */
  borrowed: readonly Ground[];
  /** Calls in which its numbers may stand. */
  cited: readonly string[];
};
export type Placing = {
  locale: Locale;
  zone: string;
  evidence: Evidence;
  /** How many numbers and times may still be looked for in this report: the search is the one thing here that is not linear. */
  searches: { left: number };
};
export type Placed = { sentences: ExplainedSentence[]; rest: Ground[] };

/** Two analyses may state one value of several places: a few of them show where it comes from. */
const SAME_VALUE_MAX = 3;

const firstFew = (grounds: readonly Ground[]): Ground[] => {
  const seen = new Map<string, number>();
  return grounds.filter((ground) => {
    if (ground.kind !== 'FACT') return true;
    const times = (seen.get(JSON.stringify(ground.stated)) ?? 0) + 1;
    seen.set(JSON.stringify(ground.stated), times);
    return times <= SAME_VALUE_MAX;
  });
};

/** Calls that the sentence speaks of anyway come first: a number of theirs is more likely theirs. */
const nearestFirst = (cited: readonly string[], carried: readonly Ground[]): string[] => {
  const named = carried.flatMap((ground) => (ground.kind === 'DERIVED' ? [] : [ground.toolCallId as string]));
  return [...new Set([...named.filter((id) => cited.includes(id)), ...cited])];
};

const explainedSentence = (
  { text, at }: Sentence,
  item: PlacedItem,
  isOnly: boolean,
  placing: Placing,
): ExplainedSentence => {
  const names = item.grounds.flatMap((ground) => (ground.kind === 'ENTITY' ? [ground.name] : []));
  const { numbers, times } = proseFigures(text, names);
  const said: Said = { text, figures: numbers, times, zone: placing.zone };
  const own = item.grounds.filter((ground) => isOnly || speaksOf(said, ground));
  const carried = [...own, ...firstFew(item.borrowed.filter((ground) => speaksOf(said, ground)))];
  const typed = carried.flatMap((ground) =>
    ground.kind === 'FACT' || ground.kind === 'DERIVED' ? [ground.stated] : [],
  );
  const isTyped = (one: Partial<Said>): boolean =>
    typed.some((value) => saysValue({ ...said, text: '', figures: [], times: [], ...one }, value));
  const mentions = [
    ...numbers.filter((figure) => !isTyped({ figures: [figure] })).map(mentionOf),
    ...times.filter((time) => !isTyped({ times: [time] })).map((time) => timeMention(time, placing.zone)),
  ];
  const from = { section: item.section, cited: nearestFirst(item.cited, carried) };
  const wanted = mentions.slice(0, Math.min(MENTIONS_PER_SENTENCE_MAX, placing.searches.left));
  placing.searches.left -= wanted.length;
  const found = wanted.flatMap((mention) => mentionGround(mention, from, placing));
  return { text, at, grounds: [...carried, ...found].slice(0, 128) };
};

/**
 * Ties each ground to the sentences that speak of it, and finds the remaining numbers and times in the cited projections.
 * What no sentence names in so many words carries the item as a whole; where the item is one sentence, that is the same.
 */
export const placeGrounds = (item: PlacedItem, placing: Placing): Placed => {
  const placed = new Set<Ground>();
  const sentences = sentencesOf(item.text, placing.locale).slice(0, SENTENCES_MAX);
  const explained = sentences.map((sentence) => {
    const result = explainedSentence(sentence, item, sentences.length === 1, placing);
    result.grounds.forEach((ground) => placed.add(ground));
    return result;
  });
  return { sentences: explained, rest: item.grounds.filter((ground) => !placed.has(ground)) };
};
