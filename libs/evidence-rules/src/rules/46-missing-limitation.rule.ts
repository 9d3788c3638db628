import type { Call } from '../ledger-view';
import type { Finding, Rule } from '../rule';

/** Why a reader has to be told of a call; null when there is nothing to tell. */
const gapOf = ({ status, evidenceStatus, entry }: Call): string | null => {
  if (status === 'PROJECTING') return 'this call has no result';
  if (evidenceStatus === 'ERROR')
    return entry?.errorClass === 'ACCESS_DENIED' ? 'this call was refused' : 'this call failed';
  return entry?.truncated ? 'the output of this call was truncated' : null;
};

export const missingLimitation: Rule = {
  id: '46 MISSING_LIMITATION',
  meaning:
    'A call that failed, was refused or was cut short is named by a limitation; the harness adds none itself.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    if (!reading.diagnosis) return;
    const named = new Set<string>(reading.diagnosis.limitations.flatMap(({ toolCallIds }) => toolCallIds));
    for (const call of ledger.calls) {
      const gap = gapOf(call);
      if (!gap || named.has(call.toolCallId)) continue;
      yield {
        path: '/limitations',
        toolCallId: call.toolCallId,
        message: `${gap}, and no limitation cites it`,
      };
    }
  },
};
