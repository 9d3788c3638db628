import type { ClockTime } from './clock-times';
import { epochOf } from './epoch-units';
import { evidenceTimes } from './evidence-times';
import { foldText } from './fold-text';
import { stringsOf } from './json-pointer';
import { NumberSet } from './number-set';
import { takeCjkNumbers, takeNumberWords, takeScaledNumbers } from './number-words';
import type { Reading } from './prose-numbers';
import { betterReading, readingAmong, readingAmongEpochs, type TimeReading } from './time-readings';

/** From this many significant digits on a figure may be a rounding of what stands in the evidence; below, it must stand there. */
const ROUNDING_DIGITS_MIN = 3;
const RELATIVE_EPSILON = 1e-9;

export const readingTolerance = (reading: Reading): number => {
  const exact = Math.abs(reading.value) * RELATIVE_EPSILON;
  return reading.digits >= ROUNDING_DIGITS_MIN ? Math.max(exact, reading.resolution / 2) : exact;
};

/** Digits and signs in full-width form, which NFKC makes plain. */
const FULL_WIDTH = /[\uff01-\uff5e]/;
/** Up to here a text is prepared whole and kept; beyond, piece by piece, so that memory stays near the size of the text. */
const WHOLE_CHARS_MAX = 1_048_576;
const PIECE_CHARS = 65_536;
/** Stands between the strings of a document, so that no quote reaches from one into the next. */
const STRING_SEPARATOR = '\u0001';

/** Marks that redaction and shortening leave behind: what stands on both sides of one was never one text. */
const MARK = /\[(?:REDACTED|TRUNCATED)[^\]]{0,120}\]/g;
const MARK_STARTS = ['[REDACTED', '[TRUNCATED'];

/** `180` between characters that cannot belong to a name, a time, a date or a longer number. */
const isBoundary = (code: number): boolean =>
  Number.isNaN(code) ||
  code === 0x20 ||
  code === 0x22 ||
  code === 0x2c ||
  code === 0x5b ||
  code === 0x28 ||
  code === 0x3d;
const isEnd = (code: number): boolean =>
  Number.isNaN(code) ||
  code === 0x20 ||
  code === 0x22 ||
  code === 0x2c ||
  code === 0x5d ||
  code === 0x29 ||
  code === 0x7d;
const LONG_NUMBER = /(?<![\w.])\d{10,19}(?:\.\d{1,9})?(?!\w)/g;

const QUOTE = 0x22;
const COLON = 0x3a;

/**
 * Whether a plain number stands in a JSON text where nobody could take it for anything else. Finding one that does costs no
 * index; not finding one says nothing.
 */
const holdsPlainly = (text: string, value: number): boolean => {
  const digits = String(value);
  if (!/^\d{1,15}(?:\.\d{1,9})?$/.test(digits)) return false;
  let tries = 16;
  for (let at = text.indexOf(digits); at >= 0 && tries > 0; at = text.indexOf(digits, at + digits.length)) {
    tries -= 1;
    const before = text.charCodeAt(at - 1);
    const isMember = before === COLON && text.charCodeAt(at - 2) === QUOTE;
    if ((isMember || isBoundary(before)) && isEnd(text.charCodeAt(at + digits.length))) return true;
  }
  return false;
};

/**
 * One text of the ledger (a projection, or what is known about its call), prepared lazily for the questions that rules ask. Everything
 * is computed once per text, whatever the number of analyses that cite it; and what is copied from it is found without any preparation.
 */
export class TextIndex {
  #text: string | undefined;
  #numbers: NumberSet | undefined;
  #spelt: number[] | undefined;
  #haystack: string | undefined;
  #plain: string | undefined;
  #times: ClockTime[] | undefined;
  #epochs: number[] | undefined;
  #hasMarks: boolean | undefined;
  readonly #readings = new Map<string, TimeReading>();

  /** A missing text is the JSON of the document, written when it is first asked for. */
  constructor(
    text: string | undefined,
    readonly document: unknown,
  ) {
    this.#text = text;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.document) ?? '';
    return this.#text;
  }

  /** The cheap half of {@link hasNumber}: true is certain, false is not. */
  showsNumber(reading: Reading): boolean {
    return holdsPlainly(this.text, reading.value);
  }

  hasNumber(reading: Reading): boolean {
    if (this.showsNumber(reading)) return true;
    const tolerance = readingTolerance(reading);
    return this.hasNumberWithin(reading.value - tolerance, reading.value + tolerance);
  }

  /** Whether any number of the text, without its sign, lies in [low, high]. */
  hasNumberWithin(low: number, high: number): boolean {
    return this.numbers().hasWithin(low, high);
  }

