import { sha256 } from '@inquest/contracts/canonical-json';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { INLINE_BYTES_MAX } from '@inquest/contracts/payload';
import type { RagRequested } from '@inquest/contracts/tool-facts';
import type { Redactor } from '@inquest/redaction/redactor';
import { KNOWLEDGE_LOOKUP, KnowledgeLookupArguments } from '@inquest/toolsets/catalogue';
import { SourceFailure } from '@inquest/toolsets/incident-source';
import { incidentSources } from '@inquest/toolsets/incident-sources';
import { runTool, toolsByName, type ToolRunner } from '@inquest/toolsets/run-tool';
import { defineTool, type RawResult, type ReadOnlyTool } from '@inquest/toolsets/tool';
import type { KnowledgeHits } from '../search/knowledge-base';
import type { SearchHits } from '../search/search-index';
import { renderDocuments, UNTRUSTED_PATHS, type Rendering } from './render-documents';

export const PASSAGES_DEFAULT = 5;

type Found = SearchHits & Partial<Pick<KnowledgeHits, 'partial'>>;

export type Lookup = {
  search: (query: string, limit: number, signal: AbortSignal) => Found | Promise<Found>;
  redactor: Redactor;
  /** Aborts when the run is cancelled, its step's time is over, or this process ends. */
  signal: AbortSignal;
  onFailure?: ToolRunner['onFailure'];
};

/** The lookup reads its own corpus: no incident source is within its reach. */
const NO_SOURCES = incidentSources([]);

const inline = (text: string): LedgerEntry['projection'] => ({
  sha256: sha256(text),
  bytes: Buffer.byteLength(text, 'utf8'),
  inline: text,
});

const rawOf = (
  query: string,
  { matched, partial = false }: Found,
  limit: number,
  { documents }: Rendering,
): RawResult => ({
  kind: 'ROWS',
  matched,
  rows: documents.map(({ id }) => ({ id })),
  documents,
  scope: { filter: `query=${query}`.slice(0, 500) },
  window: null,
  dataSpan: null,
  limitHit: matched > limit,
  sampled: false,
  partial,
  permissionFiltered: false,
  selectorKnown: null,
  untrustedPaths: UNTRUSTED_PATHS,
  suggestions: [],
});

/** The tool behind `knowledge_lookup`; hands the rendering out beside its result, since documents have a form of their own. */
const lookupTool = (
  bytesMax: number,
  { search, redactor }: Lookup,
  keep: (rendering: Rendering) => void,
): ReadOnlyTool =>
  defineTool(
    { ...KNOWLEDGE_LOOKUP, parameters: KnowledgeLookupArguments },
    async ({ query, limit = PASSAGES_DEFAULT }, { signal }) => {
      const hits = await search(query, limit, signal);
      const rendering = renderDocuments(KNOWLEDGE_LOOKUP.name, query, hits, { bytesMax, redactor });
      // "Nothing known" would be untrue, and something known that cannot be shown cannot be cited.
      if (hits.matched > 0 && rendering.documents.length === 0) {
        throw new SourceFailure('RESULT_UNUSABLE', `no passage fits into ${bytesMax} bytes`);
      }
      keep(rendering);
      return rawOf(redactor.redactText(query).text, hits, limit, rendering);
    },
  );

const bytesMaxOf = ({ projectionBytesMax }: RagRequested): number =>
  Math.min(projectionBytesMax, KNOWLEDGE_LOOKUP.projectionBytesMax, INLINE_BYTES_MAX);

/**
 * Answers one accepted lookup. Whatever happens the outcome is a ledger entry and never an exception: bad arguments, a
 * cancelled run, nothing found (READY with NO_EVIDENCE), or passages of which not even one fits.
 */
export const lookUp = async (request: RagRequested, lookup: Lookup): Promise<LedgerEntry> => {
  let rendering: Rendering | undefined;
  const tool = lookupTool(bytesMaxOf(request), lookup, (made) => (rendering = made));
  const entry = await runTool(
    // The run's incident source is not what was asked.
    { ...request, source: null },
    {
      tools: toolsByName([tool]),
      sources: NO_SOURCES,
      redactor: lookup.redactor,
      signal: lookup.signal,
      onFailure: lookup.onFailure,
    },
  );
  if (rendering === undefined || entry.errorClass !== null) return entry;
  const { text, documents, truncated, redactedCount, contentHash } = rendering;
  return {
    ...entry,
    projection: inline(text),
    returned: documents.length,
    truncated,
    redactedCount,
    contentHash,
    documents,
  };
};
