import type { BenchmarkCase, Vocabulary } from './benchmark-case';

const QUESTION_CHARS_MAX = 4_000;

/**
 * What a run is asked: the user's vague words as the benchmark has them, and the form that it wants the answer in, with its
 * closed vocabulary. Nothing here is known to the product otherwise.
 */
export const questionFor = (
  { query, namespace }: Pick<BenchmarkCase, 'query' | 'namespace'>,
  vocabulary: Vocabulary | null,
): string => {
  const words = Object.entries(vocabulary ?? {}).map(([cause, kinds]) => `${cause} (${kinds.join(', ')})`);
  const parts = [
    query.trim(),
    ...(namespace === null ? [] : [`It is about the namespace ${namespace} of a Kubernetes cluster.`]),
    'Name up to three candidates for the root cause, the most likely first; object is app/<service>, node/<name> or namespace/<name>.',
    ...(words.length === 0
      ? []
      : [
          `The cause of a candidate is one of these words, in brackets what it lies in: ${words.join(', ')}.`,
        ]),
  ];
  return parts.join('\n').slice(0, QUESTION_CHARS_MAX);
};
