import { negatives, presencesOf, zeroCountsOf } from '../negatives';
import type { Finding, Rule } from '../rule';

export const negativeMixed: Rule = {
  id: '13 NEGATIVE_MIXED',
  meaning:
    'A negative observation cites what found nothing, or states typed counts of zero, and nothing else, about what found something.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    const found = (toolCallId: string) => ledger.byId.get(toolCallId)?.evidenceStatus === 'EVIDENCE_FOUND';
    for (const { at, analysis } of negatives(reading)) {
      const zeroes = new Set(zeroCountsOf(analysis).map(({ toolCallId }) => toolCallId as string));
      for (const [k, toolCallId] of analysis.toolCallIds.entries()) {
        if (!found(toolCallId) || zeroes.has(toolCallId)) continue;
        yield {
          path: `${at}/toolCallIds/${k}`,
          analysisId: analysis.id,
          toolCallId,
          message:
            'this call found something: a negative observation may cite it only with a fact of value 0 (policy exact or count) in it',
        };
      }
      for (const { path, toolCallId } of presencesOf(analysis)) {
        if (!found(toolCallId)) continue;
        const message =
          'this states that there was something: a negative observation may state counts of zero only';
        yield { path: `${at}/${path}`, analysisId: analysis.id, toolCallId, message };
      }
    }
  },
};
