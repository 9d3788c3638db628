import type { Passage, Runbook } from '../corpus/runbook';
import type { DenseIndex } from './dense-index';
import type { Embed } from './embeddings';
import { fuse } from './fuse';
import { SearchIndex, type SearchHits } from './search-index';

export type KnowledgeHits = SearchHits & {
  /** An arm that is configured did not answer, so that something may be missing. */
  partial: boolean;
};

export type DenseArm = {
  index: DenseIndex;
  embed: Embed;
  /** From this cosine on a passage answers by its meaning alone. Depends on the model. */
  cosineMin: number;
};

const QUERY_MS = 3_000;
const CANDIDATES = 50;

/** What can be looked up now: replaced as a whole when documents change, so that one lookup sees one state of them. */
export class KnowledgeBase {
  readonly lexical: SearchIndex;
  private readonly byId: ReadonlyMap<string, Passage>;

  constructor(
    runbooks: readonly Runbook[],
    /** Undefined: not configured. Null: configured, and its passages could not be embedded. */
    private readonly dense: DenseArm | null | undefined = undefined,
  ) {
    this.lexical = new SearchIndex(runbooks);
    this.byId = new Map(runbooks.flatMap(({ passages }) => passages.map((each) => [each.id, each] as const)));
  }

  get size(): number {
    return this.lexical.size;
  }

  /** At most `limit` passages; none when neither words nor meaning fit. A dense arm that fails leaves the lexical one. */
  async search(query: string, limit: number, signal: AbortSignal): Promise<KnowledgeHits> {
    const lexical = this.lexical.search(query, CANDIDATES);
    if (this.dense === undefined) return { ...limited(lexical, limit), partial: false };
    const near = await this.near(query, signal);
    if (near === undefined) return { ...limited(lexical, limit), partial: true };
    const ids = fuse([lexical.passages.map(({ id }) => id), near]);
    const passages = ids.flatMap((id) => this.byId.get(id) ?? []);
    return {
      matched: Math.max(passages.length, lexical.matched),
      passages: passages.slice(0, limit),
      partial: false,
    };
  }

  private async near(query: string, signal: AbortSignal): Promise<string[] | undefined> {
    if (!this.dense) return undefined;
    const { index, embed, cosineMin } = this.dense;
    try {
      const [vector] = await embed([query], AbortSignal.any([signal, AbortSignal.timeout(QUERY_MS)]));
      if (vector === undefined || !index.fits(vector)) return undefined;
      return index
        .nearest(vector, CANDIDATES)
        .filter(({ cosine }) => cosine >= cosineMin)
        .map(({ passage }) => passage.id);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }
}

const limited = ({ matched, passages }: SearchHits, limit: number): SearchHits => ({
  matched,
  passages: passages.slice(0, limit),
});
