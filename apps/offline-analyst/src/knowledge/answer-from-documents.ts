import type { KnowledgeAnswer } from '@inquest/contracts/draft';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { Conversation } from '../conversation/conversation';
import { readView } from '../evidence/read-view';
import type { KnowledgeDocument } from '../evidence/view';
import { at } from '../evidence/place';
import { passageFor, termsOf } from './passage';

const ITEMS_MAX = 4;
/** Documents that answer far less of the question than the best one are left out. */
const SHARE_OF_BEST = 0.5;
const QUOTE_CHARS = { min: 8, max: 480 } as const;

const itemOf = (
  document: KnowledgeDocument,
  index: number,
  passage: string,
): KnowledgeAnswer['items'][number] => {
  const { toolCallId } = document.place;
  const { path } = at(document.place, 'text');
  const quote = passage.slice(0, QUOTE_CHARS.max).trim();
  return {
    id: `k${index + 1}`,
    text: passage,
    toolCallId: toolCallId as ToolCallId,
    documentIds: [document.id],
    ...(quote.length >= QUOTE_CHARS.min
      ? { quotes: [{ toolCallId: toolCallId as ToolCallId, path, quote }] }
      : {}),
  };
};

/**
 * The answer in the words of the runbooks: of each document that the lookup rendered and that answers the question, the
 * passage that does so best, verbatim. None where the lookup found nothing.
 */
export const answerFromDocuments = (conversation: Conversation): KnowledgeAnswer => {
  const { knowledge, question } = readView(conversation);
  const terms = termsOf(question);
  const passages = knowledge.map((document) => ({ document, ...passageFor(document, terms) }));
  const best = Math.max(0, ...passages.map(({ score }) => score));
  const chosen = passages.filter(
    ({ score, text }) => text !== '' && (best === 0 || score >= SHARE_OF_BEST * best),
  );
  return {
    items: chosen.slice(0, ITEMS_MAX).map(({ document, text }, index) => itemOf(document, index, text)),
  };
};
