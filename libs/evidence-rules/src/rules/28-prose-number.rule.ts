import type { Analysis } from '@inquest/contracts/draft';
import { numbersClaimed } from '../claimed-numbers';
import { pointersWhere } from '../json-pointer';
import type { Call } from '../ledger-view';
import { figuresIn } from '../figures-in';
import { proseItems } from '../prose-items';
import type { Figure } from '../prose-numbers';
import { mayHedge, supportOf } from '../prose-support';
import type { DraftView, Finding, Rule } from '../rule';
import { readingTolerance } from '../text-index';

/** A written figure that is this close to a value may have been meant for it. */
const NEAR = 0.25;

const standsIn = (figure: Figure, call: Call): string[] =>
  pointersWhere(call.index?.document, (value) =>
    figure.readings.some(
      (reading) =>
        typeof value === 'number' && Math.abs(Math.abs(value) - reading.value) <= readingTolerance(reading),
    ),
  );

/** Pointers of the values of cited outputs that a figure may have been meant for. */
export const nearIn = (figure: Figure, call: Call): string[] =>
  pointersWhere(call.index?.document, (value) =>
    figure.readings.some(
      (reading) =>
        typeof value === 'number' && Math.abs(Math.abs(value) - reading.value) <= NEAR * Math.abs(value),
    ),
  );

/** Where the right figure may be found: first where exactly it occurs, in whatever call; else what is near it in the cited ones. */
const hintFor = (
  view: DraftView,
  figure: Figure,
  cited: readonly Call[],
): Pick<Finding, 'message' | 'toolCallId' | 'candidates'> => {
  const what = `the number ${figure.raw.slice(0, 24)}`;
  for (const call of view.ledger.calls) {
    // The table of numbers answers at once; walking the document for the place is worth it only where there is one.
    if (!figure.readings.some((reading) => call.index?.hasNumber(reading))) continue;
    const candidates = standsIn(figure, call);
    if (candidates.length === 0) continue;
    return {
      message: `${what} stands in the output of a call that is not cited here`,
      toolCallId: call.toolCallId,
      candidates,
    };
  }
  for (const call of cited) {
    const candidates = nearIn(figure, call);
    if (candidates.length === 0) continue;
    return {
      message: `${what} stands neither in the facts nor in a cited output`,
      toolCallId: call.toolCallId,
      candidates,
    };
  }
  return { message: `${what} stands neither in the facts nor in a cited output` };
};

export const proseNumber: Rule = {
  id: '28 PROSE_NUMBER',
  meaning: 'Figures in prose occur in the facts or the cited outputs; there is no implicit arithmetic.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    for (const item of proseItems(view.reading)) {
      if (item.section === 'answer') continue;
      const { numbers, times } = figuresIn(view, item.text);
      if (numbers.length + times.length === 0) continue;
      const support = supportOf(view, item);
      const at = { path: item.path, analysisId: item.id };
      for (const figure of numbers) {
        // A hedged figure need not occur: rule 29 says how far it may be off.
        if (support.has(figure) || (figure.hedge && mayHedge(item))) continue;
        yield { ...at, ...hintFor(view, figure, support.calls) };
      }
      for (const time of times) {
        // What occurs in another zone is rule 21's.
        if (support.readingOf(time) !== 'ABSENT') continue;
        yield {
          ...at,
          message: `the time ${time.raw.trim().slice(0, 40)} stands neither in a cited output nor in its window`,
        };
      }
    }
  },
};

const isOneDigitOff = (a: string, b: string): boolean =>
  a.length >= 2 && a.length === b.length && [...a].filter((char, i) => char !== b[i]).length === 1;

const digitsOf = (value: number): string => String(Math.abs(value));

/** Figures that stand in the output, but one digit off a typed value that the text does not say. */
function* nearMisses(analysis: Analysis, figures: readonly Figure[]): Generator<Figure> {
  const typed = numbersClaimed(analysis).map(digitsOf);
  const said = new Set(figures.flatMap(({ readings }) => readings.map(({ value }) => digitsOf(value))));
  const unsaid = typed.filter((digits) => !said.has(digits));
  for (const figure of figures) {
    const written = figure.readings.map(({ value }) => digitsOf(value));
    if (written.some((digits) => typed.includes(digits))) continue;
    if (written.some((digits) => unsaid.some((other) => isOneDigitOff(digits, other)))) yield figure;
  }
}

/** What stands in a large output by chance may still be a slip: the judge is told where a typed value is one digit away. */
export const proseNumberNear: Rule = {
  id: '28 PROSE_NUMBER',
  meaning:
    'A figure that stands in the output is not one digit off a typed value of the analysis that its text does not say.',
  severity: 'SOFT',
  *check(view): Generator<Finding> {
    for (const [i, analysis] of (view.reading.diagnosis?.analyses ?? []).entries()) {
      const { numbers } = figuresIn(view, analysis.text);
      for (const figure of nearMisses(analysis, numbers)) {
        const message = `the number ${figure.raw.slice(0, 24)} is one digit off a typed value that the text does not say`;
        yield { path: `/analyses/${i}/text`, analysisId: analysis.id, message };
      }
    }
  },
};
