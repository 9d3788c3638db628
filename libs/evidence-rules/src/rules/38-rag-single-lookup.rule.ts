import { KNOWLEDGE_TOOL } from '../ledger-view';
import type { Finding, Rule } from '../rule';

export const ragSingleLookup: Rule = {
  id: '38 RAG_SINGLE_LOOKUP',
  meaning: 'The answer to a KNOWLEDGE_QUERY stands on the one lookup of its run, and each item says so (H5).',
  severity: 'HARD',
  *check({ input, reading, ledger }): Generator<Finding> {
    if (input.intent !== 'KNOWLEDGE_QUERY') return;
    const lookups = ledger.calls.filter(({ tool }) => tool === KNOWLEDGE_TOOL);
    if (lookups.length !== 1) {
      yield {
        path: '',
        message: 'an answer needs exactly one knowledge lookup in its run',
        repairable: false,
      };
      return;
    }
    for (const [i, item] of (reading.answer?.items ?? []).entries()) {
      if (item.toolCallId === lookups[0]?.toolCallId) continue;
      yield {
        path: `/items/${i}/toolCallId`,
        analysisId: item.id,
        toolCallId: item.toolCallId,
        message: 'every item cites the one lookup of the run',
      };
    }
  },
};