  /** Asked second, since it is slower: numbers that the text spells out (`five minutes`, `5 million`). */
  hasSpeltNumber(reading: Reading): boolean {
    this.#spelt ??= this.spelt();
    const tolerance = readingTolerance(reading);
    return this.#spelt.some((value) => Math.abs(value - reading.value) <= tolerance);
  }

  private spelt(): number[] {
    const spelt: number[] = [];
    for (const piece of this.pieces()) {
      const scaled = takeScaledNumbers(piece, (_, digits, scale) =>
        spelt.push(Number(digits.replaceAll(',', '')) * scale),
      );
      const rest = takeNumberWords(scaled, (_, value) => spelt.push(value));
      takeCjkNumbers(rest, (_, value) => spelt.push(value));
    }
    return spelt;
  }

  /** The cheap half of {@link readingOf}, for the usual case: an instant is copied with its offset. */
  showsTime(time: ClockTime): boolean {
    return time.offsetSeconds !== null && this.holdsWritten(time.raw.trim());
  }

  /** What a written time is among the moments of this text, read in the run's zone. */
  readingOf(time: ClockTime, zone: string): TimeReading {
    if (this.showsTime(time)) return 'RIGHT';
    const key = `${zone} ${time.raw}`;
    const known = this.#readings.get(key);
    if (known !== undefined) return known;
    const written = readingAmong(time, this.times(), zone);
    const reading =
      written === 'RIGHT' ? written : betterReading(written, readingAmongEpochs(time, this.epochs(), zone));
    this.#readings.set(key, reading);
    return reading;
  }

  hasTime(time: ClockTime, zone: string): boolean {
    return this.readingOf(time, zone) !== 'ABSENT';
  }

  /** Whether a text stands in one string of the document, or in its JSON, under the folding of rule 30. */
  holdsText(text: string): boolean {
    if (
      !this.hasMarks() &&
      (this.text.includes(text) || this.text.includes(JSON.stringify(text).slice(1, -1)))
    )
      return true;
    const folded = foldText(text);
    return this.someFolded((piece) => piece.includes(folded));
  }

  /**
   * Asks about each string as it reads, then about the JSON text itself; folded, and cut at every mark. No answer depends on
   * two strings at once, so that a large text can be asked about in pieces.
   */
  someFolded(holds: (piece: string) => boolean): boolean {
    if (this.text.length <= WHOLE_CHARS_MAX) return holds(this.haystack());
    for (const piece of this.pieces()) if (holds(this.folded(piece))) return true;
    return holds(this.text);
  }

  /** All of a text of ordinary size in one, see {@link someFolded}. */
  haystack(): string {
    this.#haystack ??= this.folded([...this.pieces(), this.text].join(STRING_SEPARATOR));
    return this.#haystack;
  }

  private folded(text: string): string {
    return foldText(this.hasMarks() ? text.replace(MARK, STRING_SEPARATOR) : text);
  }

  /** The strings of the document, undecorated, some at a time. */
  private *pieces(): Generator<string> {
    let piece: string[] = [];
    let chars = 0;
    for (const text of stringsOf(this.document)) {
      piece.push(text);
      chars += text.length;
      if (chars < PIECE_CHARS) continue;
      yield piece.join(STRING_SEPARATOR);
      [piece, chars] = [[], 0];
    }
    if (piece.length > 0) yield piece.join(STRING_SEPARATOR);
  }

  /** The text with its digits in plain form. */
  private plain(): string {
    this.#plain ??= FULL_WIDTH.test(this.text) ? this.text.normalize('NFKC') : this.text;
    return this.#plain;
  }

  private numbers(): NumberSet {
    this.#numbers ??= NumberSet.of(this.plain());
    return this.#numbers;
  }

  private hasMarks(): boolean {
    this.#hasMarks ??= MARK_STARTS.some((start) => this.text.includes(start));
    return this.#hasMarks;
  }

  private holdsWritten(raw: string): boolean {
    const at = this.text.indexOf(raw);
    return at >= 0 && !/[\d+]/.test(this.text[at - 1] ?? '') && !/\d/.test(this.text[at + raw.length] ?? '');
  }

  private times(): ClockTime[] {
    this.#times ??= evidenceTimes(this.plain());
    return this.#times;
  }

  /** Numbers that count from the epoch, in ms: only runs of ten digits and more can. */
  private epochs(): number[] {
    this.#epochs ??= [...this.text.matchAll(LONG_NUMBER)].flatMap(
      ([digits]) => epochOf(Number(digits))?.epochMs ?? [],
    );
    return this.#epochs;
  }
}
