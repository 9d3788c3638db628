import type { Analysis, DiagnosisDraft } from '@inquest/contracts/draft';
import { isSameTime } from '../clock-times';
import { hasWhole } from '../entity-names';
import { foldText, quotedSpans } from '../fold-text';
import { proseItems } from '../prose-items';
import { proseFigures, type Figure } from '../prose-numbers';
import { numbersClaimed } from '../claimed-numbers';
import { runNames } from '../run-names';
import type { DraftView, Finding, Rule } from '../rule';
import { readingTolerance } from '../text-index';

/** All that an analysis says: its text and its typed members. */
const wordsOf = (analysis: Analysis): string =>
  foldText(
    [
      analysis.text,
      ...(analysis.facts ?? []).map(({ value, unit }) => `${String(value)} ${unit ?? ''}`),
      ...(analysis.quotes ?? []).map(({ quote }) => quote),
      ...(analysis.entities ?? []).map(({ name }) => name),
    ].join(' \n '),
  );

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

const isAmong = (figure: Figure, values: readonly number[]): boolean =>
  figure.readings.some((reading) =>
    values.some((v) => Math.abs(Math.abs(v) - reading.value) <= readingTolerance(reading)),
  );

/** Names that the draft itself types as entities somewhere, in the conclusion but in none of its analyses. */
const strayEntities = (draft: DiagnosisDraft, conclusion: string, words: string): string[] => {
  const names = new Set(
    draft.analyses.flatMap(({ entities = [] }) => entities.map(({ name }) => foldText(name))),
  );
  return [...names].filter((name) => hasWhole(conclusion, name) && !hasWhole(words, name));
};

function* conclusionBeyondAnalyses(view: DraftView, draft: DiagnosisDraft): Generator<Finding> {
  const item = proseItems(view.reading)[0];
  if (!item) return;
  const { text, path, analyses } = item;
  const names = runNames(view);
  const words = analyses.map(wordsOf).join(' \n ');
  const figures = analyses.map((analysis) => proseFigures(analysis.text, names));
  const values = [
    ...analyses.flatMap(numbersClaimed),
    ...figures.flatMap(({ numbers }) =>
      numbers.flatMap(({ readings }) => readings.map(({ value }) => value)),
    ),
  ];
  const { numbers, times } = proseFigures(text, names);
  for (const figure of numbers) {
    if (!isAmong(figure, values))
      yield { path, message: 'the conclusion gives a number that none of its analyses gives' };
  }
  const said = figures.flatMap((f) => f.times);
  for (const time of times) {
    if (said.some((other) => isSameTime(other, time))) continue;
    yield { path, message: 'the conclusion gives a time that none of its analyses gives' };
  }
  for (const quote of quotedSpans(text)) {
    if (!words.includes(foldText(quote)))
      yield { path, message: 'the conclusion quotes what none of its analyses holds' };
  }
  for (const name of strayEntities(draft, foldText(text), words)) {
    yield { path, message: `the conclusion names ${name}, which none of its analyses names` };
  }
}

/** Every item can be told from the others, and the conclusion adds no number, time, quote or entity to its analyses. */
export const orphanText: Rule = {
  id: '10 ORPHAN_TEXT',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const { diagnosis } = view.reading;
    if (!diagnosis) return;
    yield* repeatedIds(diagnosis);
    yield* conclusionBeyondAnalyses(view, diagnosis);
  },
};
