import type { Analysis } from '@inquest/contracts/draft';
import { numbersClaimed } from './claimed-numbers';
import type { ClockTime } from './clock-times';
import { hedgedRange, hedgeFits } from './hedges';
import type { Call } from './ledger-view';
import type { ProseItem } from './prose-items';
import type { Figure } from './prose-numbers';
import type { DraftView } from './rule';
import { readingTolerance, TextIndex } from './text-index';
import { betterReading, type TimeReading } from './time-readings';

/** Where the figures of one text may come from. */
export type Support = {
  calls: readonly Call[];
  has: (figure: Figure) => boolean;
  /** Whether a hedged figure is honest about one of the values (rule 29). */
  hedges: (figure: Figure) => boolean;
  readingOf: (time: ClockTime) => TimeReading;
};

const callsOf = (view: DraftView, ids: readonly string[]): Call[] =>
  [...new Set(ids)].flatMap((id) => view.ledger.byId.get(id) ?? []);

const isNegative = ({ kind }: Analysis): boolean => kind === 'NEGATIVE_OBSERVATION';

/** A typed value this close to a hedged figure is what the figure was meant for, right or wrong. */
const MEANT = 2;

const isClaimed = (figure: Figure, claimed: readonly number[]): boolean =>
  figure.readings.some((reading) =>
    claimed.some((value) => Math.abs(Math.abs(value) - reading.value) <= readingTolerance(reading)),
  );

/** Typed values decide where one is near; else whatever the texts hold does, the hedge itself included. */
export const isHonestHedge = (
  { hedge, readings }: Figure,
  claimed: readonly number[],
  texts: readonly TextIndex[],
): boolean => {
  if (!hedge) return true;
  const near = readings.flatMap(({ value }) =>
    claimed
      .filter((v) => Math.abs(v) <= MEANT * value && Math.abs(v) * MEANT >= value)
      .map((v) => hedgeFits(hedge.kind, value, v)),
  );
  if (near.some(Boolean)) return true;
  if (texts.some((text) => text.holdsText(hedge.phrase))) return true;
  if (near.length > 0) return false;
  return readings.some(({ value }) => {
    const [low, high] = hedgedRange(hedge.kind, value);
    return texts.some((text) => text.hasNumberWithin(low, high));
  });
};

const caches = new WeakMap<DraftView, Map<ProseItem, Support>>();

/** Over all texts the cheap question first: most figures are copied as they stand. */
export const standsIn = ({ readings, pieces }: Figure, texts: readonly TextIndex[]): boolean =>
  readings.some((reading) => texts.some((text) => text.showsNumber(reading))) ||
  (pieces?.every((piece) => standsIn(piece, texts)) ?? false) ||
  readings.some((reading) => texts.some((text) => text.hasNumber(reading))) ||
  readings.some((reading) => texts.some((text) => text.hasSpeltNumber(reading)));

const built = (view: DraftView, item: ProseItem): Support => {
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
  // Claimed scopes as text: rules 14, 19 and 20 have compared them with the calls.
  const scopes = new TextIndex(
    undefined,
    analyses.flatMap(({ scope }) => (scope ? [scope] : [])),
  );
  const { zone, asOf } = view.input;
  const texts = [
    ...outputs,
    ...asking.map(({ about }) => about),
    ...(analyses.some(isNegative) ? [scopes] : []),
  ];
  const timely = [...outputs, scopes, ...calls.map(({ about }) => about), new TextIndex(undefined, asOf)];
  const claimed = analyses.flatMap(numbersClaimed);
  return {
    calls,
    has: (figure) => isClaimed(figure, claimed) || standsIn(figure, texts),
    hedges: (figure) => isHonestHedge(figure, claimed, texts),
    readingOf: (time) => {
      if (timely.some((text) => text.showsTime(time))) return 'RIGHT';
      let best: TimeReading = 'ABSENT';
      for (const text of timely) {
        best = betterReading(best, text.readingOf(time, zone));
        if (best === 'RIGHT') break;
      }
      return best;
    },
  };
};

/**
 * The figures that an item of prose may use: typed facts and the outputs of the cited calls. Times may also be bounds of what
 * was asked. Limitations and negatives speak of the asking itself, so that for them all that describes the call counts.
 */
export const supportOf = (view: DraftView, item: ProseItem): Support => {
  const known = caches.get(view) ?? new Map<ProseItem, Support>();
  caches.set(view, known);
  const support = known.get(item) ?? built(view, item);
  known.set(item, support);
  return support;
};

/** Sections in which a hedge speaks of what was seen. Advice and negatives name thresholds: there rule 28 holds. */
export const mayHedge = ({ section, analyses }: ProseItem): boolean =>
  (section === 'conclusion' || section === 'analysis') && !analyses.every(isNegative);
