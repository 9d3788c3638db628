import { resolvePointer } from '../json-pointer';
import type { Finding, Rule } from '../rule';
import { factsOf } from '../typed-facts';
import { conversion, measurement, unitNamedAt } from '../units';

export const unit: Rule = {
  id: '26 UNIT',
  meaning:
    "A fact's unit measures what the output's unit measures; rule 25 converts exactly. Where the output names no unit, none is wrong.",
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const { at, analysis, fact } of factsOf(reading)) {
      const document = ledger.byId.get(fact.toolCallId)?.index?.document;
      if (fact.unit === undefined || fact.policy === 'count' || document === undefined) continue;
      const actual = resolvePointer(document, fact.path);
      if (!actual.found) continue;
      const measured = typeof actual.value === 'string' ? measurement(actual.value) : null;
      const named = typeof actual.value === 'number' ? unitNamedAt(document, fact.path) : null;
      const stated = measured?.unit ?? named?.unit ?? null;
      if (stated === null || conversion(stated, fact.unit) !== null) continue;
      const candidates = [named?.place ?? fact.path];
      const message = 'the output states this value in a unit that measures something else';
      yield { path: `${at}/unit`, analysisId: analysis.id, toolCallId: fact.toolCallId, message, candidates };
    }
  },
};
