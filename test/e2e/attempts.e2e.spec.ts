import { semanticResult } from '@inquest/contracts/semantic-facts';
import type { RunView } from '@inquest/contracts/run-view';
import type { ScriptedReply } from '@inquest/testing/scripted-model';
import type { ScriptedRole, ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { documentsOf } from './support/scripts';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(90_000);

const SOURCE = { source: 'checkout-pool-exhaustion' };
const HANG_MS = 3_000;

let the: TheStack;
beforeAll(async () => {
  the = await startTheStack({
    limits: { routerTimeoutMs: HANG_MS, modelTimeoutMs: HANG_MS, semanticTimeoutMs: HANG_MS },
  });
});
afterAll(() => the?.stop());

const ERROR_500: ScriptedReply = { kind: 'RAW', status: 500, body: '{}' };
const ERROR_503: ScriptedReply = { kind: 'RAW', status: 503, body: '{}', headers: { 'retry-after': '1' } };
const BUSY: ScriptedReply = { kind: 'RAW', status: 429, body: '{}', headers: { 'retry-after': '1' } };
const HANG: ScriptedReply = { kind: 'HANG_HEADERS' };
const HALF: ScriptedReply = { kind: 'HANG_BODY' };
const CUT: ScriptedReply = { kind: 'CUT' };
const CUT_BODY: ScriptedReply = { kind: 'CUT', body: '{"choices":[' };
const PROSE: ScriptedReply = { kind: 'TEXT', text: 'It depends.' };

/** What the endpoint answers in the attempts of one role; after the last entry the script goes on by itself. */
const failing = (role: ScriptedRole, ...replies: ScriptedReply[]): ScriptedRunKnobs => ({
  intercept: (who, request, { attempt }) =>
    who === role && !request.key.startsWith('canary/') ? replies[attempt - 1] : undefined,
});

type Case = { name: string; knobs: ScriptedRunKnobs; failures: string[]; outcome: string };
const CASES: Case[] = [
  { name: 'nothing fails', knobs: {}, failures: [], outcome: 'SUCCESS' },
  { name: 'router 500', knobs: failing('router', ERROR_500), failures: ['SERVER_ERROR'], outcome: 'SUCCESS' },
  { name: 'router 429', knobs: failing('router', BUSY), failures: ['RATE_LIMITED'], outcome: 'SUCCESS' },
  { name: 'router hangs', knobs: failing('router', HANG), failures: ['TIMEOUT'], outcome: 'SUCCESS' },
  { name: 'router is cut', knobs: failing('router', CUT), failures: ['TRANSPORT'], outcome: 'SUCCESS' },
  {
    name: 'router 500 twice',
    knobs: failing('router', ERROR_500, ERROR_500),
    failures: ['SERVER_ERROR', 'SERVER_ERROR'],
    outcome: 'ROUTER_UNAVAILABLE',
  },
  {
    name: 'agent 500',
    knobs: failing('agent', ERROR_500),
    failures: ['SERVER_ERROR'],
    outcome: 'MODEL_UNAVAILABLE',
  },
  {
    name: 'agent 429',
    knobs: failing('agent', BUSY),
    failures: ['RATE_LIMITED'],
    outcome: 'MODEL_UNAVAILABLE',
  },
  { name: 'agent hangs', knobs: failing('agent', HANG), failures: ['TIMEOUT'], outcome: 'MODEL_UNAVAILABLE' },
  {
    name: 'agent is cut in its body',
    knobs: failing('agent', CUT_BODY),
    failures: ['TRANSPORT'],
    outcome: 'MODEL_UNAVAILABLE',
  },
  { name: 'judge 500', knobs: failing('judge', ERROR_500), failures: ['SERVER_ERROR'], outcome: 'SUCCESS' },
  { name: 'judge 503', knobs: failing('judge', ERROR_503), failures: ['SERVER_ERROR'], outcome: 'SUCCESS' },
  { name: 'judge 429', knobs: failing('judge', BUSY), failures: ['RATE_LIMITED'], outcome: 'SUCCESS' },
  {
    name: 'judge hangs in its body',
    knobs: failing('judge', HALF),
    failures: ['TIMEOUT'],
    outcome: 'SUCCESS',
  },
  { name: 'judge is cut', knobs: failing('judge', CUT), failures: ['TRANSPORT'], outcome: 'SUCCESS' },
  { name: 'judge talks', knobs: failing('judge', PROSE), failures: ['INVALID_RESPONSE'], outcome: 'SUCCESS' },
  {
    name: 'judge talks twice',
    knobs: failing('judge', PROSE, PROSE),
    failures: ['INVALID_RESPONSE', 'INVALID_RESPONSE'],
    outcome: 'SEMANTIC_UNAVAILABLE',
  },
  {
    name: 'judge hangs, then talks',
    knobs: failing('judge', HANG, PROSE),
    failures: ['TIMEOUT', 'INVALID_RESPONSE'],
    outcome: 'SEMANTIC_UNAVAILABLE',
  },
];

const endingOf = ({ outcome, fallback, failure }: RunView): string =>
  fallback?.type ?? failure?.reason ?? String(outcome);

describe('H9 every attempt is one request, and only the harness asks again', () => {
  const views = new Map<string, RunView>();
  beforeAll(async () => {
    the.playEach(Object.fromEntries(CASES.map(({ name, knobs }) => [name, knobs])));
    const asked = CASES.map(async ({ name }) => {
      views.set(name, await the.api.askAndEnd({ ...SOURCE, question: name }));
    });
    await Promise.all(asked);
  });

  const viewOf = (name: string): RunView => views.get(name) as RunView;
  const requestedSteps = async (runId: string): Promise<string[]> =>
    (await the.log.eventsOf(runId, 'StepRequested'))
      .filter(({ service }) => ['router', 'agent', 'semantic'].includes(service))
      .map(({ step }) => step);

  it.each(CASES)(
    '$name: $outcome after exactly the requests that the log names',
    async ({ name, failures, outcome }) => {
      const view = viewOf(name);
      expect(endingOf(view)).toBe(outcome);
      const requests = the.requestsOf(view.runId);
      const steps = await requestedSteps(view.runId);
      expect(requests.map(({ key }) => key)).toEqual(steps.map((step) => `${view.runId}/${step}`));
      expect(requests.every(({ n }) => n === 1)).toBe(true);
      expect(view.modelCalls).toBe(requests.length);
      const events = await the.log.events(view.runId);
      const failed = events.flatMap((event) =>
        (event.type === 'AttemptFailed' || event.type === 'SemanticAttemptRecorded') && event.failure !== null
          ? [event.failure]
          : [],
      );
      expect(failed).toEqual(failures);
    },
  );

  it.each(['router 429', 'judge 429', 'judge 503'])(
    '%s: waits as long as the endpoint asks',
    async (name) => {
      const { runId } = viewOf(name);
      const chain = await the.log.chain(runId);
      const requestedAt = (attempt: string): number => {
        const entry = chain.find(({ events }) =>
          events.some((e) => e.type === 'StepRequested' && e.service !== 'agent' && e.step.endsWith(attempt)),
        );
        return Date.parse(entry?.at ?? '');
      };
      const [scheduled] = chain.flatMap(({ events }) => events.filter((e) => e.type === 'RetryScheduled'));
      const dueAtMs = Date.parse(scheduled?.dueAt ?? '');
      // The endpoint asked for a second, after the first attempt was requested; the second is not requested before.
      expect(dueAtMs - requestedAt('-a1')).toBeGreaterThanOrEqual(1_000);
      expect(requestedAt('-a2')).toBeGreaterThanOrEqual(dueAtMs);
    },
  );

  it('two attempts of the judge see the same snapshot, and both are recorded', async () => {
    const { runId } = viewOf('judge talks');
    const [accepted] = await the.log.eventsOf(runId, 'EvidenceAccepted');
    const judged = the.requestsOf(runId).filter(({ key }) => key.includes('-semantic0-'));
    expect(judged.map((request) => documentsOf(request)[0]?.snapshotHash)).toEqual([
      accepted?.snapshotHash,
      accepted?.snapshotHash,
    ]);
    const recorded = await the.log.eventsOf(runId, 'SemanticAttemptRecorded');
    expect(recorded).toMatchObject([
      { attempt: 1, outcome: 'FAILED', failure: 'INVALID_RESPONSE' },
      { attempt: 2, outcome: 'SUPPORTED', failure: null },
    ]);
    const results = await Promise.all(
      recorded.map(({ step }) => the.log.resultData(semanticResult, runId, 'semantic', step)),
    );
    expect(results).toMatchObject([
      { kind: 'FAILED', record: { model: 'scripted-judge' } },
      { kind: 'JUDGED', snapshotHash: accepted?.snapshotHash },
    ]);
  });

  it('the judge’s second attempt cannot overrule an UNSUPPORTED of the first', async () => {
    the.play({ judge: ['UNSUPPORTED', 'SUPPORTED'] });
    const view = await the.api.askAndEnd(SOURCE);
    expect(endingOf(view)).toBe('SEMANTIC_UNSUPPORTED');
    expect(the.requestsOf(view.runId).filter(({ key }) => key.includes('-semantic0-'))).toHaveLength(1);
  });
});

describe('H11 the router decides the intent, in two attempts at most', () => {
  it.each([
    ['DIAGNOSIS', ['report']],
    ['KNOWLEDGE_QUERY', ['answer']],
    ['OUT_OF_SCOPE', ['reply']],
  ] as const)('%s', async (intent, [part]) => {
    the.play({ intent });
    const view = await the.api.askAndEnd({
      ...SOURCE,
      question: 'What do I do when a Postgres connection pool is exhausted?',
    });
    expect(view).toMatchObject({ outcome: 'SUCCESS', intent });
    expect(view).toHaveProperty(part);
  });

  it('an answer that is no intent is a failed attempt, and the second counts', async () => {
    the.play({ router: ['INVALID', 'ROUTE'] });
    const view = await the.api.askAndEnd(SOURCE);
    expect(view.outcome).toBe('SUCCESS');
    expect(await the.log.eventsOf(view.runId, 'AttemptFailed')).toMatchObject([
      { service: 'router', step: 't0-router0-a1', failure: 'INVALID_RESPONSE' },
    ]);
  });

  it('after two failures the run ends, whatever they were, and no agent is asked', async () => {
    the.play({ router: ['INVALID', 'ERROR_500', 'ROUTE'] });
    const view = await the.api.askAndEnd(SOURCE);
    expect(view).toMatchObject({
      outcome: 'FAILED',
      failure: { reason: 'ROUTER_UNAVAILABLE' },
      intent: null,
    });
    expect(the.requestsOf(view.runId).map(({ key }) => key.split('/')[1])).toEqual([
      't0-router0-a1',
      't0-router0-a2',
    ]);
  });

  it('a question out of scope gets the constant reply, from no agent and no tool', async () => {
    the.play({ intent: 'OUT_OF_SCOPE' });
    const view = await the.api.askAndEnd({ question: 'Write me a poem.' });
    expect(view.reply?.text).toMatch(/^Inquest diagnoses incidents/);
    expect(view).toMatchObject({ modelCalls: 1, toolCalls: 0, coverage: [] });
  });
});
