const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** End of a digit run that starts at `from`. */
const digitsEnd = (text: string, from: number): number => {
  let i = from;
  while (i < text.length && isDigit(text.charCodeAt(i))) i += 1;
  return i;
};

/** End of a JSON exponent at `at`, or `at` when there is none. */
const exponentEnd = (text: string, at: number): number => {
  const char = text[at];
  if (char !== 'e' && char !== 'E') return at;
  const sign = text[at + 1] === '-' || text[at + 1] === '+' ? 1 : 0;
  const end = digitsEnd(text, at + 1 + sign);
  return end > at + 1 + sign ? end : at;
};

/** Longer digit runs do not fit a double exactly and are left to Number(). */
const SAFE_DIGITS = 15;

/** The figures of one digit run inside a string: a log line may mean a decimal, two numbers, or a grouped one. */
const addStringReadings = (
  add: (value: number) => void,
  json: string,
  from: number,
  whole: number,
  end: number,
): void => {
  if (end > whole) {
    add(Number(json.slice(from, whole)));
    add(Number(json.slice(whole + 1, end)));
  }
  if (whole - from > 3 || json[whole] !== ',') return;
  const grouped = /^\d{1,3}(?:,\d{3})+(?!\d)/.exec(json.slice(from, from + 24));
  if (grouped) add(Number(grouped[0].replaceAll(',', '')));
};

/** Instants, dates and times of day: their digits are compared as times, not as numbers. */
const TIME =
  /\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?(?!\d)|(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?![\d:])/y;

/** End of the time that begins at `from`, or `from`. Most digit runs are ruled out by the character behind them. */
const timeEnd = (text: string, from: number, runEnd: number): number => {
  const next = text.charCodeAt(runEnd);
  const length = runEnd - from;
  if (!(length === 4 && next === 0x2d) && !(length === 2 && next === 0x3a)) return from;
  TIME.lastIndex = from;
  return TIME.test(text) ? TIME.lastIndex : from;
};

/** `2m5s`, as machines write durations: each part counts. */
const DURATION = /\d+(?:\.\d+)?[wdhm](?:\d+(?:\.\d+)?(?:w|d|h|ms|m|s))+(?![\w-])/y;

const durationEnd = (text: string, from: number, runEnd: number): number => {
  const unit = text.charCodeAt(runEnd);
  const isUnit = unit === 0x77 || unit === 0x64 || unit === 0x68 || unit === 0x6d;
  if (!isUnit || !isDigit(text.charCodeAt(runEnd + 1))) return from;
  DURATION.lastIndex = from;
  return DURATION.test(text) ? DURATION.lastIndex : from;
};

const isWordChar = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;

/** Digits that are grown on to letters are part of a name: `p95`, `sku-002`, `v1.2`. */
const isInName = (text: string, at: number, escapeEnd: number): boolean => {
  if (at - 1 === escapeEnd) return false;
  const before = text.charCodeAt(at - 1);
  if (isWordChar(before)) return true;
  return (before === 0x2d || before === 0x2e) && at - 2 !== escapeEnd && isWordChar(text.charCodeAt(at - 2));
};

const valueOfDigits = (text: string, from: number, to: number): number => {
  let value = 0;
  for (let k = from; k < to; k += 1) value = value * 10 + text.charCodeAt(k) - 48;
  return value;
};

/** Every number of a JSON text without its sign, those inside strings too; not what times and names are made of. */
const scanNumbers = (json: string, add: (value: number) => void): void => {
  let inString = false;
  let escapeEnd = -1;
  for (let i = 0; i < json.length; i += 1) {
    const code = json.charCodeAt(i);
    if (code === 0x22) inString = !inString;
    else if (code === 0x5c) escapeEnd = i += 1;
    else if (isDigit(code)) {
      const whole = digitsEnd(json, i);
      let end = json.charCodeAt(whole) === 0x2e ? digitsEnd(json, whole + 1) : whole;
      if (end === whole + 1) end = whole;
      const time = inString ? timeEnd(json, i, whole) : i;
      const duration =
        inString && time === i && !isInName(json, i, escapeEnd) ? durationEnd(json, i, end) : i;
      if (time > i) end = time;
      else if (duration > i) {
        for (const part of json.slice(i, duration).match(/\d+(?:\.\d+)?/g) ?? []) add(Number(part));
        end = duration;
      } else if (!inString || !isInName(json, i, escapeEnd)) {
        if (!inString) end = exponentEnd(json, end);
        const isPlain = end === whole && whole - i <= SAFE_DIGITS;
        add(isPlain ? valueOfDigits(json, i, whole) : Number(json.slice(i, end)));
        if (inString) addStringReadings(add, json, i, whole, end);
      }
      i = end - 1;
    }
  }
};

const SMALL_MAX = 65_536;
/** Below this many characters a text has too few numbers for a table to pay. */
const TABLE_CHARS_MIN = 2_048;

/** The numbers of a text. Small whole ones of a long text, which are most, are marks in a table; the others are sorted. */
export class NumberSet {
  private constructor(
    private readonly small: Uint8Array,
    private readonly sorted: Float64Array,
  ) {}

  static of(json: string): NumberSet {
    const small = new Uint8Array(json.length < TABLE_CHARS_MIN ? 0 : SMALL_MAX);
    const others: number[] = [];
    scanNumbers(json, (value) => {
      if (value < small.length && Number.isInteger(value)) small[value] = 1;
      else others.push(value);
    });
    return new NumberSet(small, new Float64Array(others).sort());
  }

  /** Whether any number lies in [low, high]. */
  hasWithin(low: number, high: number): boolean {
    for (let n = Math.max(0, Math.ceil(low)); n <= high && n < this.small.length; n += 1)
      if (this.small[n] === 1) return true;
    let [from, to] = [0, this.sorted.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.sorted[middle] as number) < low) from = middle + 1;
      else to = middle;
    }
    return from < this.sorted.length && (this.sorted[from] as number) <= high;
  }
}
