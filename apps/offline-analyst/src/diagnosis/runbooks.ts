import { at, entity } from '../evidence/place';
import type { View } from '../evidence/view';
import type { Finding } from '../rules/finding';
import { finding } from '../rules/findings';
import { excerpt } from '../rules/wording';
import type { ToolCallId } from '@inquest/contracts/ids';

const RUNBOOKS_MAX = 1;
const QUOTE_CHARS_MIN = 20;

/** The first sentence of prose in a document: no heading, no list, no code. */
const openingOf = (body: string): string => {
  const line = body.split('\n').find((candidate) => /^[A-Z][^#`|]{20,}/.test(candidate.trim())) ?? '';
  return excerpt(line.trim().split(/(?<=[.;:])\s/, 1)[0] ?? '');
};

/**
 * A runbook for this kind of failure, tied to what was observed: knowledge explains and advises, it is no observation
 * of the incident, so it is cited together with the finding that it fits.
 */
export const runbookFindings = (view: View, findings: readonly Finding[]): Finding[] => {
  const seen = [...findings]
    .sort((a, b) => b.weight - a.weight)
    .find(({ toolCallIds }) => toolCallIds.length > 0);
  if (!seen) return [];
  const covering = view.knowledge.flatMap((document) => {
    const opening = openingOf(document.text);
    if (opening.length < QUOTE_CHARS_MIN || /\d/.test(document.title)) return [];
    const place = at(document.place, 'text');
    return [
      finding({
        key: `runbook:${document.id}`,
        sort: 'SETTING',
        kind: 'CORRELATION',
        text: `The runbook “${document.title}” (${document.id}) covers this kind of failure: “${opening}”`,
        quotes: [
          { toolCallId: place.toolCallId as ToolCallId, path: place.path, quote: opening },
          {
            toolCallId: place.toolCallId as ToolCallId,
            path: at(document.place, 'title').path,
            quote: document.title,
          },
        ].filter(({ quote }) => quote.length >= 8),
        entities: [entity('other', document.id, document.place)],
        toolCallIds: seen.toolCallIds.slice(0, 1),
        weight: 0,
      }),
    ];
  });
  return covering.slice(0, RUNBOOKS_MAX);
};
