import { valueAt, type Entry, type Exhibit } from './exhibit';
import type { Statement } from './statement';

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Whole-token occurrence: `web-1` is not found in `web-12`. */
export const hasToken = (text: string, token: string): boolean =>
  new RegExp(`(?<![A-Za-z0-9])${escaped(token)}(?![A-Za-z0-9])`).test(text);

/** A name in the text: an identifier, or a word that some entry is about. */
export const namesIn = (statement: Statement, exhibits: readonly Exhibit[]): string[] => {
  const plain = statement.words.filter((word) =>
    exhibits.some(({ entries }) => entries.some(({ subjects }) => subjects.has(word))),
  );
  return [...new Set([...statement.identifiers, ...plain])];
};

/** The entries that a statement is about: those that are about one of its names. Without such, all of them. */
export const focusOf = (names: readonly string[], exhibits: readonly Exhibit[]): Entry[] => {
  const all = exhibits.flatMap((exhibit) => exhibit.entries);
  const named = all.filter(({ subjects }) =>
    names.some(
      (name) => subjects.has(name) || [...subjects].some((subject) => subject.startsWith(`${name}-`)),
    ),
  );
  return named.length > 0 ? named : all;
};

const scalesOf = (unit: string): number[] => {
  if (unit === '%' || unit === 'percent') return [1, 100];
  if (/^s(?:ec|econds?)?s?$/.test(unit)) return [1, 1e-3];
  if (/^(?:ms|milliseconds?)$/.test(unit)) return [1, 1e3];
  if (/^min(?:utes?)?$/.test(unit)) return [1, 1 / 60];
  if (/^[kmgt]i?b$/.test(unit)) return [1, 1e-3, 1e-6, 1e-9, 2 ** -10, 2 ** -20, 2 ** -30];
  return [1];
};

export const numberFound = (number: Statement['numbers'][number], known: readonly number[]): boolean => {
  const tolerance = 0.5 * 10 ** -number.decimals + 1e-9;
  return scalesOf(number.unit).some((scale) =>
    known.some((value) => Math.abs(value * scale - number.value) <= tolerance),
  );
};

/** An instant as text, or as the epoch seconds or milliseconds of it. */
export const timeFound = (time: string, exhibits: readonly Exhibit[]): boolean => {
  const bare = time.replace(/Z$/, '');
  if (
    exhibits.some(
      ({ text, window }) => text.includes(bare) || window?.from.includes(bare) || window?.to.includes(bare),
    )
  )
    return true;
  const ms = Date.parse(time);
  if (Number.isNaN(ms) || !time.includes('T')) return false;
  return exhibits.some(({ text }) => hasToken(text, String(ms / 1_000)) || hasToken(text, String(ms)));
};

type Fact = { toolCallId: string; path: string; value: unknown; policy: string };

const isFact = (value: unknown): value is Fact =>
  typeof value === 'object' && value !== null && 'toolCallId' in value && 'path' in value && 'value' in value;

export const factsOf = (facts: readonly unknown[]): Fact[] => facts.filter(isFact);

const closeTo = (found: number, stated: number, policy: string): boolean => {
  const rounded = /^rounded\((\d)\)$/.exec(policy);
  if (rounded) return Math.abs(found - stated) <= 0.5 * 10 ** -Number(rounded[1]) + 1e-9;
  const significant = /^sig\((\d)\)$/.exec(policy);
  if (significant) return Number(found.toPrecision(Number(significant[1]))) === stated;
  return found === stated;
};

/** Whether a typed fact says what stands at its place. */
export const factHolds = (fact: Fact, exhibits: readonly Exhibit[]): boolean => {
  const exhibit = exhibits.find(({ toolCallId }) => toolCallId === fact.toolCallId);
  if (!exhibit) return false;
  const found = valueAt(exhibit.document, fact.path);
  if (fact.policy === 'count') return Array.isArray(found) && found.length === fact.value;
  if (fact.policy === 'range' && Array.isArray(fact.value)) {
    const [low, high] = fact.value as number[];
    return (
      typeof found === 'number' && low !== undefined && high !== undefined && found >= low && found <= high
    );
  }
  if (typeof found === 'number' && typeof fact.value === 'number')
    return closeTo(found, fact.value, fact.policy);
  return found !== undefined && JSON.stringify(found) === JSON.stringify(fact.value);
};
