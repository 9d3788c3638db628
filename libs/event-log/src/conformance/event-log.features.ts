import { runSubjects } from '@inquest/contracts/subjects';
import type { WorkConsumer } from '../consumers';
import { MessageTooLarge, type EventLog, type NewMessage, type StoredMessage } from '../event-log';
import { messageOf } from '../message';

/** One delivery, answered by the test. */
export type Taken = {
  message: StoredMessage;
  deliveryCount: number;
  ack(): Promise<void>;
  /** Gives it back for at once. */
  nak(): Promise<void>;
};

export type LogAdapter = {
  log: EventLog;
  /** A second writer on the same log, as another process has it. */
  rival: EventLog;
  /** The next message of a work consumer; `undefined` if none comes within `waitMs`. */
  take(consumer: WorkConsumer, waitMs: number): Promise<Taken | undefined>;
  /** How long a taken message may stay unanswered; short, since tests wait for it. */
  ackWaitMs: number;
  /** Kills the log without warning and starts it again, where there is something to kill. */
  restart?(): Promise<void>;
  close(): Promise<void>;
};

const WAIT_MS = 5_000;
/** Long enough for a wrong delivery to show itself. */
const QUIET_MS = 150;

/** What services rely on, whatever keeps the log: every adapter of the port passes these. */
export const eventLogFeatures = (makeAdapter: () => Promise<LogAdapter>): void => {
  let adapter: LogAdapter;
  let run: ReturnType<typeof runSubjects>;
  let runs = 0;

  beforeAll(async () => {
    adapter = await makeAdapter();
  });
  afterAll(() => adapter.close());
  beforeEach(() => {
    run = runSubjects(
      `0b51e2a4-3c1d-8f00-9a3b-${(++runs).toString(16).padStart(12, '0')}`,
      adapter.log.partitions,
    );
  });

  const decision = (n: number, by = 'harness'): NewMessage => fact(run.chain, { n, by }, n);
  const chain = async (): Promise<unknown[]> =>
    (await adapter.log.readChain(run.chain)).map(({ data }) => data);

  const take = async (): Promise<Taken> => {
    const taken = await adapter.take('evidence', WAIT_MS);
    if (!taken) throw new Error('nothing was delivered');
    return taken;
  };

  describe('put-if-absent', () => {
    it('writes a fact once and keeps the first', async () => {
      const subject = run.in('request');
      expect(await adapter.log.putIfAbsent(subject, fact(subject, { question: 'first' }))).toMatchObject({
        kind: 'WRITTEN',
      });
      expect(await adapter.rival.putIfAbsent(subject, fact(subject, { question: 'second' }))).toEqual({
        kind: 'EXISTS',
      });
      expect((await adapter.log.readLast(subject, 'leader'))?.data).toEqual({ question: 'first' });
    });

    it('has one winner among concurrent writers, and its fact is the one that stands', async () => {
      const subject = run.res('tool', 't1-tool1-a1');
      const puts = await Promise.all(
        Array.from({ length: 24 }, async (_, writer) => {
          const log = writer % 2 ? adapter.rival : adapter.log;
          return { writer, put: await log.putIfAbsent(subject, fact(subject, { writer })) };
        }),
      );
      const winners = puts.filter(({ put }) => put.kind === 'WRITTEN');
      expect(winners).toHaveLength(1);
      expect((await adapter.log.readLast(subject, 'leader'))?.data).toEqual({ writer: winners[0]?.writer });
    });

    it('gives back envelope, position and time as they were written', async () => {
      const subject = run.in('request');
      const message = fact(subject, { text: 'Grüße, 世界 🌍', nested: [{ a: null }] });
      message.envelope.deadline = '2026-02-01T00:00:00.000Z';
      message.envelope.principal = 'acme/jo';
      message.envelope.causationId = 'entry.acme.k1.request';
      message.envelope.traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      const put = await adapter.log.putIfAbsent(subject, message);
      const found = await adapter.rival.readLast(subject, 'any');
      expect(found).toMatchObject({ subject, envelope: message.envelope, data: message.data });
      expect(put).toEqual({ kind: 'WRITTEN', seq: found?.seq });
      expect(Math.abs((found?.storedAtMs ?? 0) - Date.now())).toBeLessThan(60_000);
      expect(await adapter.log.readAt(run.partition, found?.seq ?? 0)).toEqual(found);
    });

    it('refuses a body that belongs in the payload store', async () => {
      const subject = run.in('request');
      const put = adapter.log.putIfAbsent(subject, fact(subject, { text: 'x'.repeat(1_000_000) }));
      await expect(put).rejects.toThrow(MessageTooLarge);
    });
  });

  describe('optimistic append', () => {
    it('appends to the sequence that the writer has read', async () => {
      const first = await adapter.log.append(run.chain, decision(0), 0);
      if (first.kind !== 'APPENDED') throw new Error('the first append lost to nobody');
      const second = await adapter.rival.append(run.chain, decision(1), first.seq);
      expect(second.kind).toBe('APPENDED');
      expect(await chain()).toEqual([
        { n: 0, by: 'harness' },
        { n: 1, by: 'harness' },
      ]);
    });

    it('has one winner among concurrent appends', async () => {
      let expected = 0;
      for (let n = 0; n < 5; n++) {
        const results = await Promise.all(
          Array.from({ length: 16 }, (_, writer) =>
            (writer % 2 ? adapter.rival : adapter.log).append(
              run.chain,
              decision(n, `writer-${writer}`),
              expected,
            ),
          ),
        );
        const won = results.filter((result) => result.kind === 'APPENDED');
        expect(won).toHaveLength(1);
        expected = won[0]?.kind === 'APPENDED' ? won[0].seq : 0;
      }
      expect(await chain()).toHaveLength(5);
    });

    it('refuses a duplicate that carries the stale sequence', async () => {
      const first = await adapter.log.append(run.chain, decision(0), 0);
      expect(first.kind).toBe('APPENDED');
      expect(await adapter.log.append(run.chain, decision(0), 0)).toEqual({ kind: 'CONFLICT' });
      expect(await chain()).toHaveLength(1);
    });

    it('is not disturbed by facts on other subjects of the same partition', async () => {
      const first = await adapter.log.append(run.chain, decision(0), 0);
      if (first.kind !== 'APPENDED') throw new Error('lost to nobody');
      const subject = run.req('tool', 't1-tool1-a1');
      await adapter.log.putIfAbsent(subject, fact(subject, {}));
      expect((await adapter.log.append(run.chain, decision(1), first.seq)).kind).toBe('APPENDED');
    });
  });

  describe('reading', () => {
    it('finds nothing where nothing was written', async () => {
      expect(await adapter.log.readLast(run.chain, 'leader')).toBeUndefined();
      expect(await adapter.log.readLast(run.chain, 'any')).toBeUndefined();
      expect(await adapter.log.readChain(run.chain)).toEqual([]);
      expect(await adapter.log.readAt(run.partition, 999_999)).toBeUndefined();
    });

    it.each([1, 2, 3, 25])('reads a chain of %i in order, and from any position on', async (length) => {
      const seqs: number[] = [];
      for (let n = 0; n < length; n++) {
        const appended = await adapter.log.append(run.chain, decision(n), seqs.at(-1) ?? 0);
        if (appended.kind === 'APPENDED') seqs.push(appended.seq);
        // Facts of this and of other runs lie between.
        const subject = run.res('tool', `t${n}-tool1-a1`);
        await adapter.log.putIfAbsent(subject, fact(subject, { n }));
      }
      const whole = await adapter.rival.readChain(run.chain);
      expect(whole.map(({ seq }) => seq)).toEqual(seqs);
      expect(whole.map(({ envelope }) => envelope.id)).toEqual(seqs.map((_, n) => `${run.chain}#${n}`));
      for (const n of new Set([0, 1, length - 1, length])) {
        const rest = await adapter.rival.readChain(run.chain, seqs[n] ?? (seqs.at(-1) ?? 0) + 1);
        expect(rest.map(({ seq }) => seq)).toEqual(seqs.slice(n));
      }
    });
  });

  describe('delivery', () => {
    const request = async (): Promise<string> => {
      const subject = run.req('evidence', 't1-evidence1-a1');
      await adapter.log.putIfAbsent(subject, fact(subject, {}));
      return subject;
    };
    it('delivers a request to its consumer, and not again once it is acknowledged', async () => {
      const subject = await request();
      const taken = await take();
      expect(taken).toMatchObject({ message: { subject }, deliveryCount: 1 });
      await taken.ack();
      expect(await adapter.take('evidence', adapter.ackWaitMs + QUIET_MS)).toBeUndefined();
    });

    it('delivers again at once what was given back', async () => {
      const subject = await request();
      await (await take()).nak();
      const again = await take();
      expect(again).toMatchObject({ message: { subject }, deliveryCount: 2 });
      await again.ack();
    });

    it('delivers again what was taken and never answered', async () => {
      const subject = await request();
      await take();
      const again = await take();
      expect(again).toMatchObject({ message: { subject }, deliveryCount: 2 });
      await again.ack();
    });

    it('accepts a late ack: only the put-if-absent result tells whose work counts', async () => {
      await request();
      const slow = await take();
      const fast = await take();
      const subject = run.res('evidence', 't1-evidence1-a1');
      const late = await adapter.log.putIfAbsent(subject, fact(subject, { by: 'slow' }));
      await slow.ack();
      const second = await adapter.rival.putIfAbsent(subject, fact(subject, { by: 'fast' }));
      expect([late.kind, second.kind]).toEqual(['WRITTEN', 'EXISTS']);
      expect(await adapter.take('evidence', adapter.ackWaitMs + QUIET_MS)).toBeUndefined();
      await fast.ack();
    });
  });

  describe('persistence', () => {
    it('keeps what it has acknowledged when it is killed, and goes on from there', async () => {
      if (!adapter.restart) return;
      const first = await adapter.log.append(run.chain, decision(0), 0);
      if (first.kind !== 'APPENDED') throw new Error('lost to nobody');
      const request = run.req('evidence', 't1-evidence1-a1');
      await adapter.log.putIfAbsent(request, fact(request, {}));
      expect(await adapter.take('evidence', WAIT_MS)).toMatchObject({ message: { subject: request } });

      await adapter.restart();

      expect(await chain()).toEqual([{ n: 0, by: 'harness' }]);
      expect(await adapter.log.append(run.chain, decision(0), 0)).toEqual({ kind: 'CONFLICT' });
      expect((await adapter.log.append(run.chain, decision(1), first.seq)).kind).toBe('APPENDED');
      // Acknowledgements may have been lost with the process: what was done is delivered again beside what was not.
      const delivered: (string | undefined)[] = [];
      for (let again = await take(); ; again = await take()) {
        delivered.push(again.message.subject);
        await again.ack();
        if (again.message.subject === request) break;
      }
      expect(delivered).toContain(request);
    });
  });
};

const fact = (subject: string, data: unknown, chainIndex?: number): NewMessage =>
  messageOf(
    { subject, type: 'inquest.test.v1', source: 'test', time: '2026-01-01T00:00:00.000Z', chainIndex },
    data,
  );
