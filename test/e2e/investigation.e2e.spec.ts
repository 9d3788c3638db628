import { CaseView } from '@inquest/contracts/case-view';
import { startScriptedModel, type ScriptedModel } from '@inquest/testing/scripted-model';
import { waitFor } from '@inquest/testing/wait-for';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(120_000);

// The offline analyst investigates, judges and evaluates by rules; what it says passes through an endpoint that counts
// requests and may answer in its place.

const POOL = { question: 'Why are the checkouts failing?', source: 'checkout-pool-exhaustion' };
const CASE_MS = 60_000;

let the: TheStack;
let analyst: Analyst;
let model: ScriptedModel;
/** Answers in place of the analyst, by the request's key and its n-th time; undefined leaves it to the analyst. */
let instead: (key: string) => string | undefined | Promise<string | undefined> = () => undefined;

beforeAll(async () => {
  analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  model = await startScriptedModel(async ({ key, body }) => {
    const text = await instead(key);
    if (text !== undefined) return { kind: 'TEXT', text };
    const answer = await fetch(`http://127.0.0.1:${analyst.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { kind: 'RAW', status: answer.status, body: await answer.text() };
  });
  the = await startTheStack({
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'k',
      MODEL_ROUTER: 'rules-router',
      MODEL_AGENT: 'rules-diagnosis',
      MODEL_JUDGE: 'rules-judge',
    },
  });
});
afterAll(async () => {
  await the?.stop();
  await model?.close();
  await analyst?.stop();
});
beforeEach(() => {
  instead = () => undefined;
});

const open = async (body: Record<string, unknown> = POOL): Promise<string> => {
  const answer = await the.api.send('POST', '/v1/cases', { body });
  if (answer.status !== 201) throw new Error(`POST /v1/cases: ${answer.status} ${answer.text}`);
  return (JSON.parse(answer.text) as { caseId: string }).caseId;
};
const view = async (caseId: string): Promise<CaseView> => {
  const answer = await the.api.send('GET', `/v1/cases/${caseId}`);
  if (answer.status !== 200) throw new Error(`GET case: ${answer.status} ${answer.text}`);
  return CaseView.parse(JSON.parse(answer.text));
};
const ENDED = ['DIAGNOSED', 'INCONCLUSIVE', 'FAILED', 'CANCELLED'];
const ended = (caseId: string): Promise<CaseView> =>
  waitFor(
    `the end of case ${caseId}`,
    async () => {
      const now = await view(caseId);
      return ENDED.includes(now.status) ? now : undefined;
    },
    CASE_MS,
  );
const requestsOf = (caseId: string) => model.requests.filter(({ key }) => key.startsWith(`${caseId}/`));
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
    instead = (key) =>
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
        : undefined;
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
    instead = async (key) => {
      const [, step] = at.exec(key) ?? [];
      if (step === undefined) return undefined;
      killed.push(step);
      await the.stack.kill9('harness-orchestrator');
      return undefined;
    };
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
