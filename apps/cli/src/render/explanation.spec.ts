import { Explanation } from '@inquest/contracts/explanation';
import { drawExplanation } from './explanation';
import { PLAIN } from './style';

const RUN = '01234567-89ab-8cde-8f01-23456789abcd';
const HASH = 'a'.repeat(64);
const told = { runId: RUN, intent: 'DIAGNOSIS', ruleSet: 'evidence-2', missing: [] };
const page = (explanation: object, full = false): string =>
  drawExplanation(Explanation.parse({ ...told, ...explanation }), { style: PLAIN, columns: 100, full }).join(
    '\n',
  );

const source = { toolCallId: 'call_1', tool: 'search_logs' };
const FACT = {
  kind: 'FACT',
  ...source,
  path: '/matched',
  stated: 42,
  unit: null,
  policy: 'exact',
  found: 42,
  analysisId: null,
  rules: ['25 FACT_VALUE'],
};
const CALL = {
  kind: 'CALL',
  ...source,
  evidenceStatus: 'EVIDENCE_FOUND',
  scope: { service: 'checkout' },
  window: null,
  analysisId: null,
  rules: ['6 UNKNOWN_ID'],
};
const QUOTE = {
  kind: 'QUOTE',
  ...source,
  path: null,
  quote: 'pool \u001b[31mexhausted',
  offset: 12,
  analysisId: null,
  rules: ['30 QUOTE_FIELD'],
};

const RELEASED = {
  outcome: 'SUCCESS',
  form: 'REPORT',
  reportHash: HASH,
  snapshotHash: HASH,
  wholeReport: ['1 SCHEMA'],
  drafts: [{ revision: 1, verdict: 'ACCEPTED', violations: 0, failed: [] }],
  review: [{ attempt: 1, outcome: 'SUPPORTED', failure: null, unsupported: [] }],
  items: [
    {
      id: 'a1',
      section: 'analysis',
      kind: 'OBSERVATION',
      sentences: [{ text: 'It logged 42 errors.', at: 0, grounds: [FACT, FACT] }],
      grounds: [QUOTE, CALL],
      analysisIds: [],
      rules: ['3 ANALYSIS_ID', '25 FACT_VALUE'],
      attention: [{ ruleId: '17 UNIVERSAL', note: 'speaks of every case' }],
      judge: {
        verdict: 'SUPPORTED',
        reasonCode: 'ENTAILED',
        quote: 'matched',
        toolCallId: 'call_1',
        offset: 2,
      },
    },
  ],
};

describe('An explanation on the terminal', () => {
  it('sets below each sentence what it stands on and what held it to that', () => {
    expect(page(RELEASED)).toContain(
      [
        'Released: REPORT',
        '',
        '   a1  OBSERVATION',
        '       It logged 42 errors.',
        '         42 = /matched of [1]',
        '         held by rule 25',
        '         “pool \ufffd[31mexhausted” at character 12 of [1]',
        '         calls [1] EVIDENCE_FOUND',
        '         held by rules 6, 30',
        '         judge: SUPPORTED, ENTAILED, on “matched” at character 2 of [1]',
        '         the judge was told: 17 UNIVERSAL, speaks of every case',
      ].join('\n'),
    );
  });

  it('names its sources and rules at the end, and all rules only when asked for everything', () => {
    expect(page(RELEASED)).toMatch(/Sources\n {2}\[1\] {2}search_logs {2}call_1 {2}service checkout\n/);
    expect(page(RELEASED)).toMatch(/Rules\n {2}6 UNKNOWN_ID, 25 FACT_VALUE, 30 QUOTE_FIELD\n/);
    expect(page(RELEASED, true)).toContain('rules that looked at it: 3, 25');
    expect(page(RELEASED, true)).toContain('Over the whole report: 1 SCHEMA');
  });

  it('tells where a value was read otherwise than it is stated', () => {
    const rounded = { ...FACT, stated: 42.3, found: 42.31, unit: 'ms', policy: 'rounded(1)' };
    const [item] = RELEASED.items;
    const sentences = [{ text: '42.3 ms.', at: 0, grounds: [rounded] }];
    expect(page({ ...RELEASED, items: [{ ...item, sentences }] })).toContain(
      '42.3 ms = /matched of [1] (there: 42.31)',
    );
  });

  const WITHHELD = {
    outcome: 'FALLBACK',
    fallback: 'SEMANTIC_UNSUPPORTED',
    drafts: [
      {
        revision: 1,
        verdict: 'REJECTED',
        violations: 3,
        failed: [
          {
            ruleId: '25 FACT_VALUE',
            count: 2,
            places: ['/analyses/0/facts/0/value', '/analyses/0/facts/1/value'],
          },
          { ruleId: '2 DUP_KEY', count: 1, places: [''] },
        ],
      },
      { revision: 2, verdict: 'ACCEPTED', violations: 0, failed: [] },
    ],
    review: [
      {
        attempt: 1,
        outcome: 'UNSUPPORTED',
        failure: null,
        unsupported: [{ itemId: 'a1', reasonCode: 'CAUSAL_LEAP' }],
      },
    ],
  };

  it('tells of a fallback which rules failed where, and what the judge refused', () => {
    expect(page(WITHHELD)).toContain(
      [
        'Withheld: SEMANTIC_UNSUPPORTED',
        '',
        'Draft 1: rejected by the EvidenceGuard, 3 violations',
        '       25 FACT_VALUE, 2×: /analyses/0/facts/0/value, /analyses/0/facts/1/value',
        '       2 DUP_KEY, 1×: the whole draft',
        '',
        'Draft 2: passed the EvidenceGuard',
        '',
        'SemanticGuard, attempt 1: UNSUPPORTED',
        '       a1: CAUSAL_LEAP',
      ].join('\n'),
    );
  });

  it('shows what an operator may see: each violation in place, and the draft when asked for everything', () => {
    const violation = {
      ruleId: '25 FACT_VALUE',
      analysisId: 'a1',
      path: '/analyses/0/facts/0/value',
      toolCallId: 'call_1',
      message: 'the value differs',
      repairable: true,
      candidates: [],
      stands: '43',
    };
    const draft = {
      text: '{"analyses":[]}',
      violations: [violation],
      unsupported: [{ itemId: 'a1', text: 'So it was.' }],
    };
    const [first] = WITHHELD.drafts;
    const seen = { ...WITHHELD, drafts: [{ ...first, draft }] };
    expect(page(seen)).toContain(
      '25 FACT_VALUE at /analyses/0/facts/0/value: the value differs; there stands 43',
    );
    expect(page(seen)).toContain('a1: So it was.');
    expect(page(seen)).not.toContain('{"analyses":[]}');
    expect(page(seen, true)).toContain('nothing of it is verified\n{"analyses":[]}');
  });

  it.each([
    [{ outcome: 'FAILED', reason: 'MODEL_UNAVAILABLE' }, 'Failed: MODEL_UNAVAILABLE'],
    [{ outcome: 'CANCELLED', cause: 'PERSON' }, 'Cancelled: PERSON'],
    [{ ...RELEASED, form: 'OUT_OF_SCOPE_REPLY', items: [], wholeReport: [] }, 'A constant reply'],
    [
      { ...RELEASED, missing: ['res.agent.t1-model0-a1'] },
      'no longer kept by log or archive: res.agent.t1-model0-a1',
    ],
  ])('says how a run ended: %j', (ending, line) => {
    expect(page({ drafts: [], review: [], ...ending })).toContain(line);
  });
});
