import { KNOWLEDGE_TOOL } from '../ledger-view';
import type { Finding, Rule } from '../rule';

export const knowledgeAlone: Rule = {
  id: '38 KNOWLEDGE_ALONE',
  meaning:
    'A runbook knows what may happen, not what did: in a DIAGNOSIS an OBSERVATION or CAUSE needs a call that looked.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      if (analysis.kind !== 'OBSERVATION' && analysis.kind !== 'CAUSE') continue;
      const tools = analysis.toolCallIds.flatMap((id) => ledger.byId.get(id)?.tool ?? []);
      if (tools.length === 0 || tools.some((tool) => tool !== KNOWLEDGE_TOOL)) continue;
      const message = `${analysis.kind} cites knowledge lookups only: it needs a call that looked at the system`;
      yield { path: `/analyses/${i}/toolCallIds`, analysisId: analysis.id, message };
    }
  },
};
