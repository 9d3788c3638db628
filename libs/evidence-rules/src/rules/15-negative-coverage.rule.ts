import type { LedgerEntry } from '@inquest/contracts/ledger';
import { negatives } from '../negatives';
import type { Finding, Rule } from '../rule';

const GAPS = [
  'truncated',
  'limitHit',
  'sampled',
  'partial',
  'permissionFiltered',
] as const satisfies (keyof LedgerEntry)[];

export const negativeCoverage: Rule = {
  id: '15 NEGATIVE_COVERAGE',
  meaning: 'What did not see everything cannot say that there was nothing.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { at, analysis } of negatives(reading)) {
      for (const [k, toolCallId] of analysis.toolCallIds.entries()) {
        const entry = ledger.byId.get(toolCallId)?.entry;
        const gaps = GAPS.filter((gap) => entry?.[gap] === true);
        if (gaps.length === 0) continue;
        const message = `this call did not see everything (${gaps.join(', ')}), so an absence cannot rest on it`;
        yield { path: `${at}/toolCallIds/${k}`, analysisId: analysis.id, toolCallId, message };
      }
    }
  },
};
