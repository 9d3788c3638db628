/** How much each word of a query tells: rare words more, words that no passage holds most. */
export type QueryWeights = { weightOf: ReadonlyMap<string, number>; total: number };

/** Of one passage: the words of the query that it holds, and whether one of them is a subject (a code, or in its runbook's title or tags). */
export type Finding = { found: ReadonlySet<string>; subject: boolean };

/**
 * Least share of the query's weight that a passage has to hold. Measured on the tables of relevance.spec.ts: questions
 * that the corpus answers reach 0.53 and more, questions that it does not answer stay below 0.5.
 */
export const SHARE_MIN = 0.5;
/**
 * Long queries (pasted errors, a whole story) hold many words that are nobody's subject; for them the weight found
 * counts in relation to the root of the whole, as the cosine of two vectors does. Foreign questions stay below 1.8.
 */
export const COSINE_MIN = 2.3;

/** Unknown numbers and hashes (a pod's suffix, a port) say nothing about the subject; `s3` and `ec2` do. */
const isNoise = (term: string): boolean => /^\d|\d.*\d/.test(term);

const inverseFrequency = (frequency: number, passages: number): number =>
  Math.log(1 + (passages - frequency + 0.5) / (frequency + 0.5));

export const queryWeights = (
  terms: readonly string[],
  frequency: ReadonlyMap<string, number>,
  passages: number,
): QueryWeights => {
  const telling = terms.filter((term) => frequency.has(term) || !isNoise(term));
  // A word that no passage holds weighs as one that a single passage holds.
  const weightOf = new Map(
    telling.map((term) => [term, inverseFrequency(frequency.get(term) ?? 1, passages)]),
  );
  return { weightOf, total: [...weightOf.values()].reduce((sum, weight) => sum + weight, 0) };
};

/** Whether a passage is about a query, and not merely found by one of its words. */
export const isRelevant = ({ found, subject }: Finding, { weightOf, total }: QueryWeights): boolean => {
  if (!subject || total === 0) return false;
  const weight = [...weightOf].reduce((sum, [term, each]) => (found.has(term) ? sum + each : sum), 0);
  return weight / total >= SHARE_MIN || weight / Math.sqrt(total) >= COSINE_MIN;
};
