import { pointersWhere, resolvePointer } from '../json-pointer';
import { factsOf } from '../typed-facts';
import type { Finding, Rule } from '../rule';

/** Every typed fact points at something in the output of a call that its analysis cites. */
export const factPath: Rule = {
  id: '24 FACT_PATH',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { at, analysis, fact } of factsOf(reading)) {
      const { toolCallId } = fact;
      const finding = { analysisId: analysis.id, toolCallId };
      if (!analysis.toolCallIds.includes(toolCallId)) {
        yield {
          ...finding,
          path: `${at}/toolCallId`,
          message: 'the analysis does not cite the call of this fact',
        };
      }
      const index = ledger.byId.get(toolCallId)?.index;
      if (!index || resolvePointer(index.document, fact.path).found) continue;
      yield {
        ...finding,
        path: `${at}/path`,
        message: 'this path leads nowhere in the output of the call',
        candidates: pointersWhere(index.document, (value) => value === fact.value),
      };
    }
  },
};
