const bigramsOf = (text: string): Set<string> => {
  const plain = text.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
};

/** Dice coefficient of letter pairs: 1 for equal names, 0 for names without a common pair. */
const similarity = (a: Set<string>, b: Set<string>): number => {
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return a.size + b.size === 0 ? 0 : (2 * common) / (a.size + b.size);
};

const SUGGESTIONS_MAX = 5;
const SIMILARITY_MIN = 0.4;

/** Known names that the asked one may have meant, best first. */
export const suggestNames = (asked: string, known: Iterable<string>): string[] => {
  const wanted = bigramsOf(asked);
  return [...new Set(known)]
    .map((name) => ({ name, score: similarity(wanted, bigramsOf(name)) }))
    .filter(({ score }) => score >= SIMILARITY_MIN)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, SUGGESTIONS_MAX)
    .map(({ name }) => name);
};
