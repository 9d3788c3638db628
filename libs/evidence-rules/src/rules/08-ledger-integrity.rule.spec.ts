import { describeRule, findingsOf, given } from '../../test/draft';
import { LEDGER } from '../../test/draft';
import { LOGS, PODS, result } from '../../test/ledger';
import type { LedgerRecord } from '../guard-input';
import { validateDraft } from '../validate-draft';
import { ledgerIntegrity } from './08-ledger-integrity.rule';

const tampered: LedgerRecord =
  LOGS.kind === 'RESULT' ? { ...LOGS, projection: LOGS.projection.replace('42', '43') } : LOGS;
const withTampered = given({ ledger: [tampered, ...LEDGER.slice(1)] });

describe('H3 the ledger is what the model saw', () => {
  describeRule(ledgerIntegrity, {
    passes: { 'an uncited call': given({ extra: [result('call_more', { rows: [] })] }) },
    fails: {
      'an output that was changed by one digit': [withTampered, ''],
      'an output that is no JSON': [given({ extra: [result('call_text', 'plain text')] }), ''],
      'two records of one id': [given({ extra: [PODS] }), ''],
    },
  });

  it('calls such a ledger beyond repair', () => {
    expect(findingsOf(ledgerIntegrity, withTampered)).toMatchObject([
      { toolCallId: 'call_logs', repairable: false },
    ]);
    expect(validateDraft(withTampered).kind).toBe('REJECTED');
  });

  it('keeps the first record of a repeated id', () => {
    const second = result('call_logs', { matched: 7 });
    expect(validateDraft(given({ extra: [second] }))).toMatchObject({
      kind: 'REJECTED',
      violations: [{ ruleId: '8 LEDGER_INTEGRITY' }],
    });
  });
});
