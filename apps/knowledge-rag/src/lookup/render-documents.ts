import { canonicalJson, hashOf } from '@inquest/contracts/canonical-json';
import type { RenderedDocument } from '@inquest/contracts/ledger';
import type { Redactor } from '@inquest/redaction/redactor';
import { PROJECTION_BYTES_FLOOR } from '@inquest/toolsets/projection';
import { cutText } from '@inquest/toolsets/shrink-json';
import type { Passage } from '../corpus/runbook';
import type { SearchHits } from '../search/search-index';

/** What a lookup shows: the bytes that the model sees, the guards check and a person opens. */
export type Rendering = {
  /** `{tool, query, matched, returned, truncated, documents: [{id, title, version, text}]}` as canonical JSON. */
  text: string;
  /** Exactly the documents in `text`, in its order. */
  documents: RenderedDocument[];
  /** A passage that was found within the limit had no room. */
  truncated: boolean;
  redactedCount: number;
  contentHash: string;
};

/** JSON pointers into the text: whoever may edit a runbook, or put a question, can write there. */
export const UNTRUSTED_PATHS = ['/query', '/documents/*/title', '/documents/*/text'] as const;

/** Of the room: an echo of the question must not displace its answer. */
const QUERY_SHARE = 0.25;
/** What the frame around query and documents takes, with numbers of any size. */
const FRAME_BYTES = 128;

type ShownDocument = { id: string; title: string; version: string; text: string };

const bytesOf = (value: unknown): number => Buffer.byteLength(canonicalJson(value), 'utf8');

const fitQuery = (query: string, bytesMax: number): string => {
  let shown = query;
  for (
    let charsMax = query.length;
    bytesOf(shown) > bytesMax && charsMax > 1;
    charsMax = Math.floor(charsMax / 2)
  ) {
    shown = cutText(query, Math.floor(charsMax / 2));
  }
  return shown;
};

/**
 * Renders passages, best first, as many as fit into `bytesMax` UTF-8 bytes: each one whole or not at all, since an id
 * stands for the whole text that its version names. Redacted before it is measured.
 */
export const renderDocuments = (
  tool: string,
  query: string,
  { matched, passages }: SearchHits,
  { bytesMax, redactor }: { bytesMax: number; redactor: Redactor },
): Rendering => {
  const budget = Math.max(PROJECTION_BYTES_FLOOR, bytesMax);
  let redactedCount = 0;
  const clean = (text: string): string => {
    const redacted = redactor.redactText(text);
    redactedCount += redacted.count;
    return redacted.text;
  };
  const shownOf = ({ id, title, heading, versionHash, text }: Passage): ShownDocument => ({
    id,
    title: clean(`${title}: ${heading}`),
    version: versionHash,
    text: clean(text),
  });

  // Control characters are no words, and the read model's database cannot hold all of them.
  const shownQuery = fitQuery(clean(query.replace(/\p{Cc}+/gu, ' ')), budget * QUERY_SHARE);
  let left = budget - FRAME_BYTES - bytesOf({ tool, query: shownQuery });
  const documents: ShownDocument[] = [];
  for (const passage of passages) {
    const document = shownOf(passage);
    const bytes = bytesOf(document) + 1;
    if (bytes > left) continue;
    documents.push(document);
    left -= bytes;
  }
  const truncated = documents.length < passages.length;
  return {
    text: canonicalJson({
      tool,
      query: shownQuery,
      matched,
      returned: documents.length,
      truncated,
      documents,
    }),
    documents: documents.map(({ id, version }) => ({ id, versionHash: version })),
    truncated,
    redactedCount,
    contentHash: hashOf({ tool, rows: documents }),
  };
};
