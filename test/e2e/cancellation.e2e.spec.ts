import { join } from 'node:path';
import { hashOf } from '@inquest/contracts/canonical-json';
import type { FactContract } from '@inquest/contracts/define-fact';
import { agentResult } from '@inquest/contracts/agent-facts';
import type { NewRun } from '@inquest/contracts/platform-facts';
import type { RunAccepted, RunView } from '@inquest/contracts/run-view';
import { toolResult } from '@inquest/contracts/tool-facts';
import { messageOf } from '@inquest/event-log/message';
import { waitFor } from '@inquest/testing/wait-for';
import { problemKind } from './support/api';
import { EventStream } from './support/event-stream';
import { Freezer, makeSilentFile, whenRead } from './support/freeze';
import { holdModelCall, type HeldCall } from './support/hold';
import { writeIncident } from './support/incidents';
import { RunLog } from './support/run-log';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(60_000);

const SETTLE_MS = 1_500;

/** Whoever searches its logs waits; once let go, the source remembers that there was nothing, so each serves one test. */
const slowIncident = (scratch: string, name: string): string => {
  const dir = writeIncident(scratch, name, { 'logs.ndjson': null });
  makeSilentFile(join(dir, 'logs.ndjson'));
  return dir;
};

let the: TheStack;
let freezer: Freezer;
beforeAll(async () => {
  the = await startTheStack({
    limits: { cancelSettleMs: SETTLE_MS },
    tokens: [{ name: 'operator', tenant: 'local', scopes: ['operate'] }],
    incidents: (scratch) => ({
      small: writeIncident(scratch, 'small'),
      slow: slowIncident(scratch, 'slow'),
      slower: slowIncident(scratch, 'slower'),
    }),
  });
  freezer = new Freezer(the.stack);
});
afterEach(() => freezer?.thaw());
afterAll(() => the?.stop());

const logsOf = (source: string): string => join(the.stack.sources[source] ?? '', 'logs.ndjson');

type OwnedRun = RunAccepted & { stream: EventStream };

/** A run that belongs to an event stream, and that stream. */
const askAndOwn = async (body: Partial<NewRun> = {}): Promise<OwnedRun> => {
  const accepted = await the.api.ask({ source: 'small', detached: false, ...body });
  const stream = await EventStream.open(the.api, accepted.runId, { streamToken: accepted.streamToken });
  return { ...accepted, stream };
};

/** Asks while the model calls of a role are held, and returns when the first is under way. */
const heldRun = async (
  role: Parameters<typeof holdModelCall>[0],
  body: Partial<NewRun> = {},
  turn?: number,
) => {
  const held: HeldCall = holdModelCall(role, (at) => turn === undefined || at.turn === turn);
  the.play({ intercept: held.intercept });
  const run = await askAndOwn(body);
  const request = await held.reached;
  return { ...run, held, request };
};

/** Whatever a cancelled run has written, it is nothing that anybody can read, and nobody was asked again. */
const expectNothingReleased = async (view: RunView): Promise<void> => {
  expect(view).toMatchObject({
    outcome: 'CANCELLED',
    status: 'CANCELLED',
    reportHash: null,
    snapshotHash: null,
  });
  for (const part of ['report', 'answer', 'reply', 'fallback', 'failure'])
    expect(view).not.toHaveProperty(part);
  const events = await the.log.events(view.runId);
  expect(events.filter(({ type }) => /^(RunReleased|RunFellBack|RunFailed)$/.test(type))).toEqual([]);
  const from = events.findIndex(({ type }) => type === 'CancellationRequested');
  expect(events.slice(from).filter(({ type }) => type === 'StepRequested')).toEqual([]);
};

