import type { NatsConnection } from '@nats-io/transport-node';
import type { DataSource } from 'typeorm';
import { canonicalJson } from '@inquest/contracts/canonical-json';
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
import { migrate, openDataSource } from '../src/data-source';
import { PartitionProjection } from '../src/projection/project-partition';
import { LIVE } from '../src/projection/rows';
import { rebuild } from '../src/rebuild/rebuild';

/** A log and the read model that is projected from it. */
export class ProjectedLog {
  private constructor(
    private readonly postgres: TestPostgres,
    private readonly nats: TestNats,
    private readonly nc: NatsConnection,
    readonly log: NatsEventLog,
    private readonly payloads: NatsPayloadStore,
    readonly source: DataSource,
  ) {}

  static async start(): Promise<ProjectedLog> {
    const [postgres, nats] = await Promise.all([startTestPostgres(), startNats()]);
    const nc = await connectNats({ url: nats.url, service: 'run-projector' });
    await provision(nc);
    const source = await openDataSource(postgres.url);
    await migrate(source);
    return new ProjectedLog(
      postgres,
      nats,
      nc,
      await NatsEventLog.open(nc),
      new NatsPayloadStore(nc),
      source,
    );
  }

  async stop(): Promise<void> {
    await this.source.destroy();
    await this.nc.close();
    await Promise.all([this.postgres.stop(), this.nats.stop()]);
  }

  write(subject: string, type: string, data: unknown): Promise<unknown> {
    const frame = { subject, type, source: 'test', time: new Date().toISOString() };
    return this.log.putIfAbsent(subject, messageOf(frame, data));
  }

  /** Appends a chain in as many entries as there are lists of events. */
  async append(
    subject: string,
    type: string,
    entries: readonly unknown[][],
    at: (n: number) => string,
  ): Promise<void> {
    let last = 0;
    for (const [n, events] of entries.entries()) {
      const decision = { n, prevSeq: last, took: [], at: at(n), events };
      const frame = { subject, type, source: 'test', time: at(n), chainIndex: n };
      const appended = await this.log.append(subject, messageOf(frame, decision), last);
      if (appended.kind !== 'APPENDED') throw new Error('conflict');
      last = appended.seq;
    }
  }

  projectionAt(partition: number, incarnation: string): PartitionProjection {
    return new PartitionProjection(this.source, this.log, this.payloads, partition, incarnation);
  }

  async projectionOf(partition: number): Promise<{ projection: PartitionProjection; lastSeq: number }> {
    const { incarnation, lastSeq } = await readStreamState(this.nc, `DIAG_${partition}`);
    return { projection: this.projectionAt(partition, incarnation), lastSeq };
  }

  async readAll(partition: number, from: number, lastSeq: number): Promise<StoredMessage[]> {
    if (lastSeq < from) return [];
    const reader = await PartitionReader.open(this.nc, partition, from);
    const all: StoredMessage[] = [];
    while ((all.at(-1)?.seq ?? 0) < lastSeq) {
      const batch = await reader.next(1_000, 1_000);
      // A purged partition has an end and nothing before it.
      if (batch.length === 0) break;
      all.push(...batch);
    }
    reader.close();
    return all;
  }

  /** Projects what is new, in batches of the given size. */
  async catchUp(batchSize = 7): Promise<void> {
    for (let partition = 0; partition < this.log.partitions; partition += 1) {
      const { projection, lastSeq } = await this.projectionOf(partition);
      let position = await projection.position(lastSeq);
      const messages = await this.readAll(partition, position + 1, lastSeq);
      for (let at = 0; at < messages.length; at += batchSize) {
        position = await projection.project(messages.slice(at, at + batchSize), position);
      }
    }
  }

  rebuild(): Promise<{ messages: number }> {
    return rebuild({ nc: this.nc, log: this.log, payloads: this.payloads, source: this.source });
  }

  rows(text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
    return this.source.query(text, values);
  }

  /** Every row but for where the projection stands. */
  async dump(): Promise<string> {
    const { checkpoint: _, ...tables } = LIVE;
    const rows = await Promise.all(
      Object.values(tables).map((table) =>
        this.rows(`select to_jsonb(t) as row from ${table} t order by to_jsonb(t)::text`),
      ),
    );
    return canonicalJson(rows);
  }
}
