import { isRecord } from '@inquest/contracts/json-object';
import type { Call } from './ledger-view';
import { TextIndex } from './text-index';

export type RenderedText = { id: string; title: string; text: string };

/** The documents that the model really saw: recorded by the lookup and present in its output. Retrieved but cut is not rendered. */
export const renderedDocuments = ({ entry, index }: Call): RenderedText[] => {
  const recorded = new Map((entry?.documents ?? []).map(({ id, versionHash }) => [id, versionHash]));
  const shown = isRecord(index?.document) ? index.document['documents'] : undefined;
  if (!Array.isArray(shown)) return [];
  return shown.flatMap((document: unknown) => {
    if (!isRecord(document)) return [];
    const { id, title, text, version } = document;
    if (typeof id !== 'string' || typeof text !== 'string' || !recorded.has(id)) return [];
    if (typeof version === 'string' && !recorded.get(id)?.startsWith(version)) return [];
    return [{ id, title: typeof title === 'string' ? title : '', text }];
  });
};

/** What the cited documents of an answer say, and nothing else of the lookup's output. */
export const citedDocuments = (call: Call, ids: readonly string[]): TextIndex =>
  new TextIndex(
    undefined,
    renderedDocuments(call)
      .filter(({ id }) => ids.includes(id))
      .map(({ title, text }) => ({ title, text })),
  );
