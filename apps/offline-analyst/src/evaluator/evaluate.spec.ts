import { Evaluation } from '@inquest/contracts/case-facts';
import { answersFrom, type Source } from '../../test/investigation';
import { formHypotheses } from '../case/form';
import { viewOf } from '../../test/investigation';
import { evaluate } from './evaluate';

const BOUNDARY = '=====evidence-1234abcd=====';
const hypotheses = formHypotheses(viewOf({}), 5).map((proposed, index) => ({
  id: `h${index + 1}`,
  ...proposed,
}));
const pool = hypotheses.find(({ statement }) => statement.includes('bounded resource'))?.id;

const POOL: Source = {
  objects: [{ kind: 'Process', name: 'orders-1', status: { phase: 'Running' } }],
  dependencies: [['web', 'orders']],
  logs: [{ service: 'orders', message: 'timeout exceeded when trying to connect (pool size=10)' }],
  series: [
    { name: 'db_pool_size', labels: { service: 'orders' }, values: [10, 10, 10, 10] },
    { name: 'db_pool_in_use', labels: { service: 'orders' }, values: [1, 2, 10, 10] },
  ],
};

const reviewOf = (source: Source, counterchecks: string[][], over: object = {}) => ({
  kind: 'early_review',
  boundary: BOUNDARY,
  question: 'Why?',
  hypotheses,
  counterchecks: counterchecks.map((toolCallIds) => ({ toolCallIds, diagnostic: true })),
  evidence: answersFrom(source).map(({ toolCallId, tool, text, meta }) => ({
    ...{ toolCallId, tool, evidenceStatus: meta.evidenceStatus, scope: {}, window: meta.window },
    ...{ truncated: false, projection: `${BOUNDARY}\n${text}\n${BOUNDARY}` },
  })),
  ...over,
});

const passOf = (document: unknown): Evaluation => {
  const reply = evaluate(document);
  return Evaluation.parse(JSON.parse(reply.kind === 'TEXT' ? reply.text : ''));
};

describe('one pass of an early review by rules', () => {
  it('establishes what two sorts of evidence show, with quotes byte for byte', () => {
    const review = reviewOf(POOL, [['call_objects']]);
    const pass = passOf(review);
    expect(pass.hypothesisId).toBe(pool);
    expect(pass.countercheck).toMatchObject({ adequate: true, toolCallIds: ['call_objects'] });
    expect(pass.directEvidence.length).toBeGreaterThan(1);
    for (const { toolCallId, quote } of pass.directEvidence)
      expect(review.evidence.find((piece) => piece.toolCallId === toolCallId)?.projection).toContain(quote);
  });

  it('rates every hypothesis exactly once, and alike in the reverse order', () => {
    const review = reviewOf(POOL, [['call_objects']]);
    const [forth, back] = [
      passOf(review),
      passOf({
        ...review,
        hypotheses: [...hypotheses].reverse(),
        evidence: [...review.evidence].reverse(),
      }),
    ];
    expect(forth.ratings.map(({ hypothesisId }) => hypothesisId)).toEqual(hypotheses.map(({ id }) => id));
    expect([...back.ratings].reverse()).toEqual(forth.ratings);
    expect(back.hypothesisId).toBe(forth.hypothesisId);
  });

  it('takes no call for a countercheck that clears nothing', () => {
    expect(passOf(reviewOf(POOL, [['call_series_0']])).countercheck.adequate).toBe(false);
    expect(passOf(reviewOf(POOL, [])).countercheck.adequate).toBe(false);
  });

  it('establishes nothing on one sort of evidence, and none where there is none', () => {
    expect(passOf(reviewOf({ ...POOL, series: [] }, [['call_objects']])).hypothesisId).toBeNull();
    expect(passOf(reviewOf({}, [])).hypothesisId).toBeNull();
  });

  it('names a cause elsewhere that is as strong as a contradiction', () => {
    const elsewhere: Source = {
      ...POOL,
      logs: [
        ...(POOL.logs ?? []),
        { service: 'mail', message: 'timeout exceeded when trying to connect (pool size=10)' },
      ],
      series: [
        ...(POOL.series ?? []),
        { name: 'db_pool_size', labels: { service: 'mail' }, values: [10, 10, 10, 10] },
        { name: 'db_pool_in_use', labels: { service: 'mail' }, values: [1, 2, 10, 10] },
      ],
    };
    const pass = passOf(reviewOf(elsewhere, [['call_objects']]));
    expect(pass.hypothesisId).toBeNull();
    expect(pass.contradictions).toContainEqual(expect.objectContaining({ material: true, resolved: false }));
  });

  it('establishes nothing on a document that it cannot read', () => {
    const reply = evaluate({ kind: 'early_review' });
    expect(JSON.parse(reply.kind === 'TEXT' ? reply.text : '')).toEqual({ hypothesisId: null, ratings: [] });
  });
});
