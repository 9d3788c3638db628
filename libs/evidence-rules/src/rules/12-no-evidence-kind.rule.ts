import { foundNothing } from '../ledger-view';
import type { Finding, Rule } from '../rule';

export const noEvidenceKind: Rule = {
  id: '12 NO_EVIDENCE_KIND',
  meaning: 'What found nothing carries a NEGATIVE_OBSERVATION and nothing else (H3).',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      if (analysis.kind === 'NEGATIVE_OBSERVATION') continue;
      for (const [k, toolCallId] of analysis.toolCallIds.entries()) {
        const call = ledger.byId.get(toolCallId);
        if (!call || !foundNothing(call)) continue;
        yield {
          path: `/analyses/${i}/toolCallIds/${k}`,
          analysisId: analysis.id,
          toolCallId,
          message: `this call found nothing: ${analysis.kind} cannot cite it, only a NEGATIVE_OBSERVATION can`,
        };
      }
    }
  },
};
