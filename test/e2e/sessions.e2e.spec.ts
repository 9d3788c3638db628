import type { NewRun } from '@inquest/contracts/platform-facts';
import type { RunView } from '@inquest/contracts/run-view';
import type { ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { holdModelCall } from './support/hold';
import { rowOf } from './support/read-model';
import { documentsOf, drafting } from './support/scripts';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(60_000);

const SOURCE = { source: 'checkout-pool-exhaustion' };
const SESSION = { sessionId: 'incident-room-7' };

let the: TheStack;
beforeAll(async () => {
  the = await startTheStack({ tokens: [{ name: 'other-team', tenant: 'other', scopes: ['ask'] }] });
});
afterAll(() => the?.stop());

const ask = (
  question: string,
  knobs: ScriptedRunKnobs = {},
  body: Partial<NewRun> = SESSION,
): Promise<RunView> => {
  the.play(knobs);
  return the.api.askAndEnd({ ...SOURCE, question, ...body });
};

/** What the agent's first request of a run says of the turn before. */
const toldOf = ({ runId }: RunView): unknown => {
  const first = the.requestsOf(runId).find(({ key }) => key.endsWith('/t1-model0-a1'));
  return first && documentsOf(first)[0]?.previousRun;
};

describe('H7 diagnosis_run is the source of a session’s previous turn', () => {
  let first: RunView;

  it('there is none at first', async () => {
    const { script } = drafting((draft) =>
      JSON.stringify({
        ...draft,
        conclusion: { ...draft.conclusion, text: 'The pool was in order so far.' },
      }),
    );
    the.model.play(script);
    first = await the.api.askAndEnd({ ...SOURCE, ...SESSION, question: 'Why do carts fail?' });
    expect(first).toMatchObject({ outcome: 'SUCCESS', previousRunId: null });
    expect(toldOf(first)).toBeNull();
    expect(await the.log.eventsOf(first.runId, 'RunStarted')).toMatchObject([
      { previousTurn: { kind: 'NONE' } },
    ]);
  });

  it('skips a fallback, a failure, a cancellation, a knowledge answer and a question out of scope', async () => {
    const fallback = await ask('Why do refunds fail?', { badDrafts: 2 });
    const failed = await ask('Why do logins fail?', { router: ['ERROR_500'] });
    const held = holdModelCall('agent');
    the.play({ intercept: held.intercept });
    const { runId } = await the.api.ask({ ...SOURCE, ...SESSION, question: 'Why do searches fail?' });
    await held.reached;
    expect((await the.api.cancel(runId)).status).toBe(202);
    const cancelled = await the.api.ended(runId);
    held.release();
    const knowledge = await ask('How is a Postgres connection pool sized?', { intent: 'KNOWLEDGE_QUERY' });
    const off = await ask('Write a poem', { intent: 'OUT_OF_SCOPE' });
    const outcomes = [fallback, failed, cancelled, knowledge, off].map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['FALLBACK', 'FAILED', 'CANCELLED', 'SUCCESS', 'SUCCESS']);

    const next = await ask('And why do carts still fail?');
    expect(next.previousRunId).toBe(first.runId);
    expect(toldOf(next)).toEqual({
      runId: first.runId,
      question: 'Why do carts fail?',
      conclusion: 'The pool was in order so far.',
    });
  });

  it('is the latest of several, taken by the chain together with its hash', async () => {
    const latest = await ask('And why do orders fail?');
    const next = await ask('And now?');
    expect(next.previousRunId).toBe(latest.runId);
    expect(await the.log.eventsOf(next.runId, 'RunStarted')).toMatchObject([
      { previousTurn: { kind: 'RUN', runId: latest.runId, reportHash: latest.reportHash } },
    ]);
  });

  it('is not a run that is still under way, nor one that ends after the next question', async () => {
    const before = await ask('Is anything wrong with stock?', {}, { sessionId: 'overlap' });
    const held = holdModelCall('judge');
    the.play({ intercept: held.intercept });
    const slow = await the.api.ask({ ...SOURCE, sessionId: 'overlap', question: 'A slow one' });
    await held.reached;
    const next = await ask('A quick one', {}, { sessionId: 'overlap' });
    held.release();
    expect((await the.api.ended(slow.runId)).outcome).toBe('SUCCESS');
    expect(next.previousRunId).toBe(before.runId);
  });

  it('is never of another session, of no session, or of another tenant', async () => {
    expect((await ask('Why?', {}, { sessionId: 'another' })).previousRunId).toBeNull();
    expect((await ask('Why?', {}, {})).previousRunId).toBeNull();
    const stranger = await the.apiAs('other-team').askAndEnd({ ...SOURCE, ...SESSION, question: 'Why?' });
    expect(stranger).toMatchObject({ outcome: 'SUCCESS', previousRunId: null });
  });

  it('lends no ids: a draft that cites a call of the turn before is rejected', async () => {
    await ask('Which alerts fire?', { idOf: (_, index) => `earlier_${index}` }, { sessionId: 'ids' });
    const { script } = drafting((draft) =>
      JSON.stringify({
        ...draft,
        analyses: draft.analyses.map((a) => ({ ...a, toolCallIds: ['earlier_1'] })),
      }),
    );
    the.model.play(script);
    const next = await the.api.askAndEnd({ ...SOURCE, sessionId: 'ids', question: 'And now?' });
    expect(next.fallback?.type).toBe('EVIDENCE_VALIDATION_FAILED');
    const [rejected] = await the.log.eventsOf(next.runId, 'EvidenceRejected');
    expect(rejected?.violations.map(({ ruleId }) => ruleId)).toContainEqual(expect.stringMatching(/^6 /));
  });

  it('lists the session’s runs, newest first, each with how it ended', async () => {
    const last = await ask('The last one');
    await rowOf(the, last.runId);
    const runs = await the.api.list(SESSION.sessionId);
    expect(runs[0]).toMatchObject({ runId: last.runId, question: 'The last one', outcome: 'SUCCESS' });
    expect(runs.at(-1)?.runId).toBe(first.runId);
    expect(new Set(runs.map(({ outcome }) => outcome))).toEqual(
      new Set(['SUCCESS', 'FALLBACK', 'FAILED', 'CANCELLED']),
    );
  });
});
