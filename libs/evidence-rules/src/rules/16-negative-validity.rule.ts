import { negatives } from '../negatives';
import type { Finding, Rule } from '../rule';

export const negativeValidity: Rule = {
  id: '16 NEGATIVE_VALIDITY',
  meaning: 'A misspelt metric is no absence: what was asked for by name is known to exist.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { at, analysis } of negatives(reading)) {
      for (const [k, toolCallId] of analysis.toolCallIds.entries()) {
        if (ledger.byId.get(toolCallId)?.entry?.selectorKnown !== false) continue;
        const message =
          'this call asked for a name that its source does not know, so its empty answer says nothing';
        yield { path: `${at}/toolCallIds/${k}`, analysisId: analysis.id, toolCallId, message };
      }
    }
  },
};
