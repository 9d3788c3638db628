import type { ProseItem } from './prose-items';
import { supportOf } from './prose-support';
import { citedDocuments } from './rendered-documents';
import type { DraftView } from './rule';
import type { TextIndex } from './text-index';

/** The texts in which names and quotations of an item may stand: of an answer its documents alone, else outputs and what was asked. */
export const citedTexts = (view: DraftView, item: ProseItem): TextIndex[] => {
  if (item.section !== 'answer')
    return supportOf(view, item).calls.flatMap(({ index, about }) => (index ? [index, about] : [about]));
  const answer = view.reading.answer?.items.find(({ id }) => id === item.id);
  if (!answer) return [];
  const call = view.ledger.byId.get(answer.toolCallId);
  return call?.index ? [citedDocuments(call, answer.documentIds)] : [];
};
