import type { Analysis, DiagnosisDraft } from '@inquest/contracts/draft';
import { numbersClaimed } from '../claimed-numbers';
import { isSameTime, type ClockTime } from '../clock-times';
import { hasWhole } from '../entity-names';
import { figuresIn } from '../figures-in';
import { foldText, quotedSpans } from '../fold-text';
import { proseItems, type ProseItem } from '../prose-items';
import type { Figure } from '../prose-numbers';
import { isHonestHedge } from '../prose-support';
import type { DraftView, Finding, Rule } from '../rule';
import { readingTolerance } from '../text-index';

/** All that an analysis says: its text and its typed members. */
const wordsOf = (analysis: Analysis): string =>
  [
    analysis.text,
    ...(analysis.facts ?? []).map(({ value, unit }) => `${String(value)} ${unit ?? ''}`),
    ...(analysis.quotes ?? []).map(({ quote }) => quote),
    ...(analysis.entities ?? []).map(({ name }) => name),
  ].join(' \n ');

function* repeatedIds(draft: DiagnosisDraft): Generator<Finding> {
  for (const key of ['actionPlan', 'recommendations', 'limitations'] as const) {
    const seen = new Set<string>();
    for (const [i, { id }] of draft[key].entries()) {
      if (seen.has(id))
        yield { path: `/${key}/${i}/id`, message: 'another item of this section has this id' };
      seen.add(id);
    }
  }
  const ranks = new Set<number>();
  for (const [i, { rank }] of (draft.candidates ?? []).entries()) {
    if (ranks.has(rank)) yield { path: `/candidates/${i}/rank`, message: 'another candidate has this rank' };
    ranks.add(rank);
  }
}

/** What the analyses say that an item binds. */
type Said = { words: string; numbers: number[]; times: ClockTime[] };

const saidBy = (view: DraftView, analyses: readonly Analysis[]): Said => {
  const figures = analyses.map(({ text }) => figuresIn(view, text));
  return {
    words: foldText(analyses.map(wordsOf).join(' \n ')),
    numbers: [
      ...analyses.flatMap(numbersClaimed),
      ...figures.flatMap(({ numbers }) =>
        numbers.flatMap(({ readings }) => readings.map(({ value }) => value)),
      ),
    ],
    times: figures.flatMap(({ times }) => times),
  };
};

const alone = new WeakMap<Analysis, Said>();

/** What one analysis says, for the search where a figure might have come from. */
const saidByOne = (view: DraftView, analysis: Analysis): Said => {
  const known = alone.get(analysis) ?? saidBy(view, [analysis]);
  alone.set(analysis, known);
  return known;
};

const isSaid = (figure: Figure, { words, numbers }: Said): boolean => {
  const isAmong = figure.readings.some((reading) =>
    numbers.some((v) => Math.abs(Math.abs(v) - reading.value) <= readingTolerance(reading)),
  );
  if (isAmong || !figure.hedge) return isAmong;
  return words.includes(foldText(figure.hedge.phrase)) || isHonestHedge(figure, numbers, []);
};

/** Names that the draft itself types as entities somewhere, in the conclusion but in none of its analyses. */
const strayEntities = (draft: DiagnosisDraft, conclusion: string, words: string): string[] => {
  const names = new Set(
    draft.analyses.flatMap(({ entities = [] }) => entities.map(({ name }) => foldText(name))),
  );
  return [...names].filter((name) => hasWhole(conclusion, name) && !hasWhole(words, name));
};

/** Analyses of the draft that the conclusion does not bind and that do say it: what binding them would put right. */
const saidElsewhere = (
  { analyses }: DiagnosisDraft,
  item: ProseItem,
  says: (analysis: Analysis) => boolean,
): string => {
  const ids = analyses.filter((analysis) => !item.analyses.includes(analysis) && says(analysis));
  return ids.length === 0
    ? ''
    : `; not bound and saying it: ${ids
        .slice(0, 8)
        .map(({ id }) => id)
        .join(', ')}`;
};

function* beyondAnalyses(view: DraftView, draft: DiagnosisDraft, item: ProseItem): Generator<Finding> {
  const { text, path } = item;
  const said = saidBy(view, item.analyses);
  const { numbers, times } = figuresIn(view, text);
  for (const figure of numbers) {
    if (isSaid(figure, said)) continue;
    const hint = saidElsewhere(draft, item, (analysis) => isSaid(figure, saidByOne(view, analysis)));
    yield { path, message: `the number ${figure.raw.slice(0, 24)} stands in none of its analyses${hint}` };
  }
  for (const time of times) {
    if (said.times.some((other) => isSameTime(other, time))) continue;
    const isIn = (analysis: Analysis) =>
      figuresIn(view, analysis.text).times.some((other) => isSameTime(other, time));
    const hint = saidElsewhere(draft, item, isIn);
    yield {
      path,
      message: `the time ${time.raw.trim().slice(0, 40)} stands in none of its analyses${hint}`,
    };
  }
  for (const quote of quotedSpans(text)) {
    if (!said.words.includes(foldText(quote)))
      yield { path, message: 'the conclusion quotes what none of its analyses holds' };
  }
  for (const name of strayEntities(draft, foldText(text), said.words)) {
    const hint = saidElsewhere(draft, item, (analysis) => hasWhole(foldText(wordsOf(analysis)), name));
    yield { path, message: `the conclusion names ${name}, which none of its analyses names${hint}` };
  }
}

export const orphanText: Rule = {
  id: '10 ORPHAN_TEXT',
  meaning:
    'Every item can be told from the others, and the conclusion adds no number, time, quote or entity to its analyses.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const { diagnosis } = view.reading;
    if (!diagnosis) return;
    yield* repeatedIds(diagnosis);
    for (const item of proseItems(view.reading))
      if (item.section === 'conclusion') yield* beyondAnalyses(view, diagnosis, item);
  },
};
