import { sha256 } from '@inquest/contracts/canonical-json';
import type { Runbook } from '../../apps/knowledge-rag/src/corpus/runbook';
import { SearchIndex } from '../../apps/knowledge-rag/src/search/search-index';
import { mean, ndcg, recall } from './metrics';
import type { CorpusDocument, StandardCorpus } from './standard-corpus';

export type RetrievalFigures = {
  documents: number;
  queries: number;
  ndcgAt10: number;
  recallAt100: number;
  indexMs: number;
  queryMs: { p50: number; p99: number };
};

/** A document of a benchmark as one passage: benchmarks judge whole documents. */
const runbookOf = ({ _id: id, title, text }: CorpusDocument): Runbook => ({
  id,
  title,
  tags: [],
  passages: [{ id, runbookId: id, title, heading: '', tags: [], text, versionHash: sha256(text) }],
});

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;

/** The lookup's own lexical index over a benchmark; what is measured is the order, not the floor under it. */
export const measureRetrieval = (corpus: StandardCorpus): RetrievalFigures => {
  const began = performance.now();
  const index = new SearchIndex(corpus.documents.map(runbookOf));
  const indexMs = performance.now() - began;
  const times: number[] = [];
  const scored = corpus.queries.map(({ text, judgements }) => {
    const at = performance.now();
    const ranking = index.rank(text, 100);
    times.push(performance.now() - at);
    return { ndcg: ndcg(ranking, judgements, 10), recall: recall(ranking, judgements, 100) };
  });
  times.sort((a, b) => a - b);
  return {
    documents: corpus.documents.length,
    queries: corpus.queries.length,
    ndcgAt10: mean(scored.map((each) => each.ndcg)),
    recallAt100: mean(scored.map((each) => each.recall)),
    indexMs,
    queryMs: { p50: percentile(times, 0.5), p99: percentile(times, 0.99) },
  };
};
