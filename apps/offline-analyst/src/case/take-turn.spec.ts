import type { NextKind } from '@inquest/contracts/case-facts';
import { viewOf, type Source } from '../../test/investigation';
import type { CaseDocument, TurnOrder } from './case-request';
import { formHypotheses } from './form';
import { standingOf } from './standing';
import { takeTurn } from './take-turn';

const POOL: Source = {
  alerts: [],
  objects: [{ kind: 'Process', name: 'orders-1', status: { phase: 'Running' } }],
  events: [],
  metrics: [],
  dependencies: [['web', 'orders']],
  logs: [{ service: 'orders', message: 'timeout exceeded when trying to connect (pool size=10)' }],
  series: [
    { name: 'db_pool_size', labels: { service: 'orders' }, values: [10, 10, 10, 10] },
    { name: 'db_pool_in_use', labels: { service: 'orders' }, values: [1, 2, 10, 10] },
  ],
};

const hypotheses = formHypotheses(viewOf({}), 5).map(({ statement }, index) => ({
  id: `h${index + 1}`,
  statement,
  confidence: 'unassessed' as const,
}));
const leader = hypotheses.find(({ statement }) => statement.includes('bounded resource'))?.id ?? '';
const other = hypotheses.find(({ statement }) => statement.includes('cannot be created'))?.id ?? '';

const documentOf = (source: Source, over: Partial<CaseDocument> = {}): CaseDocument => ({
  kind: 'case',
  question: 'Why?',
  hypotheses,
  findings: [],
  declined: [],
  actions: viewOf(source).calls.map(({ toolCallId, tool }) => ({
    ...{ toolCallId, tool, expectedIfTrue: 'x', state: 'settled' },
  })),
  ...over,
});

const ALL: NextKind[] = ['research', 'assess', 'conclude', 'request_diagnosis', 'reject'];
const orderOf = (hypothesisId: string, over: Partial<TurnOrder> = {}): TurnOrder => ({
  kind: 'investigate',
  mode: 'INVESTIGATE',
  hypothesisId,
  permitted: ALL,
  hypothesesMax: 5,
  actionsLeft: 8,
  actionsPerTurnMax: 3,
  previousInvalid: null,
  ...over,
});
const turn = (source: Source, order: TurnOrder, over: Partial<CaseDocument> = {}, offered: string[] = []) =>
  takeTurn({ standing: standingOf(viewOf(source)), document: documentOf(source, over), order, offered });

describe('a turn by rules', () => {
  it('asks parts of the overview first, with what would be seen in either case', () => {
    const { next, assessment, findings } = turn({}, orderOf(leader));
    expect(assessment).toBeNull();
    expect(findings).toEqual([]);
    expect(next).toMatchObject({
      kind: 'research',
      actions: [
        { tool: 'active_alerts', arguments: {} },
        { tool: 'list_metrics', arguments: {} },
      ],
    });
    for (const action of next.kind === 'research' ? next.actions : [])
      expect(action.expectedIfTrue).not.toBe(action.expectedIfFalse);
  });

  it('keeps to the actions that are left and to the tools that are offered', () => {
    const few = turn({}, orderOf(leader, { actionsPerTurnMax: 1 }));
    expect(few.next.kind === 'research' && few.next.actions).toHaveLength(1);
    const { next } = turn({}, orderOf(leader), {}, ['list_metrics']);
    expect(next.kind === 'research' && next.actions.map(({ tool }) => tool)).toEqual(['list_metrics']);
  });

  it('does not ask what is under way', () => {
    const first = turn({}, orderOf(leader)).next;
    const actions = (first.kind === 'research' ? first.actions : []).map((action, index) => ({
      ...{ toolCallId: `tc-${index}`, state: 'reserved', ...action },
    }));
    const { next } = turn({}, orderOf(leader), { actions });
    expect(next.kind).not.toBe('research');
  });

  it('rates the hypothesis whose mechanism two sorts of evidence show, and cites them', () => {
    const { assessment, findings } = turn(POOL, orderOf(leader));
    expect(assessment?.confidence).toBe('strongly_supported');
    const own = findings.filter(({ cells }) =>
      cells.some(({ hypothesisId, cell }) => hypothesisId === leader && cell === 'consistent'),
    );
    expect(new Set(own.flatMap(({ toolCallIds }) => toolCallIds)).size).toBeGreaterThan(1);
    for (const { cells } of findings) expect(cells).toHaveLength(hypotheses.length);
  });

  it('asks for no diagnosis before a test of an alternative stands in the case', () => {
    const { next } = turn(POOL, orderOf(leader, { actionsLeft: 0 }));
    expect(next.kind).not.toBe('request_diagnosis');
  });

  it('rejects with the evidence that speaks against it', () => {
    const rated = hypotheses.map((stated) => ({ ...stated, confidence: 'contradicted' as const }));
    const { next, assessment } = turn(POOL, orderOf(other), { hypotheses: rated });
    expect(assessment?.confidence).toBe('contradicted');
    expect(next).toMatchObject({ kind: 'reject', reason: expect.stringContaining('orders-1') });
  });

  it('only defers, rejects or rates while a diagnosis is prepared', () => {
    const permitted: NextKind[] = ['assess', 'defer', 'reject'];
    const kinds = hypotheses.map(
      ({ id }) => turn(POOL, orderOf(id, { mode: 'PREPARE', permitted, actionsLeft: 0 })).next.kind,
    );
    expect(kinds.every((kind) => permitted.includes(kind))).toBe(true);
    expect(kinds).toContain('defer');
    expect(kinds[hypotheses.findIndex(({ id }) => id === leader)]).toBe('assess');
  });

  it('takes the plainest step after an answer that was refused', () => {
    expect(turn(POOL, orderOf(leader, { previousInvalid: 'no' }))).toEqual({
      findings: [],
      assessment: null,
      next: { kind: 'conclude' },
    });
  });
});
