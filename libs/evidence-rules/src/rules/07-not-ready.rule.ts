import { citationsOf } from '../citations';
import type { Finding, Rule } from '../rule';

/** Only a call that is READY supports a statement; a limitation may speak of any call. */
export const notReady: Rule = {
  id: '7 NOT_READY',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { path, toolCallId, analysisId, use } of citationsOf(reading)) {
      const call = ledger.byId.get(toolCallId);
      if (use === 'LIMITATION' || !call || call.status === 'READY') continue;
      yield {
        path,
        toolCallId,
        analysisId,
        message: `this call is ${call.status}: only a limitation may cite it`,
      };
    }
  },
};
