import type { RunId } from '@inquest/contracts/ids';
import { stepOf } from '@inquest/contracts/ids';
import { RunAccepted } from '@inquest/contracts/run-view';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import { waitFor } from '@inquest/testing/wait-for';
import { accepted, CALL_ID, cancelledRun, ChainWriter, completedCall, failedRun, started } from './a-run';
import { call, TOKENS, World, type Gateway } from './harness';
import { SseClient } from './sse-client';

const QUESTION = { question: 'Why is checkout slow?' };
const AUTH = { authorization: `Bearer ${TOKENS.ask}` };

describe('The event stream of a run', () => {
  let world: World;
  let gateway: Gateway;
  let log: EventLog;

  beforeAll(async () => {
    world = await World.start();
    gateway = await world.openGateway();
    log = await world.log('harness-orchestrator');
  });
  afterAll(() => world.stop());

  const ask = async (body: Record<string, unknown> = {}): Promise<RunAccepted> =>
    RunAccepted.parse(
      await (
        await call(gateway, 'POST', '/v1/runs', { token: TOKENS.ask, body: { ...QUESTION, ...body } })
      ).json(),
    );
  const follow = (runId: string, lastEventId?: string, at: Gateway = gateway): Promise<SseClient> =>
    SseClient.open(at, `/v1/runs/${runId}/events`, {
      ...AUTH,
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    });
  const own = ({ runId, streamToken }: RunAccepted, at: Gateway = gateway): Promise<SseClient> =>
    SseClient.open(at, `/v1/runs/${runId}/events?stream_token=${streamToken}`, AUTH);
  const fact = async (runId: RunId, kind: `attach-${number}` | `disconnect-${number}`) =>
    (await log.readLast(runSubjects(runId, log.partitions).in(kind), 'leader'))?.data;
  /** Patient with a broker that is just coming back. */
  const written = (runId: RunId, kind: `attach-${number}` | `disconnect-${number}`) =>
    waitFor(`in.${kind}`, () => fact(runId, kind).catch(() => undefined), 15_000);

  it('tells of every decision as it is made, at its place in the log, and ends with the run', async () => {
    const { runId } = await ask({ detached: true });
    const client = await follow(runId);
    expect(client.type).toContain('text/event-stream');
    const chain = new ChainWriter(log, runId);
    await chain.decide(started(runId));
    const seq = await chain.decide(
      { type: 'IntentDecided', intent: 'DIAGNOSIS', step: stepOf(0, 'router', 0, 1) },
      accepted(CALL_ID),
    );
    await chain.decide(completedCall(CALL_ID));
    const end = await chain.decide(failedRun);
    await client.ended();
    expect(client.types).toEqual([
      'run.started',
      'intent.decided',
      'tool.accepted',
      'tool.completed',
      'run.failed',
    ]);
    const partition = runSubjects(runId, log.partitions).partition;
    const ids = client.received.map(({ id }) => id);
    // Two frames of one entry: the last alone has its id.
    expect(ids.slice(1, 3)).toEqual([undefined, `${partition}-${seq}`]);
    expect(ids.at(-1)).toBe(`${partition}-${end}`);
  });

  it('shows no word of question, arguments, draft or report', async () => {
    const { runId } = await ask({ detached: true });
    const chain = new ChainWriter(log, runId);
    await chain.decide(started(runId), accepted(CALL_ID), completedCall(CALL_ID), failedRun);
    const client = await follow(runId);
    await client.ended();
    expect(client.raw).not.toMatch(/checkout|secret words|contains|argumentsText/);
  });

  it('gives a late joiner the whole chain, then what follows, each once and in order', async () => {
    const { runId } = await ask({ detached: true });
    const chain = new ChainWriter(log, runId);
    const seqs = [await chain.decide(started(runId))];
    const step = async (n: number) =>
      seqs.push(
        await chain.decide({
          type: 'AttemptFailed',
          service: 'agent',
          step: stepOf(n, 'model', 0, 1),
          failure: 'TIMEOUT',
        }),
      );
    for (let n = 1; n <= 20; n += 1) await step(n);
    // Joining in the middle of the writing, again and again: whatever the moment, nothing is lost or doubled.
    const clients: SseClient[] = [];
    const joining = (async () => {
      for (let n = 0; n < 10; n += 1) clients.push(await follow(runId));
    })();
    for (let n = 21; n <= 120; n += 1) await step(n);
    await joining;
    seqs.push(await chain.decide(failedRun));
    const partition = runSubjects(runId, log.partitions).partition;
    for (const client of clients) {
      await client.ended();
      expect(client.received.map(({ id }) => id)).toEqual(seqs.map((seq) => `${partition}-${seq}`));
    }
  });

  it('resumes behind the last event that the client has', async () => {
    const { runId } = await ask({ detached: true });
    const chain = new ChainWriter(log, runId);
    await chain.decide(started(runId));
    const client = await follow(runId);
    const [first] = await client.until('run.started');
    client.drop();
    await chain.decide(accepted(CALL_ID));
    await chain.decide(failedRun);
    const again = await follow(runId, first?.id);
    await again.ended();
    expect(again.types).toEqual(['tool.accepted', 'run.failed']);
    const third = await follow(runId, again.received.at(-1)?.id);
    expect(third.status).toBe(204);
  });

  it('goes on through a restart of the broker', async () => {
    const { runId } = await ask({ detached: true });
    const chain = new ChainWriter(log, runId);
    await chain.decide(started(runId));
    const client = await follow(runId);
    await client.until('run.started');
    await world.nats.restart();
    await waitFor('the broker to take an entry', () =>
      chain.decide(accepted(CALL_ID)).then(
        () => true,
        () => undefined,
      ),
    );
    await client.until('tool.accepted');
    await chain.decide(failedRun);
    await client.ended();
    expect(client.types).toEqual(['run.started', 'tool.accepted', 'run.failed']);
  });

  it('follows at one gateway what was asked at another', async () => {
    const second = await world.gateway();
    const { runId } = await ask({ detached: true });
    const client = await follow(runId, undefined, second);
    await new ChainWriter(log, runId).decide(started(runId), failedRun);
    await client.ended();
    expect(client.types).toEqual(['run.started', 'run.failed']);
    await second.stop();
  });

  describe('H8 the owner’s connection', () => {
    it('attaches the run to its owner', async () => {
      const run = await ask();
      const client = await own(run);
      expect(await fact(run.runId, 'attach-1')).toMatchObject({ n: 1 });
      client.drop();
    });

    it('lost without a grace is the request to cancel', async () => {
      const run = await ask();
      const client = await own(run);
      await new ChainWriter(log, run.runId).decide(started(run.runId));
      await client.until('run.started');
      client.drop();
      expect(await written(run.runId, 'disconnect-1')).toMatchObject({ n: 1, graceMs: 0, cancels: true });
    });

    it('lost with a grace waits for the owner to come back', async () => {
      const run = await ask({ disconnectGraceMs: 60_000 });
      const client = await own(run);
      client.drop();
      expect(await written(run.runId, 'disconnect-1')).toMatchObject({
        n: 1,
        graceMs: 60_000,
        cancels: false,
      });
      await own(run);
      expect(await fact(run.runId, 'attach-2')).toMatchObject({ n: 2 });
    });

    it('lost after the end of the run is nothing', async () => {
      const run = await ask();
      const client = await own(run);
      await new ChainWriter(log, run.runId).decide(started(run.runId), cancelledRun);
      await client.ended();
      expect(await settled(run)).toBeUndefined();
    });

    it('lost by an owner who has come back by another one is nothing', async () => {
      const run = await ask();
      const first = await own(run);
      const second = await own(run);
      const open = await openStreams();
      first.drop();
      await waitFor(
        'the first stream to be forgotten',
        async () => (await openStreams()) < open || undefined,
      );
      expect(await fact(run.runId, 'disconnect-1')).toBeUndefined();
      second.drop();
      await written(run.runId, 'disconnect-2');
      expect(await fact(run.runId, 'disconnect-1')).toBeUndefined();
    });

    it('of somebody who only looks on is nobody’s business', async () => {
      const run = await ask();
      const client = await follow(run.runId);
      client.drop();
      expect(await settled(run)).toBeUndefined();
      expect(await fact(run.runId, 'attach-1')).toBeUndefined();
    });

    it('can be had by nobody for a detached run', async () => {
      const run = await ask({ detached: true });
      expect(run.streamToken).toBeUndefined();
      const other = await ask();
      const client = await own({ ...run, streamToken: other.streamToken });
      expect(client.status).toBe(403);
    });

    it('is counted to 32', async () => {
      const run = await ask({ disconnectGraceMs: 60_000 });
      for (let n = 1; n <= 32; n += 1) (await own(run)).drop();
      await written(run.runId, 'attach-32');
      expect((await own(run)).status).toBe(409);
    });

    it('that ends because the gateway goes down cancels nothing', async () => {
      const second = await world.gateway();
      const run = await ask();
      const client = await own(run, second);
      await second.stop();
      await client.ended();
      expect(client.comments.at(-1)).toContain('the gateway is going down');
      expect(await fact(run.runId, 'disconnect-1')).toBeUndefined();
    });

    it('is written down as lost though the broker was away', async () => {
      const run = await ask();
      const client = await own(run);
      await world.nats.kill9();
      client.drop();
      await world.nats.restart();
      expect(await written(run.runId, 'disconnect-1')).toMatchObject({ cancels: true });
    });

    const openStreams = async (): Promise<number> => {
      const system = (await (await call(gateway, 'GET', '/v1/system', { token: TOKENS.operate })).json()) as {
        gateway: { openStreams: number };
      };
      return system.gateway.openStreams;
    };
    /** What has been written by the time that a later loss of the same gateway has been. */
    const settled = async ({ runId }: RunAccepted) => {
      const later = await ask();
      (await own(later)).drop();
      await written(later.runId, 'disconnect-1');
      return fact(runId, 'disconnect-1');
    };
  });
});
