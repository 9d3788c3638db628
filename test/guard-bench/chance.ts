/** A small repeatable source of chance (mulberry32): the same seed measures the same mutants. */
export type Chance = {
  /** In [0, 1). */
  next: () => number;
  below: (n: number) => number;
  pick: <T>(items: readonly T[]) => T | undefined;
  /** Up to `n` items in their order. */
  some: <T>(items: readonly T[], n: number) => T[];
};

export const chance = (seed: number): Chance => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number): number => Math.floor(next() * n);
  return {
    next,
    below,
    pick: (items) => items[below(items.length)],
    some: (items, n) => {
      const keys = items.map((_, i) => i).sort(() => next() - 0.5);
      const kept = new Set(keys.slice(0, n));
      return items.filter((_, i) => kept.has(i));
    },
  };
};