describe('H8 the owner’s event stream is lost', () => {
  it.each([
    ['the router', 'router', undefined, 't0-router0-a1', 0],
    ['the agent’s first turn', 'agent', 1, 't1-model0-a1', 0],
    ['the agent’s draft', 'agent', 2, 't2-model0-a1', 3],
    ['the judge', 'judge', undefined, 't2-semantic0-a1', 3],
  ] as const)(
    'in a model call of %s: it is interrupted on the wire, and CANCELLED',
    async (_, role, turn, step, calls) => {
      const { runId, stream, held, request } = await heldRun(role, {}, turn);
      stream.drop();
      await request.abandoned;
      const view = await the.api.ended(runId);
      held.release();
      await expectNothingReleased(view);
      expect(view.cancellation).toMatchObject({
        cause: 'DISCONNECT',
        interrupted: [{ step, how: 'ABORTED' }],
        discarded: [],
      });
      expect((await the.log.inbound(runId, 'disconnect-1'))?.data).toMatchObject({
        n: 1,
        graceMs: 0,
        cancels: true,
      });
      expect(view.coverage).toHaveLength(calls);
      expect(view.coverage.every(({ status }) => status === 'READY')).toBe(true);
      expect(the.requestsOf(runId).at(-1)?.key).toBe(`${runId}/${step}`);
    },
  );

  it('in a tool call: the tool is left behind, what came before it stays on record', async () => {
    the.play({
      turns: [[{ name: 'list_objects', arguments: {} }], [{ name: 'search_logs', arguments: {} }]],
    });
    const { runId, stream } = await askAndOwn({ source: 'slow' });
    const reader = await whenRead(logsOf('slow'));
    stream.drop();
    const view = await the.api.ended(runId).finally(() => reader.letGo());
    await expectNothingReleased(view);
    expect(view.cancellation?.interrupted).toEqual([{ step: 't2-tool0-a1', how: 'ABORTED' }]);
    expect(view.coverage).toEqual([
      {
        toolCallId: 'call_1_0',
        tool: 'list_objects',
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
        truncated: false,
      },
      {
        toolCallId: 'call_2_0',
        tool: 'search_logs',
        status: 'PROJECTING',
        evidenceStatus: null,
        truncated: false,
      },
    ]);
    const entry = await the.log.resultData(toolResult, runId, 'tool', 't2-tool0-a1');
    expect(entry).toMatchObject({ status: 'ERROR', errorClass: 'CANCELLED' });
  });

  it('in the EvidenceGuard: it begins nothing any more', async () => {
    const { runId, stream, held } = await heldRun('agent', {}, 2);
    freezer.freeze('evidence-guard');
    held.release();
    await the.log.untilRequested(runId, 'evidence');
    stream.drop();
    await the.log.until(runId, 'CancellationRequested');
    freezer.thaw();
    const view = await the.api.ended(runId);
    await expectNothingReleased(view);
    expect(view.cancellation?.interrupted).toEqual([{ step: 't2-evidence0-a1', how: 'NOT_STARTED' }]);
    expect(the.requestsOf(runId).some(({ key }) => key.includes('semantic'))).toBe(false);
  });

  it('and others who watch are told how far the cancellation got', async () => {
    const { runId, stream } = await heldRun('judge');
    const watcher = await EventStream.open(the.api, runId);
    stream.drop();
    await watcher.ended();
    expect(watcher.types.slice(-4)).toEqual([
      'owner.disconnected',
      'cancel.requested',
      'cancel.interrupted',
      'run.cancelled',
    ]);
  });

  it('by a gateway that dies: its runs go on', async () => {
    const { runId, held } = await heldRun('judge');
    await the.stack.kill9('chat-gateway');
    await the.stack.process('chat-gateway').whenReady();
    held.release();
    const view = await waitFor('the gateway', () => the.api.ended(runId).catch(() => undefined), 20_000);
    expect(view.outcome).toBe('SUCCESS');
    expect(await the.log.inbound(runId, 'disconnect-1')).toBeUndefined();
  });
});

describe('H8 an owner’s grace', () => {
  it('holds the seal back while the owner is away, and releases when the owner is back', async () => {
    const { runId, stream, streamToken, held } = await heldRun('judge', { disconnectGraceMs: 60_000 });
    stream.drop();
    await the.log.until(runId, 'OwnerDisconnected');
    held.release();
    await the.log.untilResult(runId, 'semantic', 't2-semantic0-a1');
    expect(await the.log.eventsOf(runId, 'OutcomeSealed')).toEqual([]);
    const back = await EventStream.open(the.api, runId, { streamToken });
    await back.ended();
    expect(back.types).toContain('owner.attached');
    expect(back.types.at(-1)).toBe('run.released');
    expect((await the.api.view(runId)).outcome).toBe('SUCCESS');
  });

  it('that runs out is a cancellation, also of a verdict that came meanwhile', async () => {
    const { runId, stream, held } = await heldRun('judge', { disconnectGraceMs: 1_000 });
    stream.drop();
    await the.log.until(runId, 'OwnerDisconnected');
    held.release();
    const view = await the.api.ended(runId);
    await expectNothingReleased(view);
    expect(view.cancellation).toMatchObject({
      cause: 'DISCONNECT',
      interrupted: [],
      discarded: [{ step: 't2-semantic0-a1' }],
    });
  });
});

