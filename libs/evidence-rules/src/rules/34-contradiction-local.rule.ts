import type { Finding, Rule } from '../rule';
import { factsOf } from '../typed-facts';

/** One place has one value: two exact facts at the same path of the same call agree. */
export const contradictionLocal: Rule = {
  id: '34 CONTRADICTION_LOCAL',
  severity: 'HARD',
  *check({ reading }): Generator<Finding> {
    const values = new Map<string, string>();
    for (const { at, analysis, fact } of factsOf(reading)) {
      if (fact.policy !== 'exact') continue;
      const place = `${fact.toolCallId} ${fact.path}`;
      const value = String(fact.value);
      const before = values.get(place);
      if (before === undefined) values.set(place, value);
      else if (before !== value) {
        const message = 'another fact gives another value for the same place';
        yield { path: `${at}/value`, analysisId: analysis.id, toolCallId: fact.toolCallId, message };
      }
    }
  },
};
