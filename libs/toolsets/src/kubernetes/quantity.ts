const SUFFIXES: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

const QUANTITY = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,2})|([numkMGTPE]|[KMGTPE]i))?$/;

/** `250m`, `1Gi`, `3` as a number, in cores or bytes or pieces; undefined for what is no quantity of the API. */
export const quantityOf = (value: unknown): number | undefined => {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || text.length > 64) return undefined;
  const [, number, exponent, suffix] = QUANTITY.exec(text) ?? [];
  if (number === undefined) return undefined;
  return Number(number) * (exponent === undefined ? (SUFFIXES[suffix ?? ''] ?? 1) : 10 ** Number(exponent));
};

/** A share to three places, as a projection shows it. */
export const shareOf = (part: number, whole: number): number | undefined =>
  whole > 0 ? Math.round((part / whole) * 1_000) / 1_000 : undefined;
