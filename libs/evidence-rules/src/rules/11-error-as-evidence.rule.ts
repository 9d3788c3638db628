import { citationsOf } from '../citations';
import type { Finding, Rule } from '../rule';

/** A call that failed supports nothing; that it failed is a limitation. */
export const errorAsEvidence: Rule = {
  id: '11 ERROR_AS_EVIDENCE',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { path, toolCallId, analysisId, use } of citationsOf(reading)) {
      if (use === 'LIMITATION' || ledger.byId.get(toolCallId)?.evidenceStatus !== 'ERROR') continue;
      yield { path, toolCallId, analysisId, message: 'this call failed: name it in a limitation instead' };
    }
  },
};
