import { epochOfFact } from '../fact-moments';
import type { Finding, Rule } from '../rule';
import { factsOf } from '../typed-facts';

export const contradictionLocal: Rule = {
  id: '34 CONTRADICTION_LOCAL',
  meaning: 'One place has one value: two exact facts at the same path of the same call agree.',
  severity: 'HARD',
  *check({ reading, input }): Generator<Finding> {
    const values = new Map<string, string>();
    for (const { at, analysis, fact } of factsOf(reading)) {
      if (fact.policy !== 'exact') continue;
      // Another unit, or another spelling of a moment, is another value of the same thing: rule 25 has compared each.
      const place = `${fact.toolCallId} ${fact.path} ${fact.unit ?? ''}`;
      const value = String(epochOfFact(fact, input.zone) ?? fact.value);
      const before = values.get(place);
      if (before === undefined) values.set(place, value);
      else if (before !== value) {
        const message = 'another fact gives another value for the same place';
        yield { path: `${at}/value`, analysisId: analysis.id, toolCallId: fact.toolCallId, message };
      }
    }
  },
};
