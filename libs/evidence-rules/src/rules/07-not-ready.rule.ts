import { restingCitations } from '../citations';
import type { Finding, Rule } from '../rule';

export const notReady: Rule = {
  id: '7 NOT_READY',
  meaning: 'Only a call that is READY supports a statement; a limitation may speak of any call.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { path, toolCallId, analysisId } of restingCitations(reading)) {
      const call = ledger.byId.get(toolCallId);
      if (!call || call.status === 'READY') continue;
      yield {
        path,
        toolCallId,
        analysisId,
        message: `this call is ${call.status}: only a limitation may cite it`,
      };
    }
  },
};
