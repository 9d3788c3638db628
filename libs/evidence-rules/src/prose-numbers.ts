import { takeClockTimes, type ClockTime } from './clock-times';
import { hedgeAround, type Hedge } from './hedges';
import { takeCjkNumbers, takeNumberWords, takeScaledNumbers } from './number-words';

/** One way to understand a figure; `1,234` and `93%` have two. `resolution` is the value of its last written digit. */
export type Reading = { value: number; resolution: number; digits: number };
export type Figure = {
  raw: string;
  readings: Reading[];
  /** `0,1` may also be two numbers: then both count. */
  pieces?: Figure[];
  /** `about 40`, `over 40`: how it is hedged, and the words as written. */
  hedge?: { kind: Hedge; phrase: string };
};
export type ProseFigures = { numbers: Figure[]; times: ClockTime[] };

const LIST_MARK = /^[ \t]*(?:\(?\d{1,3}[.)]|\(?[a-z]\))[ \t]+/gm;
const GROUPING_SPACE = /(?<=\d)[\u00A0\u202F\u2009](?=\d{3}(?!\d))/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const PERCENT_WORD = /(\d)\s*(?:%|percent\b|per cent\b|prozent\b|pct\b)/gi;
const UUID = /(?<!\w)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?!\w)/gi;
const IP = /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?(?![\w.]*\d)/g;
const SEPARATORS = /(?:[^\x21-\x7E\u00B0\u00B5\u03BC\u2030]|[()[\]{}"'<>;!?=|*~:`]|,(?!\d)|(?<!\d),)+/gu;

const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|us|\u00B5s|\u03BCs|ns|w|d|h|m|s))+$/;
const NUMBER_WITH_UNIT =
  /^(\d[\d,]*(?:\.\d+)?|\.\d+|\d{1,3}(?:\.\d{3}){2,})([A-Za-z%\u2030\u00B0\u00B5\u03BC]*)$/;
/** Ordinals, status classes and dimensions are names: `95th`, `5xx`, `3D`. */
const NAMING_SUFFIX = /^(?:st|nd|rd|th|xx|D|FA)$/;
const SUFFIX_SCALE: Record<string, number> = { k: 1e3, K: 1e3, M: 1e6, G: 1e9, bn: 1e9 };

const plainReading = (digits: string): Reading => {
  const fraction = /\.(\d+)$/.exec(digits)?.[1] ?? '';
  const significant = digits.replace('.', '').replace(/^0+/, '');
  return {
    value: Number(digits),
    resolution: fraction === '' ? 1 : 10 ** -fraction.length,
    digits: significant.length,
  };
};

const GROUPED = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

/** `1,234` is 1234 and, as a continental decimal, 1.234; `12,5` is 12.5; `1.234.567` has two grouping dots. */
const readingsOfDigits = (text: string): Reading[] => {
  if (/^\d{1,3}(?:\.\d{3}){2,}$/.test(text)) return [plainReading(text.replaceAll('.', ''))];
  if (!text.includes(',')) return [plainReading(text)];
  const readings: Reading[] = [];
  if (GROUPED.test(text)) readings.push(plainReading(text.replaceAll(',', '')));
  if (/^\d+,\d+$/.test(text)) readings.push(plainReading(text.replace(',', '.')));
  return readings;
};

const scaledBy = (reading: Reading, factor: number): Reading => ({
  ...reading,
  value: reading.value * factor,
  resolution: reading.resolution * factor,
});

const readingsWithUnit = (digits: string, suffix: string): Reading[] => {
  const readings = readingsOfDigits(digits);
  if (suffix === '%') return readings.flatMap((r) => [r, scaledBy(r, 0.01)]);
  const scale = SUFFIX_SCALE[suffix];
  return scale === undefined ? readings : readings.flatMap((r) => [r, scaledBy(r, scale)]);
};

const figuresOfPart = (part: string): Figure[] | null => {
  const match = NUMBER_WITH_UNIT.exec(part);
  if (match) {
    const [, digits = '', suffix = ''] = match;
    if (NAMING_SUFFIX.test(suffix)) return [];
    const readings = readingsWithUnit(digits, suffix);
    const isList = suffix === '' && digits.includes(',') && !GROUPED.test(digits);
    const pieces = isList ? digits.split(',').flatMap((piece) => figuresOfPart(piece) ?? []) : [];
    if (readings.length === 0) return pieces;
    return [{ raw: part, readings, ...(pieces.length > 0 ? { pieces } : {}) }];
  }
  if (DURATION.test(part))
    return (part.match(/\d+(?:\.\d+)?/g) ?? []).map((raw) => ({ raw, readings: readingsOfDigits(raw) }));
  return null;
};

