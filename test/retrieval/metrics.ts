/** Judged documents of one query: id to grade; grades above 0 are relevant. */
export type Judgements = ReadonlyMap<string, number>;

const discounted = (grades: readonly number[]): number =>
  grades.reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0);

/** Normalised discounted cumulative gain with linear gains, as trec_eval computes it: 0 to 1. */
export const ndcg = (ranking: readonly string[], judgements: Judgements, depth: number): number => {
  const ideal = [...judgements.values()].filter((grade) => grade > 0).sort((a, b) => b - a);
  if (ideal.length === 0) return 0;
  const gained = ranking.slice(0, depth).map((id) => Math.max(0, judgements.get(id) ?? 0));
  return discounted(gained) / discounted(ideal.slice(0, depth));
};

/** Share of the relevant documents that are among the first `depth`. */
export const recall = (ranking: readonly string[], judgements: Judgements, depth: number): number => {
  const relevant = [...judgements].filter(([, grade]) => grade > 0).map(([id]) => id);
  const found = new Set(ranking.slice(0, depth));
  return relevant.length === 0 ? 0 : relevant.filter((id) => found.has(id)).length / relevant.length;
};

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
