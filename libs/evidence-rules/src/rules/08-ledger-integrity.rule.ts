import type { Finding, Rule } from '../rule';

const DEFECTS = {
  DIGEST: 'the stored output of this call does not have the digest that its record names',
  NOT_JSON: 'the stored output of this call is not a JSON document',
};

export const ledgerIntegrity: Rule = {
  id: '8 LEDGER_INTEGRITY',
  meaning:
    'The ledger itself is sound: every output has its recorded digest, every id stands once. No draft can repair it.',
  severity: 'HARD',
  *check({ ledger }): Generator<Finding> {
    for (const toolCallId of ledger.repeatedIds) {
      yield { path: '', toolCallId, message: 'the ledger holds two records of this id', repairable: false };
    }
    for (const { toolCallId, defect } of ledger.calls) {
      if (defect) yield { path: '', toolCallId, message: DEFECTS[defect], repairable: false };
    }
  },
};
