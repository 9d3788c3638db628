import type { AnalysisKind } from '@inquest/contracts/draft';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { AnalysisKind as Kinds } from '@inquest/contracts/draft';
import { withAnalysis } from '../test/draft';
import { projecting, result, WINDOW } from '../test/ledger';
import type { LedgerRecord } from './guard-input';
import { validateDraft } from './validate-draft';

type State = [status: 'PROJECTING' | 'READY' | 'ERROR', evidence: LedgerEntry['evidenceStatus'] | null];
const STATES: State[] = [
  ['PROJECTING', null],
  ['READY', 'EVIDENCE_FOUND'],
  ['READY', 'NO_EVIDENCE'],
  ['READY', 'ERROR'],
  ['ERROR', 'ERROR'],
];

const record = ([status, evidence]: State): LedgerRecord => {
  if (status === 'PROJECTING' || evidence === null) return projecting('call_x');
  const found = evidence === 'EVIDENCE_FOUND' ? 1 : 0;
  return result(
    'call_x',
    { matched: found, rows: [] },
    {
      status,
      evidenceStatus: evidence,
      errorClass: evidence === 'ERROR' ? 'SOURCE_FAILED' : null,
      scope: { service: 'checkout' },
      window: WINDOW,
      matched: found,
    },
  );
};

/** The rules, besides the missing limitation, that forbid an analysis of this kind on a call of this state. */
const expected = (kind: AnalysisKind, [status, evidence]: State): string[] => {
  if (status === 'PROJECTING') return ['7 NOT_READY'];
  if (status === 'ERROR') return ['7 NOT_READY', '11 ERROR_AS_EVIDENCE'];
  if (evidence === 'ERROR') return ['11 ERROR_AS_EVIDENCE'];
  if (kind === 'NEGATIVE_OBSERVATION') return evidence === 'NO_EVIDENCE' ? [] : ['13 NEGATIVE_MIXED'];
  if (evidence === 'EVIDENCE_FOUND') return [];
  return kind === 'CAUSE' ? ['12 NO_EVIDENCE_KIND', '18 CAUSAL_FROM_ABSENCE'] : ['12 NO_EVIDENCE_KIND'];
};

describe('H3 analysis kind x invocation status x evidence status', () => {
  const cases = Kinds.options.flatMap((kind) => STATES.map((state) => [kind, ...state] as const));

  it.each(cases)('%s on %s with %s', (kind, status, evidence) => {
    const input = withAnalysis(
      {
        kind,
        toolCallIds: ['call_x'],
        ...(kind === 'NEGATIVE_OBSERVATION' ? { scope: { service: 'checkout', window: WINDOW } } : {}),
      },
      { extra: [record([status, evidence])] },
    );
    const verdict = validateDraft(input);
    const rules = verdict.kind === 'REJECTED' ? verdict.violations.map(({ ruleId }) => ruleId) : [];
    expect(rules.filter((rule) => rule !== '46 MISSING_LIMITATION')).toEqual(
      expected(kind, [status, evidence]),
    );
    expect(verdict.kind === 'ACCEPTED').toBe(
      status === 'READY' && evidence === (kind === 'NEGATIVE_OBSERVATION' ? 'NO_EVIDENCE' : 'EVIDENCE_FOUND'),
    );
  });
});
