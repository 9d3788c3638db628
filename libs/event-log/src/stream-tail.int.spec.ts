import type { NatsConnection } from '@nats-io/transport-node';
import { runSubjects } from '@inquest/contracts/subjects';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import { connectNats } from './connection';
import { messageOf } from './message';
import { NatsEventLog } from './nats-event-log';
import { PartitionReader } from './partition-reader';
import { provision } from './provisioner';
import { admissionOf, readPartitionStates, readStreamState, type StreamState } from './stream-state';
import { tailChains, type Tail } from './stream-tail';

const run = runSubjects('0b51e2a4-3c1d-8f00-9a3b-000000000001', 4);

describe('Following a partition', () => {
  let nats: TestNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let last = 0;
  const open: (Tail | PartitionReader)[] = [];

  beforeEach(async () => {
    last = 0;
    nats = await startNats();
    nc = await connectNats({ url: nats.url, service: 'reader' });
    await provision(nc);
    log = await NatsEventLog.open(nc);
  });
  afterEach(async () => {
    open.splice(0).forEach((reader) => reader.close());
    await nc.close();
    await nats.stop();
  });

  const decide = async (n: number): Promise<number> => {
    const message = messageOf(
      {
        subject: run.chain,
        type: 'inquest.test.v1',
        source: 't',
        time: '2026-01-01T00:00:00Z',
        chainIndex: n,
      },
      { n },
    );
    const appended = await log.append(run.chain, message, last);
    if (appended.kind !== 'APPENDED') throw new Error('lost to nobody');
    return (last = appended.seq);
  };
  const follow = async (start: Parameters<typeof tailChains>[2]) => {
    const seen: number[] = [];
    const tail = await tailChains(nc, run.partition, start, ({ data }) =>
      seen.push((data as { n: number }).n),
    );
    open.push(tail);
    return { seen, tail };
  };
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

  it('from now on: nothing written after the opening is missed, nothing before is seen', async () => {
    for (const n of range(0, 3)) await decide(n);
    const { seen } = await follow('new');
    for (const n of range(3, 6)) await decide(n);
    await waitFor('three decisions', () => seen.length === 3 || undefined);
    expect(seen).toEqual([3, 4, 5]);
  });

  it('from a position: history and present are one', async () => {
    for (const n of range(0, 3)) await decide(n);
    const { seen, tail } = await follow({ fromSeq: 2 });
    await decide(3);
    await waitFor('three decisions', () => seen.length === 3 || undefined);
    expect(seen).toEqual([1, 2, 3]);
    expect(tail.position).toBe(last);
  });

  it.each(['new', { fromSeq: 1 }] as const)(
    'goes on without a gap when the broker dies (from %j)',
    async (start) => {
      const { seen } = await follow(start);
      await nats.restart();
      for (const n of range(0, 3)) await retry(() => decide(n));
      await waitFor('three decisions', () => seen.length === 3 || undefined);
      await nats.restart();
      for (const n of range(3, 6)) await retry(() => decide(n));
      await waitFor('six decisions', () => seen.length === 6 || undefined);
      expect(seen).toEqual(range(0, 6));
    },
  );

  it('in batches, whole and in order, with no more in memory than the broker’s window', async () => {
    const body = 'x'.repeat(2_000);
    const subjects = range(0, 3_000).map((n) => run.res('tool', `t${n}-tool1-a1`));
    await Promise.all(
      subjects.map((subject) =>
        log.putIfAbsent(
          subject,
          messageOf(
            { subject, type: 'inquest.test.v1', source: 't', time: '2026-01-01T00:00:00Z' },
            { body },
          ),
        ),
      ),
    );
    const reader = await PartitionReader.open(nc, run.partition, 1);
    open.push(reader);
    const seqs: number[] = [];
    while (seqs.length < 3_000) {
      const batch = await reader.next(250, 5_000);
      expect(batch.length).toBeGreaterThan(0);
      expect(batch.length).toBeLessThanOrEqual(250);
      seqs.push(...batch.map(({ seq }) => seq));
    }
    expect(seqs).toEqual(range(1, 3_001));
    const waiting = reader.next(250, 5_000);
    await decide(0);
    expect(await waiting).toHaveLength(1);
    expect(await reader.next(250, 20)).toEqual([]);
  });

  it('the state of a stream tells its incarnation and its fill', async () => {
    await decide(0);
    const state = await readStreamState(nc, run.stream);
    expect(state).toMatchObject({ firstSeq: 1, lastSeq: 1, messages: 1, subjects: 1 });
    expect(Date.parse(state.incarnation)).toBeGreaterThan(0);
    expect(admissionOf(await readPartitionStates(nc, 4))).toEqual({ open: true });
  });
});

it.each<[Partial<StreamState>, ReturnType<typeof admissionOf>]>([
  [{ subjects: 374_999 }, { open: true }],
  [{ subjects: 375_000 }, { open: false, why: 'subjects' }],
  [{ bytes: 799 }, { open: true }],
  [{ bytes: 800 }, { open: false, why: 'bytes' }],
])('with two partitions at %j admission says %j', (more, verdict) => {
  const state = {
    incarnation: '',
    firstSeq: 1,
    lastSeq: 1,
    messages: 1,
    subjects: 1,
    bytes: 1,
    bytesMax: 1_000,
    ...more,
  };
  expect(admissionOf([state, state])).toEqual(verdict);
});

const retry = async (act: () => Promise<unknown>): Promise<void> => {
  await waitFor('a write after the restart', () =>
    act().then(
      () => true,
      () => undefined,
    ),
  );
};
