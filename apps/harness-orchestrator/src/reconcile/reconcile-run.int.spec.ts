import type { NatsConnection } from '@nats-io/transport-node';
import type { RunId, Step } from '@inquest/contracts/ids';
import { isTerminal, type RunDecision, type RunEvent } from '@inquest/contracts/run-decision';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import { partitionOf, runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type {
  AppendResult,
  EventLog,
  NewMessage,
  PutResult,
  StoredMessage,
} from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import {
  accepted,
  call,
  drafted,
  failed,
  found,
  judged,
  rejectedDraft,
  request,
  routed,
  toolCalls,
} from '../run/run.fixtures';
import { narrowed, RUN_LIMITS } from '../run/run.limits';
import { RunReconciler, type StartTerms } from './reconcile-run';
import { triggerOf } from './trigger';

class Killed extends Error {}

/** A log whose process dies at its n-th write: before it, or after it and before the answer. */
class DyingLog implements EventLog {
  private writes = 0;

  constructor(
    private readonly log: EventLog,
    private readonly diesAt: number,
    private readonly when: 'before' | 'after',
  ) {}

  get partitions(): number {
    return this.log.partitions;
  }

  private async write<T>(act: () => Promise<T>): Promise<T> {
    this.writes += 1;
    const dies = this.writes === this.diesAt;
    if (this.writes > this.diesAt || (dies && this.when === 'before')) throw new Killed();
    const answer = await act();
    if (dies) throw new Killed();
    return answer;
  }

  putIfAbsent = (subject: string, message: NewMessage): Promise<PutResult> =>
    this.write(() => this.log.putIfAbsent(subject, message));
  append = (subject: string, message: NewMessage, last: number): Promise<AppendResult> =>
    this.write(() => this.log.append(subject, message, last));
  readLast: EventLog['readLast'] = (...args) => this.log.readLast(...args);
  readAt: EventLog['readAt'] = (...args) => this.log.readAt(...args);
  readChain: EventLog['readChain'] = (...args) => this.log.readChain(...args);
}

const terms: StartTerms = {
  of: ({ limits }) =>
    Promise.resolve({
      limits: narrowed(RUN_LIMITS, limits),
      idMode: 'strict' as const,
      ruleSet: 'evidence-2',
      previousTurn: { kind: 'NONE' as const },
      gate: 'OPEN' as const,
    }),
};

const instanceOn = (log: EventLog): RunReconciler =>
  new RunReconciler(
    log,
    terms,
    () => Date.now(),
    () => undefined,
  );

const RESULT_TYPE = 'inquest.res.agent.v1';
const frame = (subject: string) => ({
  subject,
  type: RESULT_TYPE,
  source: 'test',
  time: new Date().toISOString(),
});

/** What every service answers in a good run, by service and step. */
const answers: Record<string, unknown> = {
  'router.t0-router0-a1': routed('DIAGNOSIS'),
  'agent.t1-model0-a1': toolCalls(call('c1'), call('c2', 'knowledge_lookup')),
  'tool.t1-tool0-a1': found(),
  'rag.t1-tool1-a1': found({ toolCallId: 'c2' as never, tool: 'knowledge_lookup' }),
  'agent.t2-model0-a1': drafted,
  'evidence.t2-evidence0-a1': rejectedDraft(),
  'agent.t3-repair0-a1': drafted,
  'evidence.t3-evidence0-a1': accepted(2),
  'semantic.t3-semantic0-a1': failed('INVALID_RESPONSE'),
  'semantic.t3-semantic0-a2': judged('SUPPORTED', 2),
};

describe('Reconciling a run on a real log', () => {
  let nats: TestNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let count = 0;

  beforeAll(async () => {
    nats = await startNats();
    nc = await connectNats({ url: nats.url, service: 'harness-orchestrator' });
    await provision(nc);
    log = await NatsEventLog.open(nc);
  });

  afterAll(async () => {
    await nc.close();
    await nats.stop();
  });

  const newRun = async (over: Partial<RunRequested> = {}) => {
    count += 1;
    const runId = `00000000-0000-8000-8000-${String(count).padStart(12, '0')}` as RunId;
    const subjects = runSubjects(runId, log.partitions);
    await put(subjects.in('request'), {
      ...request({ runId, ...over }),
      requestedAt: new Date().toISOString(),
    });
    return { runId, subjects };
  };

  const put = async (subject: string, data: unknown): Promise<void> => {
    await log.putIfAbsent(subject, messageOf(frame(subject), data));
  };

  const read = async (subject: string): Promise<StoredMessage> => {
    const message = await log.readLast(subject, 'leader');
    if (message === undefined) throw new Error(`nothing at ${subject}`);
    return message;
  };

  const deliver = async (instance: RunReconciler, subject: string): Promise<void> => {
    const message = await read(subject);
    const trigger = triggerOf(message, log.partitions);
    await instance.reconcile(trigger.runId, trigger, message.envelope);
  };

  const chainOf = async (runId: RunId): Promise<RunDecision[]> =>
    (await log.readChain(runSubjects(runId, log.partitions).chain)).map(({ data }) => data as RunDecision);
  const eventsOf = async (runId: RunId): Promise<RunEvent[]> =>
    (await chainOf(runId)).flatMap(({ events }) => events);
  const endsOf = async (runId: RunId) => (await eventsOf(runId)).filter(isTerminal);

  /** Plays every service: answers each request that stands in the log, in the order of `answers`. */
  const play = async (runId: RunId, deliverResult: (subject: string) => Promise<void>): Promise<void> => {
    const subjects = runSubjects(runId, log.partitions);
    await deliverResult(subjects.in('request'));
    for (const [key, answer] of Object.entries(answers)) {
      const [service, step] = key.split('.') as ['agent', Step];
      await read(subjects.req(service, step));
      await put(subjects.res(service, step), answer);
      await deliverResult(subjects.res(service, step));
    }
  };

  it('takes a question through repair and a second judge attempt to its release', async () => {
    const { runId } = await newRun();
    const instance = instanceOn(log);
    await play(runId, (subject) => deliver(instance, subject));
    expect(await endsOf(runId)).toMatchObject([{ type: 'RunReleased', snapshotHash: 'b'.repeat(64) }]);
    const chain = await chainOf(runId);
    expect(chain.map(({ n }) => n)).toEqual(chain.map((_, index) => index));
  });

  it('ends the same when its process dies at any write, before it or after it', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let diesAt = 1; diesAt <= 3; diesAt += 1) {
        const { runId } = await newRun();
        await play(runId, async (subject) => {
          // Each message meets a process that dies over it, and then, redelivered, one that lives.
          const dying = instanceOn(new DyingLog(log, diesAt, when));
          await deliver(dying, subject).catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error;
          });
          await deliver(instanceOn(log), subject);
        });
        const events = await eventsOf(runId);
        expect(events.filter(isTerminal)).toMatchObject([{ type: 'RunReleased' }]);
        const steps = events.filter((e) => e.type === 'StepRequested').map((e) => e.step);
        expect(new Set(steps).size).toBe(steps.length);
      }
    }
  }, 60_000);

  it('is decided once by two instances that get every message, twice and at the same time', async () => {
    const { runId } = await newRun();
    const [one, two] = [instanceOn(log), instanceOn(log)];
    await play(runId, async (subject) => {
      await Promise.all([deliver(one, subject), deliver(two, subject), deliver(one, subject)]);
    });
    expect(await endsOf(runId)).toMatchObject([{ type: 'RunReleased' }]);
  });

  it('notices that its memory is behind: alternating instances lose no result', async () => {
    const { runId } = await newRun();
    const instances = [instanceOn(log), instanceOn(log), instanceOn(log)];
    let turn = 0;
    await play(runId, (subject) => deliver(instances[turn++ % 3] as RunReconciler, subject));
    expect(await endsOf(runId)).toMatchObject([{ type: 'RunReleased' }]);
  });

  it('writes the wake-up that outlives every process', async () => {
    const { runId, subjects } = await newRun();
    await deliver(instanceOn(log), subjects.in('request'));
    expect(await read(`tmr.${partitionOf(runId, log.partitions)}.${runId}`)).toMatchObject({
      data: { runId },
    });
  });

  it('writes nothing for a result whose run is not in the log', async () => {
    const runId = '99999999-0000-8000-8000-000000000001' as RunId;
    const subjects = runSubjects(runId, log.partitions);
    await put(subjects.res('agent', 't1-model0-a1'), drafted);
    const message = await read(subjects.res('agent', 't1-model0-a1'));
    const looked = await instanceOn(log).reconcile(runId, triggerOf(message, log.partitions));
    expect(looked).toEqual({ kind: 'EXPIRED' });
    expect(await chainOf(runId)).toEqual([]);
  });

  it('ends a run as POISONED when a result breaks its contract', async () => {
    const { runId, subjects } = await newRun();
    const instance = instanceOn(log);
    await deliver(instance, subjects.in('request'));
    await put(subjects.res('router', 't0-router0-a1'), { kind: 'ROUTED', intent: 'WORLD_PEACE' });
    await deliver(instance, subjects.res('router', 't0-router0-a1'));
    expect(await endsOf(runId)).toMatchObject([{ type: 'RunFailed', reason: 'POISONED' }]);
  });

  describe('H8 a cancellation counts by its place in the log', () => {
    const cancelData = () => ({
      cause: 'PERSON',
      principal: 'demo/ada',
      requestedAt: new Date().toISOString(),
    });

    const upToVerdict = async (instance: RunReconciler, over: Partial<RunRequested> = {}) => {
      const run = await newRun(over);
      await deliver(instance, run.subjects.in('request'));
      const good = { ...answers, 'evidence.t2-evidence0-a1': accepted(1) };
      for (const [key, answer] of Object.entries(good).slice(0, 6)) {
        const [service, step] = key.split('.') as ['agent', Step];
        await put(run.subjects.res(service, step), answer);
        await deliver(instance, run.subjects.res(service, step));
      }
      await put(run.subjects.res('semantic', 't2-semantic0-a1'), judged('SUPPORTED'));
      return run;
    };

    it.each([1, 2])(
      'voids a release that was not sealed before it, seen by %d orchestrators',
      async (instances) => {
        const all = Array.from({ length: instances }, () => instanceOn(log));
        const { runId, subjects } = await upToVerdict(all[0] as RunReconciler);
        await put(subjects.in('cancel'), cancelData());
        // The verdict arrives although the cancel already stands: the seal is written, and found to be too late.
        await Promise.all(
          all.map((instance) => deliver(instance, subjects.res('semantic', 't2-semantic0-a1'))),
        );
        expect(await endsOf(runId)).toMatchObject([{ type: 'RunCancelled', cause: 'PERSON' }]);
      },
    );

    it('is too late after the seal, although the process died before the terminal fact', async () => {
      const { runId, subjects } = await upToVerdict(instanceOn(log));
      const verdict = subjects.res('semantic', 't2-semantic0-a1');
      await deliver(instanceOn(new DyingLog(log, 1, 'after')), verdict).catch(() => undefined);
      expect((await eventsOf(runId)).at(-1)).toMatchObject({ type: 'OutcomeSealed' });
      await put(subjects.in('cancel'), cancelData());
      await deliver(instanceOn(log), subjects.in('cancel'));
      expect(await endsOf(runId)).toMatchObject([{ type: 'RunReleased' }]);
    });

    it('holds for the owner’s lost connection between guard and seal, and after it', async () => {
      const disconnect = { n: 1, at: new Date().toISOString(), graceMs: 0, cancels: true };
      const before = await upToVerdict(instanceOn(log), { detached: false });
      await put(before.subjects.in('disconnect-1'), disconnect);
      await deliver(instanceOn(log), before.subjects.res('semantic', 't2-semantic0-a1'));
      expect(await endsOf(before.runId)).toMatchObject([{ type: 'RunCancelled', cause: 'DISCONNECT' }]);

      const behind = await upToVerdict(instanceOn(log), { detached: false });
      await deliver(instanceOn(log), behind.subjects.res('semantic', 't2-semantic0-a1'));
      await put(behind.subjects.in('disconnect-1'), disconnect);
      await deliver(instanceOn(log), behind.subjects.in('disconnect-1'));
      expect(await endsOf(behind.runId)).toMatchObject([{ type: 'RunReleased' }]);
    });

    it('takes up a verdict that came while the owner was away', async () => {
      const instance = instanceOn(log);
      const { runId, subjects } = await upToVerdict(instance, { detached: false });
      await put(subjects.in('disconnect-1'), {
        n: 1,
        at: new Date().toISOString(),
        graceMs: 60_000,
        cancels: false,
      });
      await deliver(instance, subjects.in('disconnect-1'));
      await deliver(instance, subjects.res('semantic', 't2-semantic0-a1'));
      expect(await endsOf(runId)).toEqual([]);
      await put(subjects.in('attach-2'), { n: 2, at: new Date().toISOString() });
      await deliver(instance, subjects.in('attach-2'));
      expect(await endsOf(runId)).toMatchObject([{ type: 'RunReleased' }]);
    });

    it('waits for nobody when the grace is over and the verdict has been there for long', async () => {
      const instance = instanceOn(log);
      const { runId, subjects } = await upToVerdict(instance, { detached: false });
      const at = new Date().toISOString();
      await put(subjects.in('disconnect-1'), { n: 1, at, graceMs: 50, cancels: false });
      await deliver(instance, subjects.in('disconnect-1'));
      expect(await endsOf(runId)).toEqual([]);
      await waitFor('the end', async () => (await endsOf(runId)).length > 0 || undefined);
      expect((await eventsOf(runId)).slice(-3)).toMatchObject([
        { type: 'CancellationRequested', outstanding: 1 },
        { type: 'LateResultDiscarded', step: 't2-semantic0-a1' },
        { type: 'RunCancelled', cause: 'DISCONNECT' },
      ]);
    });

    it('records a result that comes after the end as discarded, by hash and cost', async () => {
      const instance = instanceOn(log);
      const { runId, subjects } = await newRun({ limits: { cancelSettleMs: 0 } });
      await deliver(instance, subjects.in('request'));
      await put(subjects.in('cancel'), cancelData());
      await deliver(instance, subjects.in('cancel'));
      await instance.reconcile(runId);
      expect(await endsOf(runId)).toHaveLength(1);
      await put(subjects.res('router', 't0-router0-a1'), routed('DIAGNOSIS'));
      await deliver(instanceOn(log), subjects.res('router', 't0-router0-a1'));
      expect((await eventsOf(runId)).at(-1)).toMatchObject({
        type: 'LateResultDiscarded',
        step: 't0-router0-a1',
      });
      expect(await endsOf(runId)).toHaveLength(1);
    });
  });

  it('reads a late UNSUPPORTED of the first attempt before it seals a SUPPORTED of the second', async () => {
    const instance = instanceOn(log);
    const { runId, subjects } = await newRun({ limits: { semanticTimeoutMs: 0 } });
    await deliver(instance, subjects.in('request'));
    const good = { ...answers, 'evidence.t2-evidence0-a1': accepted(1) };
    for (const [key, answer] of Object.entries(good).slice(0, 6)) {
      const [service, step] = key.split('.') as ['agent', Step];
      await put(subjects.res(service, step), answer);
      await deliver(instance, subjects.res(service, step));
    }
    await put(subjects.res('semantic', 't2-semantic0-a1'), failed('TIMEOUT'));
    await deliver(instance, subjects.res('semantic', 't2-semantic0-a1'));
    await put(subjects.res('semantic', 't2-semantic0-a2'), judged('UNSUPPORTED', 2));
    await deliver(instance, subjects.res('semantic', 't2-semantic0-a2'));
    expect(await endsOf(runId)).toMatchObject([{ type: 'RunFellBack', fallback: 'SEMANTIC_UNSUPPORTED' }]);
  });
});
