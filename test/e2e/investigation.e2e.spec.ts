import { startCountedAnalyst, type CountedAnalyst, type Instead } from './support/counted-analyst';
import { endOfCase, openCase } from './support/cases';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(120_000);

// The offline analyst investigates, judges and evaluates by rules; what it says passes through an endpoint that counts
// requests and may answer in its place.

const POOL = { question: 'Why are the checkouts failing?', source: 'checkout-pool-exhaustion' };

let the: TheStack;
let analyst: CountedAnalyst;

beforeAll(async () => {
  analyst = await startCountedAnalyst();
  the = await startTheStack({ env: analyst.env });
});
afterAll(async () => {
  await the?.stop();
  await analyst?.stop();
});
beforeEach(() => analyst.answerInstead(() => undefined));

const open = (body: Record<string, unknown> = POOL) => openCase(the.api, body);
const ended = (caseId: string) => endOfCase(the.api, caseId);
const requestsOf = (caseId: string) => analyst.requestsOf(caseId);
const answerInstead = (instead: Instead) => analyst.answerInstead(instead);
/** No model call of a case is made twice. */
const expectEachCallOnce = (caseId: string) => {
  const keys = requestsOf(caseId).map(({ key }) => key);
  expect(keys.length).toBeGreaterThan(5);
  expect(new Set(keys).size).toBe(keys.length);
};

describe('investigations over the whole stack', () => {
  it('E1 E7 E10 ends by an early review that both orders accept, before all accounts are closed', async () => {
    const caseId = await open();
    const end = await ended(caseId);
    expect(end.status).toBe('DIAGNOSED');
    expect(end.reviews.map(({ state }) => state)).toEqual(['accepted']);
    expect(end.hypotheses.some(({ account }) => account.state === 'open')).toBe(true);
    expect(end.report?.conclusion.text.toLowerCase()).toContain('connection pool');
    const passes = requestsOf(caseId).filter(({ key }) => key.includes('/d0001-e0001-p'));
    expect(passes.map(({ key }) => key.split('/')[1])).toEqual(['d0001-e0001-p1-a1', 'd0001-e0001-p2-a1']);
    expectEachCallOnce(caseId);
  });

  it('E7 shows the evaluator both orders of the same, and nothing that an author thought of it', async () => {
    const caseId = await open({ ...POOL, question: 'What is wrong with the checkouts?' });
    await ended(caseId);
    const [one, two] = requestsOf(caseId)
      .filter(({ key }) => key.includes('/d0001-e0001-p'))
      .map(
        ({ body }) => JSON.parse(body.messages.at(-1)?.content ?? '') as Record<string, { id?: string }[]>,
      );
    expect(Object.keys(one ?? {}).sort()).toEqual([
      'asOf',
      'boundary',
      'counterchecks',
      'evidence',
      'hypotheses',
      'kind',
      'question',
    ]);
    expect(one?.['hypotheses']?.map(({ id }) => id)).toEqual(
      two?.['hypotheses']?.map(({ id }) => id).reverse(),
    );
    expect(JSON.stringify([one, two])).not.toMatch(/strongly_supported|contradicted|"confidence"|"reason"/);
  });

  it('E9 E13 goes on after a declined review in the same revision, and accepts a later one with new evidence', async () => {
    answerInstead(({ key }) =>
      key.endsWith('/d0001-e0001-p1-a1')
        ? JSON.stringify({
            hypothesisId: null,
            ratings: ['h1', 'h2', 'h3', 'h4', 'h5'].map((hypothesisId) => ({
              hypothesisId,
              confidence: 'supported',
              text: '',
            })),
            directEvidence: [],
            countercheck: { adequate: false, toolCallIds: [], text: '' },
            contradictions: [],
            uncertainty: 'Whether the database itself is slow was not looked at.',
          })
        : undefined,
    );
    const caseId = await open({ ...POOL, question: 'Why do checkouts fail?' });
    const end = await ended(caseId);
    expect(end.status).toBe('DIAGNOSED');
    expect(end.revision).toBe(1);
    const [first, ...later] = end.reviews;
    expect(first).toMatchObject({ state: 'declined' });
    expect(JSON.stringify(first)).toContain('INCONCLUSIVE');
    expect(later.map(({ state }) => state)).toEqual(['accepted']);
    const told = requestsOf(caseId).filter(({ body }) =>
      JSON.stringify(body.messages).includes('Whether the database itself is slow was not looked at.'),
    );
    expect(told.length).toBeGreaterThan(0);
    expectEachCallOnce(caseId);
  });

  it('finds no fault in a quiet evening', async () => {
    const end = await ended(await open({ question: 'Is anything wrong tonight?', source: 'quiet-evening' }));
    expect(end).toMatchObject({ status: 'DIAGNOSED', report: { conclusion: { status: 'NO_FAULT_FOUND' } } });
  });

  it('E11 goes on where it was when the harness is killed while a call of any kind is under way, and repeats none', async () => {
    const killed: string[] = [];
    const at = /\/(t0-form0|t4-turn0|d0001-e0001-p1|d0001-e0001-p2|t\d+-final0)-a1$/;
    answerInstead(async ({ key }) => {
      const [, step] = at.exec(key) ?? [];
      if (step === undefined) return undefined;
      killed.push(step);
      await the.stack.kill9('harness-orchestrator');
      return undefined;
    });
    const caseId = await open({ ...POOL, question: 'Why are checkouts failing now?' });
    const end = await ended(caseId);
    expect(killed).toHaveLength(5);
    expect(end.status).toBe('DIAGNOSED');
    expectEachCallOnce(caseId);
  });

  it('is cancelled by a person, and nothing of it is released', async () => {
    const caseId = await open({ ...POOL, question: 'Checkouts fail, why?' });
    const answer = await the.api.send('POST', `/v1/cases/${caseId}/cancel`);
    expect([200, 202]).toContain(answer.status);
    const end = await ended(caseId);
    expect(end.status).toBe('CANCELLED');
    expect(end.report ?? null).toBeNull();
  });
});
