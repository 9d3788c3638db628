import type { ClockTime } from './clock-times';
import { offsetAt } from './zone-offset';

/**
 * How a written time relates to the moments of the evidence (rule 21):
 * RIGHT       it is one of them: with its own offset, or without one in the run's zone
 * UNLABELLED  it is one of them in another zone, and does not say so
 * MISLABELLED it is one of them but for its offset: a local time called UTC, or the zone applied twice
 * ABSENT      it is none of them
 */
export type TimeReading = 'RIGHT' | 'UNLABELLED' | 'MISLABELLED' | 'ABSENT';

const DAY = 86_400;
const dayOf = (seconds: number): number => ((seconds % DAY) + DAY) % DAY;

/** Compares at the grain of what was written: a minute where no seconds are. */
const grainOf = (a: ClockTime, b: { toTheSecond: boolean }): number =>
  a.toTheSecond && b.toTheSecond ? 1 : 60;

const sameOfDay = (a: number, b: number, grain: number): boolean =>
  Math.floor(dayOf(a) / grain) === Math.floor(dayOf(b) / grain);

const sameMs = (a: number, b: number, grain: number): boolean =>
  Math.floor(a / 1000 / grain) === Math.floor(b / 1000 / grain);

/** Whether the claimed date and time, or the time alone where no date is claimed, is this local moment. */
const isLocally = (time: ClockTime, localMs: number, grain: number): boolean =>
  time.localMs === null
    ? sameOfDay(localMs / 1000, time.secondsOfDay, grain)
    : sameMs(localMs, time.localMs, grain);

/** Of a moment that the evidence knows exactly. `writtenOffset` is the offset that it wrote, in seconds. */
const readingOfInstant = (
  time: ClockTime,
  epochMs: number,
  writtenOffset: number,
  zone: string,
  toTheSecond: boolean,
): TimeReading => {
  const grain = grainOf(time, { toTheSecond });
  const zoneOffset = offsetAt(zone, epochMs);
  const at = (offsetSeconds: number) => isLocally(time, epochMs + offsetSeconds * 1000, grain);
  if (time.offsetSeconds !== null) {
    if (at(time.offsetSeconds)) return 'RIGHT';
    return at(zoneOffset) || at(writtenOffset) || at(2 * zoneOffset) ? 'MISLABELLED' : 'ABSENT';
  }
  if (at(zoneOffset)) return 'RIGHT';
  if (at(0) || at(writtenOffset)) return 'UNLABELLED';
  return at(2 * zoneOffset) ? 'MISLABELLED' : 'ABSENT';
};

/** Of a time that the evidence writes without an offset: nobody can say in which zone, so that only its figures count. */
const readingOfNaive = (time: ClockTime, evidence: ClockTime): TimeReading => {
  const grain = grainOf(time, evidence);
  const isSame =
    time.localMs !== null && evidence.localMs !== null
      ? sameMs(time.localMs, evidence.localMs, grain)
      : sameOfDay(time.secondsOfDay, evidence.secondsOfDay, grain);
  return isSame ? 'RIGHT' : 'ABSENT';
};

/** Of a time of day with an offset and without a date. */
const readingOfOffsetOnly = (time: ClockTime, evidence: ClockTime): TimeReading => {
  const grain = grainOf(time, evidence);
  const utc = evidence.secondsOfDay - (evidence.offsetSeconds ?? 0);
  if (time.offsetSeconds !== null)
    return sameOfDay(time.secondsOfDay - time.offsetSeconds, utc, grain) ? 'RIGHT' : 'ABSENT';
  return sameOfDay(time.secondsOfDay, evidence.secondsOfDay, grain) ? 'UNLABELLED' : 'ABSENT';
};

const BETTER: Record<TimeReading, number> = { RIGHT: 3, UNLABELLED: 2, MISLABELLED: 1, ABSENT: 0 };

export const betterReading = (a: TimeReading, b: TimeReading): TimeReading =>
  BETTER[a] >= BETTER[b] ? a : b;

/** The best reading of a claimed time among the written times of a text. */
export const readingAmong = (time: ClockTime, evidence: readonly ClockTime[], zone: string): TimeReading => {
  let best: TimeReading = 'ABSENT';
  for (const moment of evidence) {
    const reading =
      moment.epochMs !== null
        ? readingOfInstant(time, moment.epochMs, moment.offsetSeconds ?? 0, zone, moment.toTheSecond)
        : moment.offsetSeconds !== null
          ? readingOfOffsetOnly(time, moment)
          : readingOfNaive(time, moment);
    if (reading === 'RIGHT') return reading;
    best = betterReading(best, reading);
  }
  return best;
};

/** The same among numbers that count from the epoch, in ms. */
export const readingAmongEpochs = (time: ClockTime, epochs: Iterable<number>, zone: string): TimeReading => {
  let best: TimeReading = 'ABSENT';
  for (const epochMs of epochs) {
    const reading = readingOfInstant(time, epochMs, 0, zone, true);
    if (reading === 'RIGHT') return reading;
    best = betterReading(best, reading);
  }
  return best;
};
