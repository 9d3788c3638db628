import type { Analysis } from '@inquest/contracts/draft';
import { numbersClaimed } from './claimed-numbers';
import type { ClockTime } from './clock-times';
import type { Call } from './ledger-view';
import type { ProseItem } from './prose-items';
import type { Figure } from './prose-numbers';
import type { DraftView } from './rule';
import { readingTolerance, TextIndex } from './text-index';

/** Where the figures of one text may come from. */
export type Support = {
  calls: readonly Call[];
  has: (figure: Figure) => boolean;
  hasTime: (time: ClockTime) => boolean;
};

const callsOf = (view: DraftView, ids: readonly string[]): Call[] =>
  [...new Set(ids)].flatMap((id) => view.ledger.byId.get(id) ?? []);

const isNegative = ({ kind }: Analysis): boolean => kind === 'NEGATIVE_OBSERVATION';

/** Claimed scopes as text: rules 14, 19 and 20 have compared them with the calls. */
const scopeIndex = (analyses: readonly Analysis[]): TextIndex => {
  const scopes = analyses.flatMap(({ scope }) => (scope ? [scope] : []));
  return new TextIndex(JSON.stringify(scopes), scopes);
};

/**
 * The figures that an item of prose may use: typed facts and the outputs of the cited calls. Times may also be bounds of what
 * was asked. Limitations and negatives speak of the asking itself, so that for them all that describes the call counts.
 */
export const supportOf = (view: DraftView, item: ProseItem): Support => {
  const isLimitation = item.section === 'limitation';
  const { analyses } = item;
  const calls = callsOf(
    view,
    isLimitation ? item.toolCallIds : analyses.flatMap(({ toolCallIds }) => toolCallIds),
  );
  const outputs = calls.flatMap(({ index }) => (index ? [index] : []));
  const asking = isLimitation
    ? calls
    : callsOf(
        view,
        analyses.filter(isNegative).flatMap(({ toolCallIds }) => toolCallIds),
      );
  const scopes = scopeIndex(analyses);
  const texts = [
    ...outputs,
    ...asking.map(({ about }) => about),
    ...(analyses.some(isNegative) ? [scopes] : []),
  ];
  const claimed = analyses.flatMap(numbersClaimed).map(Math.abs);
  const { zone, asOf } = view.input;
  const timely = [
    ...outputs,
    ...calls.map(({ about }) => about),
    scopes,
    new TextIndex(JSON.stringify(asOf), asOf),
  ];
  return {
    calls,
    has: ({ readings }) =>
      readings.some((reading) =>
        claimed.some((value) => Math.abs(value - reading.value) <= readingTolerance(reading)),
      ) ||
      readings.some((reading) => texts.some((text) => text.hasNumber(reading))) ||
      readings.some((reading) => texts.some((text) => text.hasSpeltNumber(reading))),
    hasTime: (time) => timely.some((text) => text.hasTime(time, zone)),
  };
};
