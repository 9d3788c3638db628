import { repairDraft } from './repair-draft';

type Loose = { [key: string]: unknown };

const DRAFT = {
  conclusion: { status: 'ROOT_CAUSE_IDENTIFIED', text: 'Root cause: the pool is exhausted, 99 times.', analysisIds: ['a1', 'a2', 'a3'] },
  analyses: [
    { id: 'a1', kind: 'CAUSE', text: 'The pool is exhausted.', toolCallIds: ['call_1', 'call_2'], facts: [{ toolCallId: 'call_2', path: '/x', value: 1, policy: 'exact' }] },
    { id: 'a2', kind: 'OBSERVATION', text: 'It failed 12 times. It lasted.', toolCallIds: ['call_1'], quotes: [{ toolCallId: 'call_1', quote: 'a first quote' }, { toolCallId: 'call_1', quote: 'a second one' }] },
    { id: 'a3', kind: 'OBSERVATION', text: 'It is slow.', toolCallIds: ['call_3'], entities: [{ type: 'service', name: 'web', toolCallId: 'call_3' }] },
  ],
  actionPlan: [{ id: 'p1', text: 'Restart.', analysisIds: ['a1'] }, { id: 'p2', text: 'Look.', analysisIds: ['a3'] }],
  recommendations: [],
  limitations: [{ id: 'l1', text: 'A search was cut.', toolCallIds: [] }],
  candidates: [{ rank: 1, object: 'Service/web', cause: 'POOL', analysisId: 'a1' }],
}; // prettier-ignore

const violation = (path: string, over: Loose = {}) => ({ ruleId: '25 FACT_VALUE', path, ...over });
const repaired = (...violations: ReturnType<typeof violation>[]) => {
  const reply = repairDraft({
    kind: 'repair',
    draft: JSON.stringify(DRAFT),
    violations,
    validToolCallIds: [],
  });
  return JSON.parse(reply.kind === 'TEXT' ? reply.text : '{}') as typeof DRAFT;
};

describe('the repair deletes and narrows, and adds nothing', () => {
  it('leaves a draft without violations as it is', () => {
    expect(repaired()).toEqual(DRAFT);
  });

  it('takes out a wrong fact and keeps its analysis', () => {
    const draft = repaired(violation('/analyses/0/facts/0/value'));
    expect(draft.analyses[0]).toEqual({
      id: 'a1',
      kind: 'CAUSE',
      text: 'The pool is exhausted.',
      toolCallIds: ['call_1', 'call_2'],
    });
  });

  it('takes out one quote of two, also when both places of a list are named', () => {
    expect(repaired(violation('/analyses/1/quotes/0')).analyses[1]?.quotes).toEqual([
      { toolCallId: 'call_1', quote: 'a second one' },
    ]);
    expect(
      repaired(violation('/analyses/1/quotes/0'), violation('/analyses/1/quotes/1')).analyses[1],
    ).not.toHaveProperty('quotes');
  });

  it('drops the sentence that holds a stray number, and the analysis when it is the only one', () => {
    const stray = (raw: string) => ({
      ruleId: '28 PROSE_NUMBER',
      message: `the number ${raw} stands neither in the facts nor in a cited output`,
    });
    expect(repaired(violation('/analyses/1/text', stray('12'))).analyses[1]?.text).toBe('It lasted.');
    expect(repaired(violation('/analyses/2/text', stray('7'))).analyses.map(({ id }) => id)).toEqual([
      'a1',
      'a2',
    ]);
  });

  it('drops a citation with what was read from it, and an analysis with its last citation', () => {
    expect(repaired(violation('/analyses/0/toolCallIds/1')).analyses[0]).toEqual({
      id: 'a1',
      kind: 'CAUSE',
      text: 'The pool is exhausted.',
      toolCallIds: ['call_1'],
    });
    const draft = repaired(violation('/analyses/2/toolCallIds/0'));
    expect(draft.analyses.map(({ id }) => id)).toEqual(['a1', 'a2']);
    expect(draft.conclusion.analysisIds).toEqual(['a1', 'a2']);
    expect(draft.actionPlan.map(({ id }) => id)).toEqual(['p1']);
  });

  it('withdraws the conclusion with its cause', () => {
    const draft = repaired(violation('/analyses/0/kind', { ruleId: '18 CAUSAL_FROM_ABSENCE' }));
    expect(draft.conclusion).toEqual({
      status: 'INCONCLUSIVE',
      text: 'The evidence does not single out a cause.',
      analysisIds: ['a2', 'a3'],
    });
    expect(draft).not.toHaveProperty('candidates');
  });

  it('lets a conclusion that says too much say what its cause says', () => {
    expect(repaired(violation('/conclusion/text', { ruleId: '10 ORPHAN_TEXT' })).conclusion).toMatchObject({
      status: 'ROOT_CAUSE_IDENTIFIED',
      text: 'The pool is exhausted.',
    });
  });

  it('adds the limitation that was missing, under an id that is free', () => {
    const draft = repaired(
      violation('/limitations', { ruleId: '46 MISSING_LIMITATION', toolCallId: 'call_9' }),
    );
    expect(draft.limitations).toHaveLength(2);
    expect(draft.limitations[1]).toMatchObject({ id: 'l2', toolCallIds: ['call_9'] });
  });

  it('deletes what the schema does not know', () => {
    expect(repaired(violation('/candidates', { ruleId: '1 SCHEMA' }))).not.toHaveProperty('candidates');
  });

  it('returns what is no JSON as it is', () => {
    expect(
      repairDraft({ kind: 'repair', draft: 'Sorry!', violations: [violation('')], validToolCallIds: [] }),
    ).toEqual({ kind: 'TEXT', text: 'Sorry!' });
  });

  it('drops items and documents of a knowledge answer', () => {
    const draft = JSON.stringify({
      items: [
        { id: 'k1', text: 'x', toolCallId: 'call_1', documentIds: ['a', 'b'] },
        { id: 'k2', text: 'y', toolCallId: 'call_1', documentIds: ['c'] },
      ],
    });
    const violations = [violation('/items/0/documentIds/1'), violation('/items/1/documentIds/0')];
    expect(repairDraft({ kind: 'repair', draft, violations, validToolCallIds: [] })).toEqual({
      kind: 'TEXT',
      text: JSON.stringify({ items: [{ id: 'k1', text: 'x', toolCallId: 'call_1', documentIds: ['a'] }] }),
    });
  });
});