describe('H8 a cancel request', () => {
  it.each([
    ['a person', 'local-operator', 'PERSON'],
    ['an operator', 'operator', 'OPERATOR'],
  ])('of %s ends a detached run, once, however often it is repeated', async (_, holder, cause) => {
    const held = holdModelCall('agent');
    the.play({ intercept: held.intercept });
    const { runId } = await the.api.ask({ source: 'small' });
    const request = await held.reached;
    const answers = await Promise.all([1, 2, 3].map(() => the.apiAs(holder).cancel(runId)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    await request.abandoned;
    const view = await the.api.ended(runId);
    held.release();
    await expectNothingReleased(view);
    expect(view.cancellation?.cause).toBe(cause);
    expect(await the.log.eventsOf(runId, 'CancellationRequested')).toHaveLength(1);
  });

  it('after the end is told that all is decided', async () => {
    the.play();
    const view = await the.api.askAndEnd({ source: 'small' });
    const answer = await the.api.cancel(view.runId);
    expect([answer.status, problemKind(answer)]).toEqual([409, 'already-decided']);
    expect(await the.api.view(view.runId)).toEqual(view);
  });
});

/** What a worker writes that heard nothing of the cancellation: its own process stands still meanwhile. */
const answerLate = async (
  contract: FactContract,
  runId: string,
  service: 'agent' | 'tool',
  step: string,
  data: unknown,
): Promise<void> => {
  const worker = await RunLog.open(the.stack.natsUrlFor('agent-runner'), 'agent-runner');
  const subject = worker.subjects(runId).res(service, step);
  const frame = { subject, type: contract.type, source: 'agent-runner', time: new Date().toISOString() };
  expect(await worker.log.putIfAbsent(subject, messageOf(frame, data))).toMatchObject({ kind: 'WRITTEN' });
  await worker.close();
};

describe('H8 a result that comes after the cancellation', () => {
  /** The worker stands still with the call in its hands; the run ends without it when its time to settle is over. */
  const cancelWithoutWorker = async (runId: string, step: string): Promise<void> => {
    freezer.freeze('agent-runner');
    expect((await the.api.cancel(runId)).status).toBe(202);
    const view = await the.api.ended(runId);
    await expectNothingReleased(view);
    expect(view.cancellation?.interrupted).toEqual([{ step, how: 'TIMED_OUT' }]);
  };

  const discarded = async (runId: string, step: string, data: unknown): Promise<void> => {
    const event = await the.log.until(runId, 'LateResultDiscarded', (late) => late.step === step);
    expect(event.hash).toBe(hashOf(data));
    const events = await the.log.events(runId);
    expect(events.filter(({ type }) => type === 'RunCancelled')).toHaveLength(1);
    await expectNothingReleased(await the.api.view(runId));
  };

  it('of a model call is discarded but for its hash and cost', async () => {
    the.play();
    const { runId: other } = await the.api.askAndEnd({ source: 'small' });
    const draft = await the.log.resultData(agentResult, other, 'agent', 't2-model0-a1');

    const { runId, held } = await heldRun('agent', {}, 2);
    await cancelWithoutWorker(runId, 't2-model0-a1');
    await answerLate(agentResult, runId, 'agent', 't2-model0-a1', draft);
    await discarded(runId, 't2-model0-a1', draft);
    const [late] = await the.log.eventsOf(runId, 'LateResultDiscarded');
    expect(late?.usage).toEqual({ promptTokens: 10, completionTokens: 5 });
    held.release();
  });

  it('of a tool call can be opened by nobody', async () => {
    the.play({ turns: [[{ name: 'search_logs', arguments: {} }]] });
    const { runId: other } = await the.api.askAndEnd({ source: 'small' });
    const entry = await the.log.resultData(toolResult, other, 'tool', 't1-tool0-a1');

    const { runId } = await askAndOwn({ source: 'slower' });
    const reader = await whenRead(logsOf('slower'));
    await cancelWithoutWorker(runId, 't1-tool0-a1').finally(() => reader.letGo());
    await answerLate(toolResult, runId, 'tool', 't1-tool0-a1', entry);
    await discarded(runId, 't1-tool0-a1', entry);
    const opened = await the.api.send('GET', `/v1/runs/${runId}/evidence/${entry.toolCallId}`);
    expect([opened.status, problemKind(opened)]).toEqual([404, 'not-found']);
    expect((await the.api.view(runId)).coverage).toMatchObject([
      { status: 'PROJECTING', evidenceStatus: null },
    ]);
  });
});
