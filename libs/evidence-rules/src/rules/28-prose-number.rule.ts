import { pointersWhere } from '../json-pointer';
import type { Call } from '../ledger-view';
import { proseItems } from '../prose-items';
import { proseFigures, type Figure } from '../prose-numbers';
import { supportOf } from '../prose-support';
import type { DraftView, Finding, Rule } from '../rule';
import { runNames } from '../run-names';
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

const nearIn = (figure: Figure, call: Call): string[] =>
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

/** Figures in prose occur in the facts or the cited outputs; there is no implicit arithmetic. */
export const proseNumber: Rule = {
  id: '28 PROSE_NUMBER',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const names = runNames(view);
    for (const item of proseItems(view.reading)) {
      if (item.section === 'answer') continue;
      const { numbers, times } = proseFigures(item.text, names);
      if (numbers.length + times.length === 0) continue;
      const support = supportOf(view, item);
      const at = { path: item.path, analysisId: item.id };
      for (const figure of numbers) {
        if (!support.has(figure)) yield { ...at, ...hintFor(view, figure, support.calls) };
      }
      for (const time of times) {
        if (support.hasTime(time)) continue;
        yield {
          ...at,
          message: `the time ${time.raw.trim().slice(0, 40)} stands neither in a cited output nor in its window`,
        };
      }
    }
  },
};
