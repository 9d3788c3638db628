import type { NatsConnection } from '@nats-io/transport-node';
import type { DataSource } from 'typeorm';
import { streamOf } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import { PartitionReader } from '@inquest/event-log/partition-reader';
import { readStreamState } from '@inquest/event-log/stream-state';
import { PartitionProjection } from '../projection/project-partition';
import { LIVE, type Tables } from '../projection/rows';

export const SHADOW: Tables = {
  runs: 'rebuild_diagnosis_run',
  events: 'rebuild_run_event',
  evidence: 'rebuild_run_evidence',
  cases: 'rebuild_investigation_case',
  hypotheses: 'rebuild_case_hypothesis',
  findings: 'rebuild_case_finding',
  reviews: 'rebuild_case_review',
  checkpoint: 'rebuild_projection_checkpoint',
};

const BATCH = 1_000;
const PAIRS = (Object.keys(LIVE) as (keyof Tables)[]).map((key) => ({
  live: LIVE[key],
  shadow: SHADOW[key],
}));

export type RebuildProgress = (partition: number, seq: number, lastSeq: number) => void;

const makeShadow = async (source: DataSource): Promise<void> => {
  for (const { live, shadow } of PAIRS) {
    await source.query(`drop table if exists ${shadow}`);
    await source.query(`create table ${shadow} (like ${live} including all)`);
  }
};

/** Rows that belong to a run or a case, and the column that says to which. */
const PARTS = [
  ['events', 'run_id'],
  ['evidence', 'run_id'],
  ['hypotheses', 'case_id'],
  ['findings', 'case_id'],
  ['reviews', 'case_id'],
] as const satisfies readonly (readonly [keyof Tables, string])[];

/**
 * Runs and cases that the log no longer begins are carried over as they are; those that it still holds were projected anew. An
 * erased run stays erased whatever the log says.
 */
const carryOver = async (source: DataSource): Promise<void> => {
  await source.query(
    `delete from ${SHADOW.runs} s using ${LIVE.runs} l where l.run_id = s.run_id and l.status = 'ERASED'`,
  );
  for (const [table, key] of PARTS) {
    await source.query(
      `insert into ${SHADOW[table]} select * from ${LIVE[table]} l
        where not exists (select from ${SHADOW[table]} s where s.${key} = l.${key}) on conflict do nothing`,
    );
  }
  for (const table of ['runs', 'cases'] as const) {
    await source.query(`insert into ${SHADOW[table]} select * from ${LIVE[table]} on conflict do nothing`);
  }
};

const swap = (source: DataSource): Promise<void> =>
  source.transaction(async (manager) => {
    for (const { live, shadow } of PAIRS) {
      await manager.query(`drop table ${live}`);
      await manager.query(`alter table ${shadow} rename to ${live}`);
    }
    await manager.query(`
      do $$ begin
        if exists (select from pg_roles where rolname = 'inquest_reader') then
          grant select on ${PAIRS.map(({ live }) => live).join(', ')} to inquest_reader;
        end if;
      end $$`);
  });

/**
 * Projects the whole log into shadow tables and swaps them in. The live projector goes on behind the new checkpoint;
 * it notices the swap by its checkpoint having moved.
 */
export const rebuild = async (
  around: { nc: NatsConnection; log: EventLog; payloads: PayloadStore; source: DataSource },
  onProgress: RebuildProgress = () => undefined,
): Promise<{ messages: number }> => {
  const { nc, log, payloads, source } = around;
  await makeShadow(source);
  let messages = 0;
  for (let partition = 0; partition < log.partitions; partition += 1) {
    const { incarnation, lastSeq, messages: held } = await readStreamState(nc, streamOf(partition));
    if (held === 0) continue;
    const projection = new PartitionProjection(source, log, payloads, partition, incarnation, SHADOW);
    const reader = await PartitionReader.open(nc, partition, 1);
    try {
      for (let position = 0; position < lastSeq; onProgress(partition, position, lastSeq)) {
        const batch = await reader.next(BATCH, 5_000);
        if (batch.length === 0) break;
        position = await projection.project(batch, position);
        messages += batch.length;
      }
    } finally {
      reader.close();
    }
  }
  await carryOver(source);
  await swap(source);
  return { messages };
};
