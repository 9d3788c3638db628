import MiniSearch, { type SearchResult } from 'minisearch';
import type { Passage, Runbook } from '../corpus/runbook';
import { isRelevant, queryWeights, type Finding } from './relevance';
import { termsOf, wordsOf } from './terms';

export type SearchHits = {
  /** All passages found, the limit aside. */
  matched: number;
  /** Those that are about the query, best first; then what else the best one's runbook says, in its own order. */
  passages: readonly Passage[];
};

const FIELDS = ['title', 'tags', 'heading', 'text'] as const;
type Field = (typeof FIELDS)[number];

/** What a runbook is about counts more than what it mentions. */
const BOOST: Record<Field, number> = { title: 2, tags: 2, heading: 1.2, text: 1 };
const SUBJECT_FIELDS: ReadonlySet<string> = new Set<Field>(['title', 'tags']);
/** `crashloop` finds `CrashLoopBackOff`; shorter beginnings find too much. */
const PREFIX_CHARS_MIN = 5;
/** A misspelling is looked for only where the word as written is unknown. */
const FUZZY_CHARS_MIN = 6;
/** From here on two letters may differ: long words carry endings. */
const LONG_WORD_CHARS = 10;
/** A passage of another runbook counts only with this share of the best score. */
const SCORE_SHARE_MIN = 0.4;
const WEIGHTS = { prefix: 0.5, fuzzy: 0.3 };
const TERMS_MAX = 128;

const fieldText = (passage: Passage, field: string): string => {
  switch (field) {
    case 'id':
      return passage.id;
    case 'title':
      return passage.title;
    case 'tags':
      return passage.tags.join('\n');
    case 'heading':
      return passage.heading;
    default:
      return passage.text;
  }
};

const fuzziness = (term: string): number | false =>
  term.length < FUZZY_CHARS_MIN ? false : term.length < LONG_WORD_CHARS ? 1 : 2;

/** `40p01`, `503`: whoever asks for a code means the passage that names it. */
const isCode = (term: string): boolean => term.length >= 3 && /\d/.test(term);

const findingOf = ({ queryTerms, match }: SearchResult): Finding => ({
  found: new Set(queryTerms),
  subject: Object.entries(match).some(
    ([term, fields]) => isCode(term) || fields.some((field) => SUBJECT_FIELDS.has(field)),
  ),
});

/** BM25 (BM25+, k 1.2, b 0.7) over the passages of all runbooks, with a floor under which nothing is a hit. */
export class SearchIndex {
  private readonly index: MiniSearch<Passage>;
  private readonly passages: readonly Passage[];
  private readonly byId: ReadonlyMap<string, Passage>;
  /** How many passages hold a term. */
  private readonly frequency = new Map<string, number>();

  constructor(runbooks: readonly Runbook[]) {
    this.passages = runbooks.flatMap((runbook) => runbook.passages);
    this.byId = new Map(this.passages.map((passage) => [passage.id, passage]));
    this.index = new MiniSearch<Passage>({
      fields: [...FIELDS],
      extractField: fieldText,
      tokenize: termsOf,
      processTerm: (term) => term,
    });
    this.index.addAll(this.passages);
    for (const passage of this.passages) {
      for (const term of new Set(FIELDS.flatMap((field) => termsOf(fieldText(passage, field))))) {
        this.frequency.set(term, (this.frequency.get(term) ?? 0) + 1);
      }
    }
  }

  /** Passages in all. */
  get size(): number {
    return this.passages.length;
  }

  /** At most `limit` passages; none when no passage is about the query, however many hold a word of it. */
  search(query: string, limit: number): SearchHits {
    const found = this.relevant(query);
    const [best] = found;
    if (!best) return { matched: 0, passages: [] };
    const near = found
      .filter(
        ({ score, passage }) =>
          passage.runbookId === best.passage.runbookId || score >= best.score * SCORE_SHARE_MIN,
      )
      .map(({ passage }) => passage);
    // Who finds a runbook by its symptoms wants its remedy.
    const rest = this.passages.filter(
      (passage) => passage.runbookId === best.passage.runbookId && !near.includes(passage),
    );
    return { matched: near.length + rest.length, passages: [...near, ...rest].slice(0, limit) };
  }

  /** At most `limit` ids of passages by their score alone, as retrieval is measured: without the floor, without neighbours. */
  rank(query: string, limit: number): string[] {
    const exact = this.scored(query, false);
    const found = exact.length > 0 ? exact : this.scored(query, true);
    return found.slice(0, limit).map(({ id }) => String(id));
  }

  /**
   * Words as they are written come first. Beginnings and misspellings are looked for only where those lead nowhere: they
   * find more, and what they find is less about the query, at many times the cost.
   */
  private relevant(query: string): { passage: Passage; score: number }[] {
    const parts = [...new Set(wordsOf(query).flatMap((word) => word.parts))].slice(0, TERMS_MAX);
    const weights = queryWeights(parts, this.frequency, this.passages.length);
    const about = (expanded: boolean) =>
      this.scored(query, expanded).filter((result) => isRelevant(findingOf(result), weights));
    const exact = about(false);
    return (exact.length > 0 ? exact : about(true)).flatMap(({ id, score }) => {
      const passage = this.byId.get(String(id));
      return passage ? [{ passage, score }] : [];
    });
  }

  /** Best first; equal scores by id, so that the order is always the same. */
  private scored(query: string, expanded: boolean): SearchResult[] {
    const terms = [...new Set(termsOf(query))].slice(0, TERMS_MAX);
    return this.index
      .search(terms.join('\n'), {
        tokenize: (text) => text.split('\n'),
        boost: BOOST,
        prefix: (term) => expanded && term.length >= PREFIX_CHARS_MIN,
        fuzzy: (term) => expanded && !this.frequency.has(term) && fuzziness(term),
        weights: WEIGHTS,
      })
      .sort((a, b) => b.score - a.score || (String(a.id) < String(b.id) ? -1 : 1));
  }
}
