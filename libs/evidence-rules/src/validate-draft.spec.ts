import fc from 'fast-check';
import { Violation } from '@inquest/contracts/violation';
import { answer, given, LEDGER, soundDraft, withAnalysis, type LooseDraft } from '../test/draft';
import { FAILED, LOOKUP, result } from '../test/ledger';
import type { GuardInput } from './guard-input';
import { RULES } from './rules';
import { validateDraft } from './validate-draft';

const rulesOf = (input: GuardInput): string[] => {
  const verdict = validateDraft(input);
  return verdict.kind === 'REJECTED' ? verdict.violations.map(({ ruleId }) => ruleId) : [];
};

/** Drafts that fail one rule or another, beside the sound one. */
const MUTATIONS: ((d: LooseDraft) => unknown)[] = [
  () => undefined,
  (d) => Object.assign(d.analyses[0]?.facts?.[0] ?? {}, { value: 43 }),
  (d) => Object.assign(d.analyses[0]?.quotes?.[0] ?? {}, { quote: 'connection pool exhausted: 26' }),
  (d) => Object.assign(d.analyses[1]?.entities?.[0] ?? {}, { name: 'db_connections_in_us' }),
  (d) => Object.assign(d.analyses[2] ?? {}, { kind: 'OBSERVATION' }),
  (d) => Object.assign(d.analyses[2]?.scope ?? {}, { filter: 'level=ERROR' }),
  (d) => (d.conclusion.text = 'It failed 77 times.'),
];

const permuted = (d: LooseDraft, order: readonly number[]): void => {
  const shuffle = <T>(items: T[]): T[] =>
    items
      .map((item, i) => ({ item, key: order[i % order.length] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  d.analyses = shuffle(d.analyses);
  for (const analysis of d.analyses) analysis.toolCallIds = shuffle(analysis.toolCallIds);
  d.conclusion.analysisIds = shuffle(d.conclusion.analysisIds);
};

describe('validateDraft', () => {
  it('accepts a sound draft, and says which sources carried it', () => {
    expect(validateDraft(given())).toMatchObject({
      kind: 'ACCEPTED',
      items: 8,
      attention: [],
      verifiedSources: [
        { toolCallId: 'call_logs', service: 'checkout', namespace: 'shop' },
        { toolCallId: 'call_metric' },
        { toolCallId: 'call_nothing' },
      ],
    });
  });

  it('accepts a sound answer, and the one without items', () => {
    expect(validateDraft(answer([{}]))).toMatchObject({ kind: 'ACCEPTED', items: 1 });
    expect(validateDraft(answer([]))).toMatchObject({ kind: 'ACCEPTED', items: 0 });
  });

  it('accepts an honest end: no fault found, on a negative', () => {
    const input = given({
      draft: (d) => ({
        ...d,
        conclusion: { status: 'NO_FAULT_FOUND', text: 'No error was logged.', analysisIds: ['a3'] },
        analyses: d.analyses.slice(2),
        actionPlan: [],
        recommendations: [],
        candidates: [],
      }),
    });
    expect(validateDraft(input)).toMatchObject({ kind: 'ACCEPTED' });
  });

  it('reports violations in the order of the rules', () => {
    const input = given({ draft: (d) => { for (const mutate of MUTATIONS) mutate(d); }, extra: [FAILED] }); // prettier-ignore
    const found = rulesOf(input);
    const order = RULES.map(({ id }) => id);
    expect(found).toEqual([...found].sort((a, b) => order.indexOf(a) - order.indexOf(b)));
    expect(new Set(found).size).toBeGreaterThanOrEqual(7);
  });

  it('reports at most 64 violations under their contract, those beyond repair among them', () => {
    const text = Array.from({ length: 60 }, (_, i) => i + 7_001).join(' ');
    const input = given({
      draft: (d) => {
        d.analyses = Array.from({ length: 50 }, (_, i) => ({
          id: `a${i + 1}`,
          kind: 'NEGATIVE_OBSERVATION',
          text,
          toolCallIds: ['call_logs', 'other', 'other'],
          facts: [{ toolCallId: 'none', path: '/x', value: 1, policy: 'exact' }],
          quotes: [{ toolCallId: 'call_logs', quote: 'nowhere to be found' }],
        }));
        d.recommendations = Array.from({ length: 20 }, () => ({
          id: 'r1',
          text: '\u0000',
          analysisIds: ['a99'],
        }));
      },
      extra: [result('call_logs', {}), FAILED],
    });
    const verdict = validateDraft(input);
    if (verdict.kind !== 'REJECTED') throw new Error(verdict.kind);
    expect(verdict.violations).toHaveLength(64);
    for (const violation of verdict.violations) expect(Violation.parse(violation)).toEqual(violation);
    expect(verdict.violations.some(({ repairable }) => !repairable)).toBe(true);
  });

  it('never says a value of a tool’s output', () => {
    const secretive = result('call_odd', { rows: [{ latency: 7318.25, message: 'xylophone quartz' }] });
    const input = withAnalysis(
      {
        text: 'It took 7318 ms.',
        toolCallIds: ['call_odd'],
        facts: [{ toolCallId: 'call_odd', path: '/rows/0/latency', value: 7317, policy: 'exact' }],
        quotes: [{ toolCallId: 'call_odd', path: '/rows/0/latency', quote: 'xylophone' }],
      },
      { extra: [secretive] },
    );
    const text = JSON.stringify(validateDraft(input));
    expect(rulesOf(input)).toEqual(expect.arrayContaining(['25 FACT_VALUE', '30 QUOTE_FIELD']));
    expect(text).not.toMatch(/7318\.25|quartz/);
  });

  it('turns an unforeseen failure into a rejection beyond repair', () => {
    const broken = given({ ledger: null as unknown as GuardInput['ledger'] });
    expect(validateDraft(broken)).toMatchObject({
      kind: 'REJECTED',
      violations: [{ ruleId: '0 INTERNAL', repairable: false }],
    });
  });

  it('is the same whatever the order of analyses and citations', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(), { minLength: 3, maxLength: 3 }),
        fc.nat(MUTATIONS.length - 1),
        (order, which) => {
          const mutate = MUTATIONS[which] ?? (() => undefined);
          const straight = rulesOf(given({ draft: (d) => void mutate(d) }));
          const shuffled = rulesOf(given({ draft: (d) => { mutate(d); permuted(d, order); } })); // prettier-ignore
          expect(shuffled.sort()).toEqual(straight.sort());
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is the same whatever else the run looked at', () => {
    const documents = fc.array(
      fc.record({ matched: fc.nat(), rows: fc.array(fc.jsonValue(), { maxLength: 4 }) }),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(documents, fc.nat(MUTATIONS.length - 1), (others, which) => {
        const mutate = MUTATIONS[which] ?? (() => undefined);
        const extra = others.map((document, i) => result(`call_other${i}`, document));
        expect(rulesOf(given({ draft: (d) => void mutate(d), extra }))).toEqual(
          rulesOf(given({ draft: (d) => void mutate(d) })),
        );
      }),
      { numRuns: 100 },
    );
  });

  it('knows the one draft from the other: a lookup counts, a diagnosis is no answer', () => {
    expect(rulesOf({ ...answer([{}]), intent: 'DIAGNOSIS' })).toContain('1 SCHEMA');
    expect(rulesOf(given({ intent: 'KNOWLEDGE_QUERY', ledger: [...LEDGER, LOOKUP] }))).toContain('1 SCHEMA');
    expect(soundDraft().analyses).toHaveLength(3);
  });
});
