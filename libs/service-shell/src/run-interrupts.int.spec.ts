import type { NatsConnection } from '@nats-io/transport-node';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { messageOf } from '@inquest/event-log/message';
import { headersOf } from '@inquest/event-log/message-headers';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import { Logger } from './logger';
import { RunInterrupts } from './run-interrupts';

describe('H8 interruption of work on a cancelled run', () => {
  let nats: TestNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let interrupts: RunInterrupts;
  let runs = 0;

  beforeAll(async () => {
    nats = await startNats();
    nc = await connectNats({ url: nats.url, service: 'worker' });
    await provision(nc);
    log = await NatsEventLog.open(nc);
    interrupts = new RunInterrupts(nc, log, new Logger({}, 'silent'));
    await nc.flush();
  });
  afterAll(async () => {
    interrupts.close();
    await nc.close();
    await nats.stop();
  });

  const newRun = () => {
    const runId = `0b51e2a4-3c1d-8f00-9a3b-${(++runs).toString(16).padStart(12, '0')}`;
    return { runId, subjects: runSubjects(runId, log.partitions), signal: interrupts.signalFor(runId) };
  };
  const write = (subject: string, data: unknown) => log.putIfAbsent(subject, fact(subject, data));
  const aborted = (signal: AbortSignal) => waitFor('the interruption', () => signal.aborted || undefined);

  it('comes with the cancel fact, for its run alone', async () => {
    const [run, other] = [newRun(), newRun()];
    await write(run.subjects.in('cancel'), {});
    await aborted(run.signal);
    expect(other.signal.aborted).toBe(false);
  });

  it('comes with a disconnect that cancels, and not with one that has a grace', async () => {
    const [run, patient] = [newRun(), newRun()];
    await write(patient.subjects.in('disconnect-1'), { cancels: false });
    await write(run.subjects.in('disconnect-1'), { cancels: true });
    await aborted(run.signal);
    expect(patient.signal.aborted).toBe(false);
  });

  it('is the same signal for everybody who asks', () => {
    const run = newRun();
    expect(interrupts.signalFor(run.runId)).toBe(run.signal);
  });

  it('does not come with what the log refused', async () => {
    const [run, marker] = [newRun(), newRun()];
    const subject = run.subjects.in('cancel');
    const headers = headersOf(fact(subject, {}).envelope);
    headers.set('Nats-Expected-Last-Subject-Sequence', '12345');
    await nc.request(subject, '{}', { headers, timeout: 5_000 });
    await write(marker.subjects.in('cancel'), {});
    await aborted(marker.signal);
    expect(await log.readLast(subject, 'leader')).toBeUndefined();
    expect(run.signal.aborted).toBe(false);
  });

  it('knows a run to be quiet once it has listened for long, until it hears of its end, stored or not', async () => {
    const [run, other] = [newRun(), newRun()];
    expect(interrupts.isQuiet(run.runId)).toBe(false);
    const long = new RunInterrupts(nc, log, new Logger({}, 'silent'), -1);
    await nc.flush();
    expect(long.isQuiet(run.runId)).toBe(true);
    nc.publish(run.subjects.in('cancel'), '{}');
    await waitFor('the cancellation on the wire', () => !long.isQuiet(run.runId) || undefined);
    expect(long.isQuiet(other.runId)).toBe(true);
    long.close();
  });

  it('ends with its release', async () => {
    const [run, marker] = [newRun(), newRun()];
    let fired = 0;
    interrupts.watch(run.runId, () => fired++)();
    await write(run.subjects.in('cancel'), {});
    await aborted(run.signal);
    await write(marker.subjects.in('cancel'), {});
    await aborted(marker.signal);
    expect(fired).toBe(0);
  });

  it('comes after a reconnect for what was written meanwhile', async () => {
    const [cancelled, lost, running] = [newRun(), newRun(), newRun()];
    // Hides the facts from the subscription, as a lost connection does, and then loses the connection.
    const blind = new RunInterrupts(nc, log, new Logger({}, 'silent'));
    const signals = [cancelled, lost, running].map(({ runId }) => blind.signalFor(runId));
    (blind as unknown as { sub: { unsubscribe(): void } }).sub.unsubscribe();
    await write(cancelled.subjects.in('cancel'), {});
    await write(lost.subjects.in('disconnect-1'), { cancels: false });
    await write(lost.subjects.in('disconnect-2'), { cancels: true });
    await nats.restart();
    await waitFor('both interruptions', () => (signals[0]?.aborted && signals[1]?.aborted) || undefined);
    expect(signals[2]?.aborted).toBe(false);
    blind.close();
  });
});

const fact = (subject: string, data: unknown) =>
  messageOf({ subject, type: 'inquest.test.v1', source: 'test', time: '2026-01-01T00:00:00Z' }, data);
