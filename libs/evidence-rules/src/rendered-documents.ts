import type { Call } from './ledger-view';

export type RenderedText = { id: string; title: string; text: string };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

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
