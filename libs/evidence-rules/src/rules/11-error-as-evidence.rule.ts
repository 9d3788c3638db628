import { restingCitations } from '../citations';
import type { Finding, Rule } from '../rule';

export const errorAsEvidence: Rule = {
  id: '11 ERROR_AS_EVIDENCE',
  meaning: 'A call that failed supports nothing; that it failed is a limitation.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { path, toolCallId, analysisId } of restingCitations(reading)) {
      if (ledger.byId.get(toolCallId)?.evidenceStatus !== 'ERROR') continue;
      yield { path, toolCallId, analysisId, message: 'this call failed: name it in a limitation instead' };
    }
  },
};
