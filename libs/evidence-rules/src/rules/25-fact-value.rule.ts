import type { Fact } from '@inquest/contracts/draft';
import { valueElsewhere } from '../elsewhere';
import { inUnitOf } from '../fact-actual';
import { momentProblem, statesMoment } from '../fact-moments';
import { pointersWhere, resolvePointer } from '../json-pointer';
import type { Call } from '../ledger-view';
import type { Finding, Rule } from '../rule';
import { factsOf } from '../typed-facts';
import { mismatch, type Mismatch } from '../value-policy';

const MESSAGES: Record<Mismatch, string> = {
  KIND: 'what stands at this path is of another kind than value and policy say',
  VALUE: 'the value at this path is another one',
};

const isMark = (item: unknown): boolean => typeof item === 'string' && item.startsWith('[TRUNCATED');

/** `count` of a list that was cut counts what was shown, not what there is. */
const countsACutList = (fact: Fact, list: unknown, { entry }: Call): boolean =>
  fact.policy === 'count' &&
  ((Array.isArray(list) && list.some(isMark)) ||
    ((entry?.truncated === true || entry?.limitHit === true) && /^\/[^/]+$/.test(fact.path)));

export const factValue: Rule = {
  id: '25 FACT_VALUE',
  meaning: 'Every typed fact has the value that stands at its path, as closely as its policy says.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    const { reading, ledger } = view;
    const { zone } = view.input;
    for (const { at, analysis, fact } of factsOf(reading)) {
      const call = ledger.byId.get(fact.toolCallId);
      if (!call?.index) continue;
      const { document } = call.index;
      const actual = resolvePointer(document, fact.path);
      if (!actual.found) continue;
      const finding = { path: `${at}/value`, analysisId: analysis.id, toolCallId: fact.toolCallId };
      const wrong = mismatch(fact.policy, fact.value, inUnitOf(fact, document, actual.value));
      // Moments have many spellings, and what is wrong about one is rule 21's.
      if (wrong && statesMoment(fact, actual.value, zone)) continue;
      if (wrong && momentProblem(fact, actual.value, zone)) continue;
      if (wrong) {
        const candidates = pointersWhere(
          document,
          (value) => mismatch(fact.policy, fact.value, value) === null,
        );
        const other = candidates.length === 0 ? valueElsewhere(view, fact.toolCallId, fact.value) : null;
        const hint = other ? '; this value stands in the output of another call' : '';
        yield { ...finding, message: `${MESSAGES[wrong]}${hint}`, candidates, ...other };
      } else if (countsACutList(fact, actual.value, call)) {
        yield {
          ...finding,
          path: `${at}/policy`,
          message: 'this list was cut: its length is no count, see the total beside it',
          candidates: ['/matched'],
        };
      }
    }
  },
};
