import { foundNothing } from '../ledger-view';
import type { Finding, Rule } from '../rule';

export const ragEmpty: Rule = {
  id: '40 RAG_EMPTY',
  meaning: 'A lookup that found nothing leads to the fixed not-found answer, which has no items.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, item] of (reading.answer?.items ?? []).entries()) {
      const call = ledger.byId.get(item.toolCallId);
      if (!call || !foundNothing(call)) continue;
      const message = 'the lookup found nothing: the answer has no items';
      yield { path: `/items/${i}`, analysisId: item.id, toolCallId: item.toolCallId, message };
    }
  },
};
