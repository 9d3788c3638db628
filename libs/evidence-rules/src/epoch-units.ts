/** Units in which machines count from 1970, with the size of one in ms. */
const UNITS = [
  ['s', 1_000],
  ['ms', 1],
  ['us', 1e-3],
  ['ns', 1e-6],
] as const;

export type EpochUnit = (typeof UNITS)[number][0];

/** From September 2001 to October 2096: of the four units one at most puts a number there. */
const SECONDS = { min: 1e9, max: 4e9 };

/** Which unit a number counts in, if it is a moment since the epoch, and that moment in ms. */
export const epochOf = (value: number): { unit: EpochUnit; epochMs: number } | null => {
  for (const [unit, ms] of UNITS) {
    const epochMs = value * ms;
    if (epochMs >= SECONDS.min * 1000 && epochMs <= SECONDS.max * 1000) return { unit, epochMs };
  }
  return null;
};
