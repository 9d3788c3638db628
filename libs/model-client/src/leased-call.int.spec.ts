import type { NatsConnection } from '@nats-io/transport-node';
import type { RunId, Step } from '@inquest/contracts/ids';
import { callLease, routerRequested, routerResult, type RouterResult } from '@inquest/contracts/agent-facts';
import { cancelRequested } from '@inquest/contracts/inbound-facts';
import { runDecision } from '@inquest/contracts/run-decision';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { EventLogUnavailable, type EventLog, type StoredMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { RetryLater, WorkAborted, type WorkContext } from '@inquest/event-log/work';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { json, startScriptedModel, type ScriptedModel } from '@inquest/testing/scripted-model';
import { waitFor } from '@inquest/testing/wait-for';
import { LeasedCalls, failed } from './leased-call';
import type { LeaseTiming } from './lease-timing';
import { ModelEndpoint } from './model-endpoint';

const TIMING: LeaseTiming = { leaseMs: 400, skewMs: 50, renewEveryMs: 100, giveUpMs: 250, commitMs: 5_000 };
const STEP = 't0-router0-a1' as Step;

describe('leased model calls', () => {
  let nats: TestNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let model: ScriptedModel;
  let runs = 0;

  beforeAll(async () => {
    nats = await startNats();
    nc = await connectNats({ url: nats.url, service: 'agent-runner' });
    await provision(nc, { partitions: 1 });
    log = await NatsEventLog.open(nc);
    model = await startScriptedModel(() => json({ intent: 'DIAGNOSIS' }));
  });
  afterAll(async () => {
    await model.close();
    await nc.close();
    await nats.stop();
  });
  beforeEach(() => model.play(() => json({ intent: 'DIAGNOSIS' })));

  const newRun = () => `00000000-0000-8000-8000-${String(++runs).padStart(12, '0')}` as RunId;
  const frame = { source: 'test', time: new Date().toISOString() };

  const requestOf = async (runId: RunId): Promise<StoredMessage> => {
    const subject = runSubjects(runId, 1).req('router', STEP);
    const data = { question: 'q', attempt: 1, deadlineAt: new Date(Date.now() + 60_000).toISOString() };
    await log.putIfAbsent(subject, messageOf({ ...frame, subject, type: routerRequested.type }, data));
    return (await log.readLast(subject, 'leader'))!;
  };

  const contextOf = (deliveryCount = 1, signal = new AbortController().signal): WorkContext => ({
    signal,
    deliveryCount,
    fresh: false,
    retryLater: (delayMs) => {
      throw new RetryLater(delayMs);
    },
  });

  const worker = (holder: string, over: { log?: EventLog; timing?: LeaseTiming } = {}) => {
    const calls = new LeasedCalls({ log, holder, source: 'agent-runner', timing: TIMING, ...over });
    const endpoint = new ModelEndpoint({ baseUrl: model.url, apiKey: 'k' });
    return (
      message: StoredMessage,
      context: WorkContext,
      prepare: () => Promise<unknown> = () => Promise.resolve(),
    ) =>
      calls.run({
        message,
        context,
        result: routerResult,
        prepare,
        call: async (_, signal): Promise<RouterResult> => {
          const outcome = await endpoint.attempt({
            request: { model: 'm', messages: [] },
            idempotencyKey: message.subject,
            ids: { kind: 'strict' },
            timeoutMs: 30_000,
            signal,
          });
          if (outcome.kind === 'FAILED') return outcome;
          return outcome.kind === 'TEXT'
            ? { kind: 'ROUTED', intent: 'DIAGNOSIS', record: outcome.record }
            : failed('INVALID_RESPONSE', outcome.record);
        },
      });
  };

  const resultOf = async (runId: RunId) => {
    const message = await log.readLast(runSubjects(runId, 1).res('router', STEP), 'leader');
    return message && routerResult.schema.parse(message.data);
  };
  const callsOf = (message: StoredMessage) => model.counts.get(message.subject) ?? 0;
  const leaseOf = (runId: RunId) => log.readLast(runSubjects(runId, 1).call('router', STEP), 'leader');
  const later = (work: Promise<void>) =>
    work.then(
      () => undefined,
      (error: unknown) => error,
    );
  const cancel = async (runId: RunId) => {
    const subject = runSubjects(runId, 1).in('cancel');
    const data = { cause: 'PERSON', principal: 't/p', requestedAt: new Date().toISOString() };
    await log.putIfAbsent(subject, messageOf({ ...frame, subject, type: cancelRequested.type }, data));
  };

  it('calls once and stores the result under the step', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    await worker('a')(message, contextOf());
    expect(await resultOf(runId)).toMatchObject({ kind: 'ROUTED', intent: 'DIAGNOSIS' });
    expect(callsOf(message)).toBe(1);
    expect(callLease.schema.parse((await leaseOf(runId))?.data)).toMatchObject({ holder: 'a' });
  });

  it('a redelivery after the result acknowledges without a call', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    await worker('a')(message, contextOf());
    await worker('b')(message, contextOf(2));
    // Even a delivery that claims to be the first meets the lease.
    await worker('b')(message, contextOf(1));
    expect(callsOf(message)).toBe(1);
  });

  it('of two takers one calls and the other waits, also while the lease is renewed beyond its length', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    let answer: () => void = () => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    model.play(async () => {
      await answered;
      return json({});
    });
    const first = worker('a')(message, contextOf());
    await waitFor('the call', () => callsOf(message) === 1 || undefined);
    const wait = await later(worker('b')(message, contextOf(2)));
    expect(wait).toBeInstanceOf(RetryLater);
    await waitFor(
      'renewals',
      async () => ((await leaseOf(runId))?.data as { renewal: number }).renewal >= 5 || undefined,
    );
    expect(await later(worker('b')(message, contextOf(3)))).toBeInstanceOf(RetryLater);
    answer();
    await first;
    await worker('b')(message, contextOf(4));
    expect(callsOf(message)).toBe(1);
    expect(await resultOf(runId)).toMatchObject({ kind: 'ROUTED' });
  });

  it('two takers at the same moment make one call', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    await Promise.all([later(worker('a')(message, contextOf())), later(worker('b')(message, contextOf()))]);
    expect(callsOf(message)).toBe(1);
  });

  it('a lease that expired without a result is a lost attempt: written down, never called again', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    const subject = runSubjects(runId, 1).call('router', STEP);
    await log.append(
      subject,
      messageOf({ ...frame, subject, type: callLease.type }, { holder: 'dead', renewal: 0 }),
      0,
    );
    const wait = await later(worker('b')(message, contextOf(2)));
    expect(wait).toBeInstanceOf(RetryLater);
    expect((wait as RetryLater).delayMs).toBeLessThanOrEqual(TIMING.leaseMs + TIMING.skewMs + 20);
    await waitFor('the expiry', async () => {
      await later(worker('b')(message, contextOf(3)));
      return resultOf(runId);
    });
    expect(await resultOf(runId)).toEqual(failed('ATTEMPT_LOST'));
    expect(callsOf(message)).toBe(0);
  });

  it('the late answer of a lost attempt is discarded', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    const subject = runSubjects(runId, 1).res('router', STEP);
    model.play(async () => {
      await log.putIfAbsent(
        subject,
        messageOf({ ...frame, subject, type: routerResult.type }, failed('ATTEMPT_LOST')),
      );
      return json({});
    });
    await worker('a')(message, contextOf());
    expect(await resultOf(runId)).toEqual(failed('ATTEMPT_LOST'));
  });

  it('a holder whose renewals do not get through gives its call up in time', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    const deaf = Object.assign(Object.create(log) as NatsEventLog, {
      append: (...[at, fact, seq]: Parameters<EventLog['append']>) =>
        seq === 0 ? log.append(at, fact, 0) : Promise.reject(new EventLogUnavailable('append', 'no answer')),
    });
    model.play(() => ({ kind: 'HANG_HEADERS' }));
    const began = performance.now();
    await worker('a', { log: deaf })(message, contextOf());
    expect(performance.now() - began).toBeLessThan(TIMING.leaseMs);
    await model.requests.at(-1)?.abandoned;
    expect(await resultOf(runId)).toMatchObject({ kind: 'FAILED', failure: 'ATTEMPT_LOST' });
  });

  it('a broker that is away while the model answers does not cost the answer', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    let refusals = 3;
    const flaky = Object.assign(Object.create(log) as NatsEventLog, {
      putIfAbsent: (...args: Parameters<EventLog['putIfAbsent']>) =>
        refusals-- > 0
          ? Promise.reject(new EventLogUnavailable('putIfAbsent', 'no answer'))
          : log.putIfAbsent(...args),
    });
    await worker('a', { log: flaky })(message, contextOf());
    expect(await resultOf(runId)).toMatchObject({ kind: 'ROUTED' });
    expect(callsOf(message)).toBe(1);
  });

  it('a failure before the call keeps the lease for the next delivery to this process', async () => {
    const runId = newRun();
    const message = await requestOf(runId);
    const work = worker('a');
    await expect(
      work(message, contextOf(), () => Promise.reject(new EventLogUnavailable('readLast', 'x'))),
    ).rejects.toThrow();
    await waitFor('the lease', async () => leaseOf(runId));
    await work(message, contextOf(2));
    expect(callsOf(message)).toBe(1);
    expect(await resultOf(runId)).toMatchObject({ kind: 'ROUTED' });
  });

  describe('H8 cancellation', () => {
    it('a cancelled run is NOT_STARTED, without a call', async () => {
      const runId = newRun();
      const message = await requestOf(runId);
      await cancel(runId);
      await worker('a')(message, contextOf());
      expect(await resultOf(runId)).toEqual(failed('NOT_STARTED'));
      expect(callsOf(message)).toBe(0);
    });

    it('a run whose last decision ended it is NOT_STARTED, without a call', async () => {
      const runId = newRun();
      const message = await requestOf(runId);
      const subject = runSubjects(runId, 1).chain;
      const data = {
        n: 0,
        prevSeq: 0,
        took: [],
        at: frame.time,
        events: [{ type: 'CancellationRequested', cause: 'DEADLINE', outstanding: 1, settleBy: frame.time }],
      };
      const decision = runDecision.schema.parse(data);
      await log.append(
        subject,
        messageOf({ ...frame, subject, type: runDecision.type, chainIndex: 0 }, decision),
        0,
      );
      await worker('a')(message, contextOf());
      expect(await resultOf(runId)).toEqual(failed('NOT_STARTED'));
      expect(callsOf(message)).toBe(0);
    });

    it.each([
      ['interrupt', 'ABORTED'],
      ['deadline', 'TIMEOUT'],
      ['shutdown', 'ATTEMPT_LOST'],
    ] as const)('a call ended by %s is %s', async (by, failure) => {
      const runId = newRun();
      const message = await requestOf(runId);
      const controller = new AbortController();
      model.play(() => ({ kind: 'HANG_BODY' }));
      const work = worker('a')(message, contextOf(1, controller.signal));
      await waitFor('the call', () => callsOf(message) === 1 || undefined);
      controller.abort(new WorkAborted(by));
      await work;
      expect(await resultOf(runId)).toMatchObject({ kind: 'FAILED', failure });
    });

    it.each([
      ['interrupt', 'NOT_STARTED'],
      ['deadline', 'TIMEOUT'],
    ] as const)('work ended by %s before it began is %s, without a call', async (by, failure) => {
      const runId = newRun();
      const message = await requestOf(runId);
      await worker('a')(message, contextOf(1, AbortSignal.abort(new WorkAborted(by))));
      expect(await resultOf(runId)).toEqual(failed(failure));
      expect(callsOf(message)).toBe(0);
    });
  });

  it('H9 every failure of the endpoint is one request and one result', async () => {
    for (const status of [429, 500, 503, 400]) {
      const runId = newRun();
      const message = await requestOf(runId);
      model.play(() => ({ kind: 'RAW', status, body: '{}', headers: { 'retry-after': '1' } }));
      await worker('a')(message, contextOf());
      await worker('b')(message, contextOf(2));
      expect(await resultOf(runId)).toMatchObject({ kind: 'FAILED', retryAfterMs: 1_000 });
      expect(callsOf(message)).toBe(1);
    }
  });
});
