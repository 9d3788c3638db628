import { Logger } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RunId } from '@inquest/contracts/ids';
import { isTerminal, runDecision, type RunDecision } from '@inquest/contracts/run-decision';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { runIdOf } from '@inquest/event-log/run-id-of';
import { tailChains, type Tail } from '@inquest/event-log/stream-tail';
import type { ChainEntry } from '@inquest/run-view/fold-run';
import { Followers } from './followers';

export type OnEntry = (entry: ChainEntry) => void;

/** The decisions of all runs as they are written: what event streams follow. */
export interface LiveChains {
  /** Calls back for every entry of this run's chain from now on, in order; returns the release. */
  follow(runId: RunId, onEntry: OnEntry): () => void;
  /** Per partition, the highest position at which this gateway has seen a run end. */
  knownPositions(): number[];
  /** A run's end that was seen by another way than the tail, e.g. shown to somebody who polls. */
  noteEnding(partition: number, seq: number): void;
}

/** Looked at before validation, since most entries belong to runs that nobody follows here. */
const endsRun = (data: unknown): boolean => {
  const events = (data as Partial<RunDecision> | null)?.events;
  return Array.isArray(events) && events.some(isTerminal);
};

/** One ordered consumer per partition for the whole gateway, handed on to whoever follows a run here. */
export class ChainTail implements LiveChains {
  private readonly logger = new Logger(ChainTail.name);
  private readonly followers = new Followers<ChainEntry>();
  private readonly endings: number[];
  private tails: Tail[] = [];

  constructor(
    private readonly nc: NatsConnection,
    partitions: number,
  ) {
    this.endings = Array.from({ length: partitions }, () => 0);
  }

  /** Resolves when nothing that is written from then on is missed. */
  async start(): Promise<void> {
    this.tails = await Promise.all(
      this.endings.map((_, partition) =>
        tailChains(this.nc, partition, 'new', (message) => this.take(partition, message)),
      ),
    );
  }

  stop(): void {
    for (const tail of this.tails) tail.close();
    this.tails = [];
  }

  follow(runId: RunId, onEntry: OnEntry): () => void {
    return this.followers.follow(runId, onEntry);
  }

  knownPositions(): number[] {
    return [...this.endings];
  }

  noteEnding(partition: number, seq: number): void {
    this.endings[partition] = Math.max(this.endings[partition] ?? 0, seq);
  }

  private take(partition: number, { subject, seq, data }: StoredMessage): void {
    if (endsRun(data)) this.noteEnding(partition, seq);
    const runId = runIdOf(subject) ?? '';
    if (!this.followers.has(runId)) return;
    const decision = runDecision.schema.safeParse(data);
    if (!decision.success) return this.logger.error(`${subject} #${seq} is no decision`);
    this.followers.tell(runId, { seq, decision: decision.data });
  }
}
