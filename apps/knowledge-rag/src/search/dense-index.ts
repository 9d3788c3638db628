import { sha256 } from '@inquest/contracts/canonical-json';
import type { Passage } from '../corpus/runbook';
import type { Embed } from './embeddings';
import type { VectorCache } from './vector-cache';

const BATCH = 64;
/** What is embedded of a passage: where it stands, and its beginning. */
const CHARS_MAX = 4_000;

const embeddedText = ({ title, heading, text }: Passage): string =>
  `${title}\n${heading}\n${text}`.slice(0, CHARS_MAX);

/** Passages by their meaning, as an embeddings endpoint sees it. */
export class DenseIndex {
  private constructor(
    private readonly passages: readonly Passage[],
    private readonly vectors: readonly Float32Array[],
  ) {}

  /** Embeds what the cache does not know. Rejects when the endpoint does not give a vector for every passage. */
  static async build(
    passages: readonly Passage[],
    embed: Embed,
    cache: VectorCache,
    signal: AbortSignal,
  ): Promise<DenseIndex> {
    const texts = passages.map(embeddedText);
    const hashes = texts.map((text) => sha256(text));
    const missing = [...new Map(hashes.map((hash, index) => [hash, index]))].filter(
      ([hash]) => cache.get(hash) === undefined,
    );
    for (let at = 0; at < missing.length; at += BATCH) {
      const batch = missing.slice(at, at + BATCH);
      const vectors = await embed(
        batch.map(([, index]) => texts[index] ?? ''),
        signal,
      );
      batch.forEach(([hash], index) => {
        const vector = vectors[index];
        if (vector) cache.set(hash, vector);
      });
    }
    await cache.save();
    const vectors = hashes.flatMap((hash) => cache.get(hash) ?? []);
    if (new Set(vectors.map(({ length }) => length)).size > 1)
      throw new Error('the model has changed under its name: its vectors have another length');
    if (vectors.length !== passages.length) throw new Error('not every passage has a vector');
    return new DenseIndex(passages, vectors);
  }

  /** Whether a query's vector can be compared with those of the passages at all. */
  fits(query: Float32Array): boolean {
    return this.vectors.every(({ length }) => length === query.length);
  }

  /** Nearest first, with their cosine. A query of another length (the model was changed) is near to nothing. */
  nearest(query: Float32Array, limit: number): { passage: Passage; cosine: number }[] {
    return this.passages
      .map((passage, index) => ({ passage, cosine: product(query, this.vectors[index]) }))
      .sort((a, b) => b.cosine - a.cosine || (a.passage.id < b.passage.id ? -1 : 1))
      .slice(0, limit);
  }
}

const product = (a: Float32Array, b: Float32Array | undefined): number => {
  if (b?.length !== a.length) return -1;
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
};
