import type { NatsConnection } from '@nats-io/transport-node';
import type { QueryRunner, DataSource } from 'typeorm';
import { setTimeout as pause } from 'node:timers/promises';
import { streamOf } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore, StoredMessage } from '@inquest/event-log/event-log';
import { PartitionReader } from '@inquest/event-log/partition-reader';
import { readStreamState } from '@inquest/event-log/stream-state';
import type { Logger } from '@inquest/service-shell/logger';
import { CheckpointUnusable, PartitionProjection } from './projection/project-partition';
import { LIVE } from './projection/rows';

/** First word of the advisory locks that make one process the projector of a partition. */
const PARTITION_LOCK = 0x1490e58;

const IDLE_WAIT_MS = 1_000;
/** Far below the lag that a reader of the rows may see, which is 250 ms. */
const GATHER_MS = 50;
const LOCK_WAIT_MS = 1_000;
const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 10_000;

export type Surroundings = {
  nc: NatsConnection;
  log: EventLog;
  payloads: PayloadStore;
  source: DataSource;
  logger: Logger;
  batchMax: number;
};

/**
 * Keeps one partition projected for as long as the process lives: takes the partition's lock, goes on from the
 * checkpoint, and begins anew behind the checkpoint after any fault. A checkpoint that does not fit the log stops it,
 * since only a person can say whether the old rows or the new log are the truth.
 */
export class PartitionWorker {
  private readonly stopping = new AbortController();
  private done: Promise<void> = Promise.resolve();

  constructor(
    private readonly around: Surroundings,
    private readonly partition: number,
  ) {}

  start(): void {
    this.done = this.run();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.done;
  }

  private async run(): Promise<void> {
    let delayMs = RETRY_MIN_MS;
    while (!this.stopping.signal.aborted) {
      try {
        await this.holdLock(() => this.project(() => (delayMs = RETRY_MIN_MS)));
      } catch (error) {
        const fields = {
          partition: this.partition,
          error: error instanceof Error ? error.message : String(error),
        };
        if (error instanceof CheckpointUnusable) {
          this.around.logger.error('projection stopped', fields);
          return;
        }
        this.around.logger.warn('projection interrupted; it goes on behind the checkpoint', fields);
        delayMs = Math.min(delayMs * 2, RETRY_MAX_MS);
      }
      await this.sleep(delayMs);
    }
  }

  private async sleep(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.stopping.signal }).catch(() => undefined);
  }

  /** A session lock: it ends with the connection, so that a killed projector frees its partition at once. */
  private async holdLock(task: (lock: QueryRunner) => Promise<void>): Promise<void> {
    const runner = this.around.source.createQueryRunner();
    try {
      await runner.connect();
      while (!this.stopping.signal.aborted) {
        const rows = (await runner.query('select pg_try_advisory_lock($1, $2) as held', [
          PARTITION_LOCK,
          this.partition,
        ])) as { held: boolean }[];
        if (rows[0]?.held === true) return await task(runner);
        await this.sleep(LOCK_WAIT_MS);
      }
    } finally {
      await runner
        .query('select pg_advisory_unlock($1, $2)', [PARTITION_LOCK, this.partition])
        .catch(() => undefined);
      await runner.release().catch(() => undefined);
    }
  }

  /** A run writes its facts within milliseconds of each other: a moment's wait makes one transaction of many. */
  private async gather(reader: PartitionReader, batchMax: number): Promise<StoredMessage[]> {
    const batch = await reader.next(batchMax, IDLE_WAIT_MS);
    if (batch.length === 0 || batch.length >= batchMax) return batch;
    await this.sleep(GATHER_MS);
    return [...batch, ...(await reader.next(batchMax - batch.length, 0))];
  }

  private async project(onProgress: () => void): Promise<void> {
    const { nc, log, payloads, source, logger, batchMax } = this.around;
    const stream = streamOf(this.partition);
    const { incarnation, lastSeq } = await readStreamState(nc, stream);
    const projection = new PartitionProjection(
      source,
      log,
      payloads,
      this.partition,
      incarnation,
      LIVE,
      (runId, error) =>
        logger.error('a release cannot be verified and is not shown', { runId, error: error.message }),
    );
    let position = await projection.position(lastSeq);
    const reader = await PartitionReader.open(nc, this.partition, position + 1, {
      onMalformed: (seq, error) =>
        logger.warn('a message of the log is passed over', { stream, seq, error: String(error) }),
    });
    logger.info('projecting', { partition: this.partition, from: position + 1 });
    try {
      while (!this.stopping.signal.aborted) {
        const batch = await this.gather(reader, batchMax);
        position = await projection.project(batch, position);
        if (batch.length > 0) onProgress();
      }
    } finally {
      reader.close();
    }
  }
}
