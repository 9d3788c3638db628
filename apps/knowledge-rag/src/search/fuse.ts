/** Of the original publication (Cormack, Clarke, Büttcher, SIGIR 2009); not sensitive. */
const RANK_CONSTANT = 60;

/**
 * Reciprocal rank fusion: the places that several rankings give an item, not their scores, which cannot be compared. Ties
 * keep the order of the first ranking that knows the item.
 */
export const fuse = (rankings: readonly (readonly string[])[]): string[] => {
  const scores = new Map<string, number>();
  for (const ranking of rankings)
    ranking.forEach((id, index) => scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + index + 1)));
  return [...scores].sort((a, b) => b[1] - a[1]).map(([id]) => id);
};
