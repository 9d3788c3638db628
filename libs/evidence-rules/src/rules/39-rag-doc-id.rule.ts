import { nearestName } from '../nearest';
import { renderedDocuments } from '../rendered-documents';
import type { Finding, Rule } from '../rule';

export const ragDocId: Rule = {
  id: '39 RAG_DOC_ID',
  meaning: 'Every document id of an answer is byte-equal to one that the lookup rendered (H5).',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, item] of (reading.answer?.items ?? []).entries()) {
      const call = ledger.byId.get(item.toolCallId);
      if (!call) continue;
      const rendered = new Set(renderedDocuments(call).map(({ id }) => id));
      for (const [k, id] of item.documentIds.entries()) {
        if (rendered.has(id)) continue;
        const nearest = nearestName(id, rendered);
        const hint = nearest === null ? '' : `; the nearest is ${nearest}`;
        const message = `the lookup rendered no document of this id${hint}`;
        yield {
          path: `/items/${i}/documentIds/${k}`,
          analysisId: item.id,
          toolCallId: item.toolCallId,
          message,
        };
      }
    }
  },
};
