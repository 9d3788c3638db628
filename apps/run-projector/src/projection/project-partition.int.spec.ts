import type { NatsConnection } from '@nats-io/transport-node';
import type { DataSource } from 'typeorm';
import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { RunId } from '@inquest/contracts/ids';
import type { RunEvent } from '@inquest/contracts/run-decision';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { PartitionReader } from '@inquest/event-log/partition-reader';
import { NatsPayloadStore } from '@inquest/event-log/payload-store';
import { provision } from '@inquest/event-log/provisioner';
import { readStreamState } from '@inquest/event-log/stream-state';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { startTestPostgres, type TestPostgres } from '@inquest/testing/postgres-server';
import { migrate, openDataSource } from '../data-source';
import { rebuild } from '../rebuild/rebuild';
import { CheckpointMoved, CheckpointUnusable, PartitionProjection } from './project-partition';
import { diagnosis, ending, requestOf, startedOf, type Made } from './projection.fixtures';

const TABLES = ['diagnosis_run', 'run_event', 'run_evidence'] as const;

describe('The projection of the log', () => {
  let postgres: TestPostgres;
  let nats: TestNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let payloads: NatsPayloadStore;
  let source: DataSource;
  let count = 0;

  beforeAll(async () => {
    [postgres, nats] = await Promise.all([startTestPostgres(), startNats()]);
    nc = await connectNats({ url: nats.url, service: 'run-projector' });
    await provision(nc);
    log = await NatsEventLog.open(nc);
    payloads = new NatsPayloadStore(nc);
    source = await openDataSource(postgres.url);
    await migrate(source);
  }, 60_000);

  afterAll(async () => {
    await source.destroy();
    await nc.close();
    await Promise.all([postgres.stop(), nats.stop()]);
  });

  const write = (subject: string, type: string, data: unknown, chainIndex?: number) =>
    log.putIfAbsent(
      subject,
      messageOf({ subject, type, source: 'test', time: new Date().toISOString(), chainIndex }, data),
    );

  const newId = (): RunId => `00000000-0000-8000-8000-${String((count += 1)).padStart(12, '0')}` as RunId;

  /** Appends the run's facts as the services would; the chain in as many entries as events. */
  const record = async (made: Made, over: { requestedAt?: string } = {}): Promise<void> => {
    const subjects = runSubjects(made.runId, log.partitions);
    await write(subjects.in('request'), 'inquest.in.request.v1', requestOf(made, over));
    for (const [service, step, data] of made.results)
      await write(subjects.res(service, step), `inquest.res.${service}.v1`, data);
    let last = 0;
    for (const [n, event] of made.events.entries()) {
      const at = new Date(Date.parse('2026-03-01T10:00:00Z') + made.atMs + n).toISOString();
      const decision = { n, prevSeq: last, took: [], at, events: [event] };
      const appended = await log.append(
        subjects.chain,
        messageOf(
          { subject: subjects.chain, type: 'inquest.run.v1', source: 'test', time: at, chainIndex: n },
          decision,
        ),
        last,
      );
      if (appended.kind !== 'APPENDED') throw new Error('conflict');
      last = appended.seq;
    }
  };

  const projectionOf = async (partition: number) => {
    const { incarnation, lastSeq } = await readStreamState(nc, `DIAG_${partition}`);
    return { projection: new PartitionProjection(source, log, payloads, partition, incarnation), lastSeq };
  };

  const readAll = async (partition: number, from: number, lastSeq: number): Promise<StoredMessage[]> => {
    if (lastSeq < from) return [];
    const reader = await PartitionReader.open(nc, partition, from);
    const all: StoredMessage[] = [];
    while ((all.at(-1)?.seq ?? 0) < lastSeq) {
      const batch = await reader.next(1_000, 1_000);
      // A purged partition has an end and nothing before it.
      if (batch.length === 0) break;
      all.push(...batch);
    }
    reader.close();
    return all;
  };

  /** Projects what is new, in batches of the given size. */
  const catchUp = async (batchSize = 7): Promise<void> => {
    for (let partition = 0; partition < log.partitions; partition += 1) {
      const { projection, lastSeq } = await projectionOf(partition);
      let position = await projection.position(lastSeq);
      const messages = await readAll(partition, position + 1, lastSeq);
      for (let at = 0; at < messages.length; at += batchSize) {
        position = await projection.project(messages.slice(at, at + batchSize), position);
      }
    }
  };

  const rowOf = async (runId: RunId) =>
    (
      (await source.query('select * from diagnosis_run where run_id = $1', [runId])) as Record<
        string,
        unknown
      >[]
    )[0];

  const dump = async (): Promise<string> => {
    const tables = await Promise.all(
      TABLES.map(
        (table) =>
          source.query(`select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text`) as Promise<
            unknown[]
          >,
      ),
    );
    return canonicalJson(tables);
  };

  describe('H7 diagnosis_run holds intent, outcome and the safe published result', () => {
    it('shows the released bytes of a success, whole and checked', async () => {
      const made = diagnosis(newId());
      await record(made);
      await catchUp();
      const row = await rowOf(made.runId);
      expect(row).toMatchObject({
        intent: 'DIAGNOSIS',
        outcome: 'SUCCESS',
        status: 'RELEASED',
        report_text: made.reportText,
      });
      expect(row?.['report_hash']).toBe(sha256(made.reportText));
      expect(row?.['view']).toMatchObject({
        author: 'rules-diagnosis',
        report: { conclusion: { status: 'PROBABLE_CAUSE' } },
      });
      expect(
        await source.query('select tool_call_id from run_evidence where run_id = $1', [made.runId]),
      ).toEqual([{ tool_call_id: 'c1' }]);
    });

    it.each(['RunFellBack', 'RunFailed', 'RunCancelled'] as const)(
      'holds nothing of a draft after %s',
      async (type) => {
        const made = ending(newId(), type);
        await record(made);
        await catchUp();
        const row = await rowOf(made.runId);
        expect(row).toMatchObject({ report_text: null, snapshot_text: null, released_at: null });
        expect(JSON.stringify(row)).not.toContain('pool is exhausted');
      },
    );
  });

  it('shows nothing of a release whose bytes are not the released ones, and goes on with the next run', async () => {
    const made = diagnosis(newId());
    const forged = made.events.map((e): RunEvent =>
      e.type === 'RunReleased' ? { ...e, reportHash: 'f'.repeat(64) } : e,
    );
    await record({ ...made, events: forged });
    const next = diagnosis(newId());
    await record(next);
    await catchUp();
    expect(await rowOf(made.runId)).toMatchObject({ outcome: null, status: 'SEALED', report_text: null });
    expect(await rowOf(next.runId)).toMatchObject({ outcome: 'SUCCESS' });
  });

  it('changes nothing when a batch is projected again, and never changes a row that has an outcome', async () => {
    const made = diagnosis(newId());
    await record(made);
    await catchUp();
    const before = await dump();
    await source.query(`delete from projection_checkpoint`);
    await catchUp(3);
    expect(await dump()).toBe(before);
  });

  it('does not depend on the size of batches, nor on what the process remembers', async () => {
    const made = diagnosis(newId());
    await record(made);
    const { partition } = runSubjects(made.runId, log.partitions);
    const { projection, lastSeq } = await projectionOf(partition);
    let position = await projection.position(lastSeq);
    for (const message of await readAll(partition, position + 1, lastSeq)) {
      // A new process for each message.
      position = await (await projectionOf(partition)).projection.project([message], position);
    }
    expect(await rowOf(made.runId)).toMatchObject({ outcome: 'SUCCESS' });
  });

  it('lets only one process move the checkpoint', async () => {
    const made = diagnosis(newId());
    await record(made);
    const { partition } = runSubjects(made.runId, log.partitions);
    const [one, two] = [await projectionOf(partition), await projectionOf(partition)];
    const position = await one.projection.position(one.lastSeq);
    const messages = await readAll(partition, position + 1, one.lastSeq);
    await one.projection.project(messages, position);
    await expect(two.projection.project(messages, position)).rejects.toThrow(CheckpointMoved);
  });

  it('refuses a checkpoint of another stream or beyond its end, and says what to run', async () => {
    const projection = new PartitionProjection(source, log, payloads, 0, 'another incarnation');
    await source.query(
      `insert into projection_checkpoint values ('DIAG_0', 'x', 1) on conflict (stream) do update set incarnation = 'x'`,
    );
    await expect(projection.position(10)).rejects.toThrow(CheckpointUnusable);
    await expect(projection.position(10)).rejects.toThrow('inquest rebuild');
    await source.query(
      `update projection_checkpoint set incarnation = 'another incarnation', seq = 99 where stream = 'DIAG_0'`,
    );
    await expect(projection.position(10)).rejects.toThrow('beyond the end');
    await source.query(`delete from projection_checkpoint where stream = 'DIAG_0'`);
  });

  it('is rebuilt to the same rows as it had live, and keeps runs that the log no longer holds', async () => {
    for (const make of [
      diagnosis,
      (id: RunId) => ending(id, 'RunFellBack'),
      (id: RunId) => ending(id, 'RunCancelled'),
    ]) {
      await record(make(newId()));
    }
    const open = diagnosis(newId());
    await record({ ...open, events: [startedOf(open.runId)] });
    await catchUp();
    const old = newId();
    await source.query(
      `insert into diagnosis_run (run_id, tenant, principal, question, status, requested_at, partition, last_seq)
       values ($1, 'demo', 'demo/ada', 'an old question', 'FAILED', now(), 0, 1)`,
      [old],
    );
    const live = await dump();
    await rebuild({ nc, log, payloads, source });
    expect(await dump()).toBe(live);
    expect(await rowOf(old)).toMatchObject({ question: 'an old question' });
    await catchUp();
    expect(await dump()).toBe(live);
  });

  it('stores text that jsonb cannot hold by its replacement, instead of stopping', async () => {
    const made = diagnosis(newId());
    await record({ ...made, question: 'why \u0000 is it \ud800 down?' });
    await catchUp();
    expect((await rowOf(made.runId))?.['question']).toBe('why \ufffd is it \ufffd down?');
  });
});
