import { foldText } from './fold-text';
import { stringsOf } from './json-pointer';
import { takeClockTimes, type ClockTime } from './clock-times';
import { takeCjkNumbers, takeNumberWords } from './number-words';
import { NumberSet } from './number-set';
import type { Reading } from './prose-numbers';
import { offsetAt } from './zone-offset';

/** From this many significant digits on a figure may be a rounding of what stands in the evidence; below, it must stand there. */
const ROUNDING_DIGITS_MIN = 3;
const RELATIVE_EPSILON = 1e-9;

export const readingTolerance = (reading: Reading): number => {
  const exact = Math.abs(reading.value) * RELATIVE_EPSILON;
  return reading.digits >= ROUNDING_DIGITS_MIN ? Math.max(exact, reading.resolution / 2) : exact;
};

const ASCII = /^[\x00-\x7f]*$/; // eslint-disable-line no-control-regex
const EPOCH_SECONDS = { min: 1e9, max: 4e9 };
/** Stands between the strings of a document, so that no quote reaches from one into the next. */
const STRING_SEPARATOR = '\u0001';

/**
 * One text of the ledger (a projection, or what is known about its call), prepared lazily for the questions that rules ask. Everything
 * is computed once per text, whatever the number of analyses that cite it.
 */
export class TextIndex {
  #numbers: NumberSet | undefined;
  #spelt: number[] | undefined;
  #haystack: string | undefined;
  #strings: string | undefined;
  #times: ClockTime[] | undefined;
  #epochs: number[] | undefined;

  constructor(
    readonly text: string,
    readonly document: unknown,
  ) {}

  hasNumber(reading: Reading): boolean {
    const tolerance = readingTolerance(reading);
    return this.numbers().hasWithin(reading.value - tolerance, reading.value + tolerance);
  }

  /** Asked second, since it is slower: numbers that the text spells out (`five minutes`). */
  hasSpeltNumber(reading: Reading): boolean {
    if (!this.#spelt) {
      const spelt: number[] = [];
      const rest = takeNumberWords(this.strings(), (_, value) => spelt.push(value));
      takeCjkNumbers(rest, (_, value) => spelt.push(value));
      this.#spelt = spelt;
    }
    const tolerance = readingTolerance(reading);
    return this.#spelt.some((value) => Math.abs(value - reading.value) <= tolerance);
  }

  hasTime(time: ClockTime, zone: string): boolean {
    const grain = time.toTheSecond ? 1 : 60;
    const same = (a: number, b: number) => Math.floor(a / grain) === Math.floor(b / grain);
    if (this.holdsAsWritten(time.raw.trim())) return true;
    // A time without date in the text is one in whatever zone it was written.
    const isWritten = (t: ClockTime) => time.isUtc === t.isUtc || t.epochMs === null;
    if (
      time.epochMs === null &&
      this.times().some((t) => isWritten(t) && same(t.secondsOfDay, time.secondsOfDay))
    )
      return true;
    return this.epochs().some((epochMs) => {
      if (time.epochMs !== null) return same(epochMs / 1000, time.epochMs / 1000);
      const daySeconds = Math.floor(epochMs / 1000) % 86_400;
      if (same(daySeconds, time.secondsOfDay)) return true;
      return !time.isUtc && same((daySeconds + offsetAt(zone, epochMs) + 86_400) % 86_400, time.secondsOfDay);
    });
  }

  private numbers(): NumberSet {
    this.#numbers ??= NumberSet.of(ASCII.test(this.text) ? this.text : this.text.normalize('NFKC'));
    return this.#numbers;
  }

  /** All strings of the document, undecorated. */
  strings(): string {
    this.#strings ??= stringsOf(this.document).join(STRING_SEPARATOR);
    return this.#strings;
  }

  /** What a quote is looked for in: each string as it reads, then the JSON text itself; folded. */
  haystack(): string {
    this.#haystack ??= foldText(`${this.strings()}${STRING_SEPARATOR}${this.text}`);
    return this.#haystack;
  }

  /** The usual case, and the cheap one: the time is copied. */
  private holdsAsWritten(raw: string): boolean {
    const strings = this.strings();
    const at = strings.indexOf(raw);
    return at >= 0 && !/[\d+]/.test(strings[at - 1] ?? '') && !/\d/.test(strings[at + raw.length] ?? '');
  }

  private times(): ClockTime[] {
    if (!this.#times) {
      const times: ClockTime[] = [];
      takeClockTimes(this.strings(), (time) => times.push(time));
      this.#times = times;
    }
    return this.#times;
  }

  private epochs(): number[] {
    if (this.#epochs) return this.#epochs;
    const epochs = this.times().flatMap((t) => (t.epochMs === null ? [] : [t.epochMs]));
    for (const value of this.numbers().large()) {
      if (value >= EPOCH_SECONDS.min && value <= EPOCH_SECONDS.max) epochs.push(value * 1000);
      else if (value >= EPOCH_SECONDS.min * 1000 && value <= EPOCH_SECONDS.max * 1000) epochs.push(value);
    }
    this.#epochs = epochs;
    return epochs;
  }
}
