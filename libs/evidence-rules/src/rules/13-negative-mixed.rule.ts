import { negatives, zeroCountsOf } from '../negatives';
import type { Finding, Rule } from '../rule';

/** A negative observation cites what found nothing, or states a typed count of zero in what it cites. */
export const negativeMixed: Rule = {
  id: '13 NEGATIVE_MIXED',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { at, analysis } of negatives(reading)) {
      const zeroes = new Set(zeroCountsOf(analysis).map(({ toolCallId }) => toolCallId as string));
      for (const [k, toolCallId] of analysis.toolCallIds.entries()) {
        const found = ledger.byId.get(toolCallId)?.evidenceStatus === 'EVIDENCE_FOUND';
        if (!found || zeroes.has(toolCallId)) continue;
        yield {
          path: `${at}/toolCallIds/${k}`,
          analysisId: analysis.id,
          toolCallId,
          message:
            'this call found something: a negative observation may cite it only with a fact of value 0 (policy exact or count) in it',
        };
      }
    }
  },
};
