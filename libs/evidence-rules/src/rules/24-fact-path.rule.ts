import { valueElsewhere } from '../elsewhere';
import { pointersWhere, resolvePointer } from '../json-pointer';
import { factsOf } from '../typed-facts';
import type { Finding, Rule } from '../rule';

export const factPath: Rule = {
  id: '24 FACT_PATH',
  meaning: 'Every typed fact points at something in the output of a call that its analysis cites.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const { reading, ledger } = view;
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
      const candidates = pointersWhere(index.document, (value) => value === fact.value);
      const other = candidates.length === 0 ? valueElsewhere(view, toolCallId, fact.value) : null;
      const hint = other ? '; the value stands in the output of another call' : '';
      yield {
        ...finding,
        path: `${at}/path`,
        message: `this path leads nowhere in the output of the call${hint}`,
        candidates,
        ...other,
      };
    }
  },
};
