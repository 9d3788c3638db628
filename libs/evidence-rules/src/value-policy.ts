/** Slack for binary floating point only: never enough to hide a digit. */
const nearly = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));

const hasDecimals = (value: number, decimals: number): boolean =>
  nearly(value * 10 ** decimals, Math.round(value * 10 ** decimals));

const isRounded = (claimed: number, actual: number, decimals: number): boolean =>
  hasDecimals(claimed, decimals) &&
  Math.abs(claimed - actual) <= 0.5 * 10 ** -decimals + 1e-9 * Math.abs(actual);

const isSignificant = (claimed: number, actual: number, digits: number): boolean => {
  if (claimed === Number(actual.toPrecision(digits))) return true;
  if (actual === 0) return false;
  const lastPlace = 10 ** (Math.floor(Math.log10(Math.abs(actual))) - digits + 1);
  return (
    claimed === Number(claimed.toPrecision(digits)) &&
    Math.abs(claimed - actual) <= 0.5 * lastPlace * (1 + 1e-9)
  );
};

const argumentOf = (policy: string): number => Number(/\((\d)\)/.exec(policy)?.[1] ?? 0);

/** How a claimed number may differ from the right one under `exact`, `rounded(d)` or `sig(n)`. */
export const agreesAs = (policy: string, claimed: number, actual: number): boolean => {
  if (policy.startsWith('rounded')) return isRounded(claimed, actual, argumentOf(policy));
  if (policy.startsWith('sig')) return isSignificant(claimed, actual, argumentOf(policy));
  return nearly(claimed, actual);
};

/** Lowest and highest of an array of numbers, of `[time, value]` points, or of a `{min, max}` summary. */
const extentOf = (actual: unknown): [number, number] | null => {
  if (Array.isArray(actual)) {
    const values = actual.map((item: unknown) =>
      Array.isArray(item) && item.length === 2 ? (item[1] as unknown) : item,
    );
    if (values.length === 0 || !values.every((v) => typeof v === 'number')) return null;
    return [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b))];
  }
  if (actual !== null && typeof actual === 'object' && 'min' in actual && 'max' in actual) {
    return typeof actual.min === 'number' && typeof actual.max === 'number' ? [actual.min, actual.max] : null;
  }
  return null;
};

export type Mismatch = 'KIND' | 'VALUE';

/**
 * Compares a claimed value with the one at its path. `range` is the exact extent, since a looser one would make any number true;
 * `count` the length of an array. A number and its own decimal text are the same value. Null: they agree.
 */
export const mismatch = (policy: string, claimed: unknown, actual: unknown): Mismatch | null => {
  if (policy === 'count') {
    if (!Array.isArray(actual) || typeof claimed !== 'number') return 'KIND';
    return claimed === actual.length ? null : 'VALUE';
  }
  if (policy === 'range') {
    const extent = extentOf(actual);
    if (!extent || !Array.isArray(claimed)) return 'KIND';
    return nearly(claimed[0] as number, extent[0]) && nearly(claimed[1] as number, extent[1])
      ? null
      : 'VALUE';
  }
  if (typeof claimed === 'number' && typeof actual === 'number')
    return agreesAs(policy, claimed, actual) ? null : 'VALUE';
  if (policy !== 'exact') return 'KIND';
  if (actual !== null && typeof actual === 'object') return 'KIND';
  if (claimed === actual) return null;
  const sameText =
    typeof claimed !== typeof actual &&
    claimed !== null &&
    actual !== null &&
    String(claimed) === String(actual);
  return sameText ? null : 'VALUE';
};
