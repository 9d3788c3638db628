const FIRST_DELAY_MS = 100;
const DELAY_MAX_MS = 10_000;

/** A process that was ready for this long starts over with the shortest delay. */
export const STEADY_AFTER_MS = 20_000;

/** Delay before the next start of a process that died `deaths` (1 = the first) times in a row. */
export const restartDelayMs = (deaths: number): number =>
  Math.min(DELAY_MAX_MS, FIRST_DELAY_MS * 2 ** Math.min(deaths - 1, 20));
