import type { RunView } from '@inquest/contracts/run-view';
import {
  caseRunOf,
  consistencyOf,
  isHit,
  isPartial,
  isWrongAndConfident,
  plainObject,
  scoreOf,
  type CaseRun,
} from './score';
import { scoreJson, scoreTable } from './table';

const TRUTH = { object: 'app/orders', cause: 'oom_killed' };
const RIGHT = { object: 'Service/Orders', cause: 'OOM_KILLED' };
const OBJECT_ONLY = { object: 'app/orders', cause: 'pod_cpu_overload' };
const CAUSE_ONLY = { object: 'app/payment', cause: 'oom_killed' };
const OTHER = { object: 'node/n1', cause: 'kubelet_unavailable' };

const run = (over: Partial<CaseRun> = {}): CaseRun => ({
  name: 'runtime/1',
  category: 'runtime',
  truth: TRUTH,
  outcome: 'SUCCESS',
  status: 'PROBABLE_CAUSE',
  candidates: [RIGHT],
  toolCalls: 10,
  modelCalls: 5,
  ms: 1_000,
  ...over,
});

describe('what counts as a right answer', () => {
  it.each([
    ['the first is right', [RIGHT], true, true, true],
    ['the third is right', [OTHER, OBJECT_ONLY, RIGHT], false, true, false],
    ['the fourth is right', [OTHER, OTHER, OTHER, RIGHT], false, false, false],
    ['object alone', [OBJECT_ONLY], false, false, true],
    ['cause alone', [CAUSE_ONLY], false, false, true],
    ['object and cause, of two candidates', [OBJECT_ONLY, CAUSE_ONLY], false, false, true],
    ['neither', [OTHER], false, false, false],
    ['no candidate', [], false, false, false],
  ])('%s', (_, candidates, a1, a3, partial) => {
    const given = run({ candidates });
    expect([isHit(given, 1), isHit(given, 3), isPartial(given)]).toEqual([a1, a3, partial]);
  });

  it.each([
    ['Service/orders', 'app/orders'],
    ['Deployment/Orders', 'app/orders'],
    ['StatefulSet/orders', 'app/orders'],
    [' app/orders ', 'app/orders'],
    ['Node/worker-1', 'node/worker-1'],
    ['Namespace/shop', 'namespace/shop'],
    ['myservice/orders', 'myservice/orders'],
  ])('the object %s is %s', (object, plain) => expect(plainObject(object)).toBe(plain));
});

describe('wrong and confident', () => {
  it.each([
    ['a wrong cause that is named', { candidates: [OTHER] }, true],
    ['a cause that is named without a candidate', { candidates: [] }, true],
    ['no fault where there is one', { status: 'NO_FAULT_FOUND', candidates: [] }, true],
    ['a wrong one among open questions', { status: 'INCONCLUSIVE', candidates: [OTHER] }, false],
    ['a right one', {}, false],
    ['a fallback', { outcome: 'SEMANTIC_UNSUPPORTED', status: null, candidates: [] }, false],
  ])('%s', (_, over, expected) => expect(isWrongAndConfident(run(over))).toBe(expected));
});

describe('the score of many runs', () => {
  const runs = [
    run(),
    run({ name: 'runtime/2', candidates: [OTHER, RIGHT], toolCalls: 20, modelCalls: 7, ms: 3_000 }),
    run({ name: 'service/1', category: 'service', status: 'INCONCLUSIVE', candidates: [OBJECT_ONLY] }),
    run({ name: 'service/2', category: 'service', outcome: 'FAILED', status: null, candidates: [] }),
  ];

  it('gives every share of the runs, and each category its own', () => {
    expect(scoreOf(runs)).toEqual({
      cases: 4,
      runs: 4,
      a1: 0.25,
      a3: 0.5,
      partialA1: 0.5,
      outcomes: { FAILED: 0.25, SUCCESS: 0.75 },
      inconclusive: 0.25,
      wrongConfident: 0.25,
      perCategory: {
        runtime: { cases: 2, a1: 0.5, a3: 1, partialA1: 0.5 },
        service: { cases: 2, a1: 0, a3: 0, partialA1: 0.5 },
      },
      consistency: null,
      toolCallsPerRun: 12.5,
      modelCallsPerRun: 5.5,
      msPerRun: 1_500,
    });
  });

  it('is nothing but zeros over no run', () => {
    expect(scoreOf([])).toMatchObject({ cases: 0, runs: 0, a1: 0, outcomes: {}, perCategory: {} });
  });

  it('shows in a table and in one line of JSON', () => {
    const score = scoreOf(runs);
    const text = scoreTable(score, 60_000).join('\n');
    for (const part of [
      'runtime',
      '25.0 %',
      'FAILED 25.0 %',
      'wrong and confident 25.0 %',
      '12.5 tool calls',
    ])
      expect(text).toContain(part);
    const line = scoreJson(score, runs);
    expect(line).not.toContain('\n');
    const parsed = JSON.parse(line) as { a1: number; wrong: { case: string }[] };
    expect(parsed).toMatchObject({ cases: 4, a1: 0.25, wrongConfident: 0.25 });
    expect(parsed.wrong.map((item) => item.case)).toEqual(['runtime/2', 'service/1', 'service/2']);
  });
});

describe('the consistency of repeated questions', () => {
  const a = run({ candidates: [RIGHT] });
  const b = run({ candidates: [OTHER] });
  it.each([
    ['one run each', [a, run({ name: 'runtime/2' })], null],
    ['thrice the same', [a, a, a], 1],
    ['two of three the same', [a, a, b], 1 / 3],
    ['an answer and a failure', [a, run({ outcome: 'FAILED', candidates: [] })], 0],
    ['the same answer in other words', [a, run({ candidates: [TRUTH] })], 1],
    ['one case steady and one not', [a, a, run({ name: 'x' }), run({ name: 'x', candidates: [OTHER] })], 0.5],
  ])('%s', (_, runs, expected) => expect(consistencyOf(runs)).toEqual(expected));
});

describe('what a run answered', () => {
  const view = (over: object): RunView =>
    ({ outcome: 'SUCCESS', toolCalls: 3, modelCalls: 2, ...over }) as unknown as RunView;
  const item = { name: 'runtime/1', category: 'runtime', truth: TRUTH };

  it('is read in the order of the ranks, and only from what was released', () => {
    const report = {
      conclusion: { status: 'PROBABLE_CAUSE' },
      candidates: [
        { rank: 2, ...OTHER },
        { rank: 1, ...RIGHT },
      ],
    };
    expect(caseRunOf(item, view({ report }), 5)).toMatchObject({
      outcome: 'SUCCESS',
      status: 'PROBABLE_CAUSE',
      candidates: [RIGHT, OTHER],
      toolCalls: 3,
      modelCalls: 2,
      ms: 5,
    });
  });

  it.each([
    [
      'a fallback by its type',
      view({ outcome: 'FALLBACK', fallback: { type: 'SEMANTIC_UNSUPPORTED' } }),
      'SEMANTIC_UNSUPPORTED',
    ],
    ['a failure', view({ outcome: 'FAILED' }), 'FAILED'],
    ['a knowledge answer, which is no diagnosis', view({ answer: { items: [] } }), 'SUCCESS'],
    ['nothing in time', null, 'LOST'],
  ])('%s', (_, seen, outcome) => {
    expect(caseRunOf(item, seen, 1)).toMatchObject({ outcome, status: null, candidates: [] });
  });
});
