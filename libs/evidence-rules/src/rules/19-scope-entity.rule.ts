import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Scope } from '@inquest/contracts/scope';
import type { Call } from '../ledger-view';
import { showsEntity } from '../entity-names';
import { addedNames, dimensionsBeyond } from '../scope-containment';
import type { Finding, Rule } from '../rule';

type Answered = Call & { entry: LedgerEntry };
const isAnswered = (call: Call): call is Answered => call.entry !== null;

/** A call carries a claimed scope when the claim is no wider, and what it adds of names stands in the call's output. */
const carries = ({ entry, index }: Answered, scope: Scope): boolean => {
  if (dimensionsBeyond(scope, entry.scope).length > 0) return false;
  return (
    index === null ||
    addedNames(scope, entry.scope).every(({ dimension, name }) =>
      showsEntity(index, { type: dimension, name }),
    )
  );
};

export const scopeEntity: Rule = {
  id: '19 SCOPE_ENTITY',
  meaning:
    'The claimed scope of an analysis lies within that of a call it cites. Negatives are held more strictly, by rule 14.',
  severity: 'HARD',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      if (!analysis.scope || analysis.kind === 'NEGATIVE_OBSERVATION') continue;
      const { window: _window, ...scope } = analysis.scope;
      const calls = analysis.toolCallIds.flatMap((id) => ledger.byId.get(id) ?? []).filter(isAnswered);
      if (calls.length === 0 || calls.some((call) => carries(call, scope))) continue;
      const [first] = calls;
      const parts = calls.slice(0, 1).flatMap(({ entry }) => dimensionsBeyond(scope, entry.scope));
      const named = parts.length > 0 ? parts.join(', ') : 'a name that its output does not show';
      const fitting = ledger.calls
        .filter(isAnswered)
        .find((call) => call.evidenceStatus === 'EVIDENCE_FOUND' && carries(call, scope));
      const hint = fitting ? `; ${fitting.toolCallId} was asked about all of it` : '';
      yield {
        path: `/analyses/${i}/scope`,
        analysisId: analysis.id,
        toolCallId: first?.toolCallId,
        message: `no cited call was asked about all of this scope (${named}): narrow it to the scope of one of them${hint}`,
      };
    }
  },
};