/** A run begins with a digit: a figure, a range, a fraction; or an identifier such as a hash, when its head is neither. */
const figuresOfRun = (run: string): Figure[] => {
  const trimmed = run.replace(/^[+\-#$&@^\\_]+/, '').replace(/[.\-+,/&^\\_#@]+$/, '');
  if (!/^\.?\d/.test(trimmed) || trimmed === '24/7') return [];
  const parts = trimmed.split(/[-/+]|\.\.+/).filter((part) => part !== '');
  const figures: Figure[] = [];
  for (const [index, part] of parts.entries()) {
    const found = figuresOfPart(part);
    if (found === null && index === 0) return [];
    figures.push(...(found ?? []));
  }
  return figures;
};

/** Blanks whole occurrences of names that the run reader would not recognise as names, i.e. that begin with a digit or hold odd characters. */
const withoutNames = (text: string, names: Iterable<string>): string => {
  let rest = text;
  for (const name of names) {
    if (!/\d/.test(name) || !/[A-Za-z]/.test(name) || /^[A-Za-z][\w.-]*$/.test(name)) continue;
    const isWord = (char: string | undefined) => char !== undefined && /[\w-]/.test(char);
    for (let at = rest.indexOf(name); at >= 0; at = rest.indexOf(name, at + 1)) {
      if (isWord(rest[at - 1]) || isWord(rest[at + name.length])) continue;
      rest = `${rest.slice(0, at)} ${rest.slice(at + name.length)}`;
    }
  }
  return rest;
};

const hedged = (figure: Figure, text: string, from: number, to: number): Figure => {
  const around = hedgeAround(text, from, to);
  if (!around) return figure;
  return {
    ...figure,
    hedge: { kind: around.hedge, phrase: `${around.words}${text.slice(from, to)}`.trim() },
  };
};

/** The runs between separators that hold a digit, with where they begin. */
function* digitRuns(text: string): Generator<{ run: string; at: number }> {
  let at = 0;
  for (const separator of text.matchAll(SEPARATORS)) {
    const run = text.slice(at, separator.index);
    if (/\d/.test(run)) yield { run, at };
    at = separator.index + separator[0].length;
  }
  const run = text.slice(at);
  if (/\d/.test(run)) yield { run, at };
}

/**
 * The figures of a sentence as people read them. Names (of entities, calls, documents), addresses, versions, dates and list
 * marks are no figures; clocks, number words, CJK numerals, full-width forms, thousands separators and percentages are
 * brought to one form. Signs are dropped: direction is for the judge.
 */
export const proseFigures = (text: string, names: Iterable<string> = []): ProseFigures => {
  const numbers: Figure[] = [];
  const times: ClockTime[] = [];
  let rest = withoutNames(text, names).replace(GROUPING_SPACE, '').normalize('NFKC').replace(DASHES, '-');
  rest = rest.replace(LIST_MARK, ' ').replace(UUID, ' ').replace(IP, ' ');
  rest = takeClockTimes(rest, (time) => times.push(time));
  rest = rest.replace(PERCENT_WORD, '$1% ');
  const add =
    (source: string) =>
    (raw: string, value: number, at: number, isPercent = false) => {
      const reading = plainReading(String(value));
      const readings = isPercent ? [reading, scaledBy(reading, 0.01)] : [reading];
      numbers.push(hedged({ raw, readings }, source, at, at + raw.length));
    };
  rest = takeCjkNumbers(rest, add(rest));
  const scaled = rest;
  rest = takeScaledNumbers(rest, (raw, digits, scale, at) => {
    const readings = readingsOfDigits(digits).map((r) => scaledBy(r, scale));
    numbers.push(hedged({ raw, readings }, scaled, at, at + raw.length));
  });
  rest = takeNumberWords(rest, add(rest));
  for (const { run, at } of digitRuns(rest)) {
    const figures = figuresOfRun(run);
    const [only] = figures;
    // A range or a fraction is not hedged as a whole.
    numbers.push(...(only && figures.length === 1 ? [hedged(only, rest, at, at + run.length)] : figures));
  }
  return { numbers, times };
};
