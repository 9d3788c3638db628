import { foundNothing } from '../ledger-view';
import { zeroCountsOf } from '../negatives';
import type { Finding, Rule } from '../rule';

export const causalFromAbsence: Rule = {
  id: '18 CAUSAL_FROM_ABSENCE',
  meaning:
    'Nothing causes by its absence here: a CAUSE cites no empty result, and does not rest on zero counts alone.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      if (analysis.kind !== 'CAUSE') continue;
      for (const [k, toolCallId] of analysis.toolCallIds.entries()) {
        const call = ledger.byId.get(toolCallId);
        if (!call || !foundNothing(call)) continue;
        yield {
          path: `/analyses/${i}/toolCallIds/${k}`,
          analysisId: analysis.id,
          toolCallId,
          message: 'this call found nothing: a cause cannot rest on it',
        };
      }
      const { facts = [], quotes = [], derived = [] } = analysis;
      if (
        facts.length > 0 &&
        quotes.length + derived.length === 0 &&
        zeroCountsOf(analysis).length === facts.length
      ) {
        yield {
          path: `/analyses/${i}/facts`,
          analysisId: analysis.id,
          message: 'a cause cannot rest on counts of zero alone',
        };
      }
    }
  },
};
