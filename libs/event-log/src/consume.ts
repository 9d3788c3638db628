import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { placesOf, type ConsumerPlace, type WorkConsumer } from './consumers';
import { putAside } from './dead-letters';
import type { DeliveryInfo } from './delivery-subject';
import { ACK_WAIT_MS } from './log-settings';
import { EXTRA_EXPIRES_MS, PULL_EXPIRES_MS, PullQueue } from './pull-queue';
import { basePulls, sharePulls, slotsFor } from './share-pulls';
import { judgeConsumer, recreateConsumer, sightOf, type Sight } from './watchdog';
import { readConsumer } from './provisioner';
import { onReconnect } from './reconnects';
import { runIdOf } from './run-id-of';
import {
  DELIVERIES_MAX,
  Poison,
  RetryLater,
  backoffMs,
  type Interrupts,
  type WorkHandler,
  type WorkLog,
} from './work';
import { WorkItem } from './work-item';

export type WorkOptions = {
  partitions: number;
  /** One budget over all consumers and partitions of this process. */
  slots: number;
  handlers: ReadonlyMap<WorkConsumer, WorkHandler>;
  interrupts?: Interrupts;
  /** Age up to which work may be fresh; shorter in tests only. */
  freshMs?: number;
  log?: WorkLog;
  ackWaitMs?: number;
  watchdogMs?: number;
  /** Pause before a failed message is delivered again; shorter in tests only. */
  backoffMs?: (deliveryCount: number) => number;
};

/** Waiting messages that stay in this process instead of being given back; above it they are given back with a delay. */
const PARKED_MAX = 1_000;
/** A timer's delivery count means nothing, so its failures are counted here; bounded, since only failing ones are kept. */
const FAILING_TIMERS_MAX = 10_000;
const TICK_MS = 1_000;
const WAKE_MAX_MS = 30_000;

type Queue = {
  place: ConsumerPlace;
  pulls: PullQueue;
  backlog: number;
  sight?: Sight;
  missingSince?: number;
};

/**
 * The work of one process: pulls messages of its consumers within one slot budget, runs their handlers, answers the
 * broker. Nothing waits in the client: what was pulled has a slot.
 */
export class Work {
  private readonly queues: Queue[];
  private readonly running = new Map<string, WorkItem>();
  private readonly parked = new Map<string, { item: WorkItem; timer: NodeJS.Timeout }>();
  private readonly resumable: WorkItem[] = [];
  private readonly failingTimers = new Map<string, number>();
  private readonly ticker: NodeJS.Timeout;
  private readonly watchdog: NodeJS.Timeout;
  private readonly releaseConnection: () => void;
  private readonly slots: number;
  private readonly base: number;
  private readonly ackWaitMs: number;
  private turn = 0;
  private closing = false;
  private idle: (() => void) | undefined;

  constructor(
    private readonly nc: NatsConnection,
    private readonly options: WorkOptions,
  ) {
    const places = [...options.handlers.keys()].flatMap((consumer) => placesOf(consumer, options.partitions));
    this.slots = slotsFor(options.slots, places.length);
    this.base = basePulls(this.slots, places.length);
    this.ackWaitMs = options.ackWaitMs ?? ACK_WAIT_MS;
    this.queues = places.map((place) => this.open(place));
    this.ticker = setInterval(() => this.tick(), Math.min(TICK_MS, this.ackWaitMs / 6));
    const watchdogMs = options.watchdogMs ?? 15_000;
    this.watchdog = setInterval(() => this.queues.forEach((queue) => void this.watch(queue)), watchdogMs);
    this.releaseConnection = onReconnect(nc, () => this.reconnected());
    this.replenish();
  }

  /** Messages whose handler runs right now. */
  get inFlight(): number {
    return this.running.size;
  }

  /** Stops pulling, lets handlers end within `graceMs`, aborts the rest and gives their messages back. */
  async close(graceMs = 4_000): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    clearInterval(this.watchdog);
    this.releaseConnection();
    for (const { item, timer } of this.parked.values()) {
      clearTimeout(timer);
      item.nak(0);
    }
    for (const item of this.resumable) item.nak(0);
    await Promise.all(this.queues.map(({ pulls }) => pulls.drain().catch(() => undefined)));
    await this.idleWithin(graceMs);
    for (const item of this.running.values()) item.abort('shutdown');
    await this.idleWithin(500);
    for (const item of this.running.values()) item.nak(0);
    clearInterval(this.ticker);
    if (!this.nc.isClosed()) await this.nc.flush().catch(() => undefined);
  }

  private open(place: ConsumerPlace): Queue {
    const queue: Queue = {
      place,
      backlog: 0,
      pulls: new PullQueue(this.nc, place.stream, place.consumer, {
        onMessage: (msg, info) => this.take(queue, msg, info),
        onFreed: () => this.replenish(),
        onMissing: (why) => {
          queue.missingSince ??= performance.now();
          this.options.log?.('warn', 'consumer does not deliver', { ...place, why });
        },
      }),
    };
    return queue;
  }

  private take(queue: Queue, msg: Msg, info: DeliveryInfo): void {
    queue.backlog = info.pending;
    const item = new WorkItem(this.nc, queue.place.consumer, msg, info);
    // Taken while draining, or delivered again while the first delivery is still at work or waiting here.
    const here = this.running.has(item.key) || this.parked.has(item.key);
    if (this.closing || here) return item.nak(this.closing ? 0 : 5_000);
    void this.run(item);
    // With a pull still open and nothing waiting, the next one leaves together with this message's answer: one write less.
    if (info.pending > 0 || queue.pulls.outstanding === 0) this.replenish();
  }

  private async run(item: WorkItem): Promise<void> {
    this.running.set(item.key, item);
    try {
      const handler = this.options.handlers.get(item.consumer);
      if (!handler) throw new Poison(`no handler for ${item.consumer}`);
      if (!item.isTimer && item.info.deliveryCount > DELIVERIES_MAX)
        throw new Poison('delivered too often without an end');
      const message = item.read(this.options.partitions);
      item.abortAt(message.envelope.deadline);
      const runId = runIdOf(item.subject);
      const { interrupts } = this.options;
      if (runId && interrupts) item.release.push(interrupts.watch(runId, () => item.abort('interrupt')));
      const isQuiet = runId !== undefined && interrupts?.isQuiet(runId);
      await handler(message, item.context(isQuiet, this.options.freshMs));
      this.failingTimers.delete(item.key);
      item.ack();
    } catch (error) {
      await this.failed(item, error);
    } finally {
      item.settle();
      this.running.delete(item.key);
      if (this.running.size === 0) this.idle?.();
      this.replenish();
    }
  }

  private async failed(item: WorkItem, error: unknown): Promise<void> {
    if (error instanceof RetryLater) return this.wait(item, error.delayMs);
    const fields = { subject: item.subject, seq: item.info.streamSeq, deliveries: item.deliveryCount };
    const why = error instanceof Error ? error.message : String(error);
    if (item.abortedBy === 'shutdown') return item.nak(0);
    if (item.abortedBy === 'deadline') {
      // The harness closes the step by its own clock; doing it again could only be later still.
      this.options.log?.('info', 'work ended by its deadline', { ...fields, why });
      return item.ack();
    }
    if (item.isTimer) this.countTimer(item);
    if (error instanceof Poison || this.failures(item) >= DELIVERIES_MAX) return this.bury(item, error, why);
    const stack = error instanceof Error ? error.stack : undefined;
    this.options.log?.('warn', 'work failed and will be tried again', {
      ...fields,
      why,
      stack,
      cause: causeOf(error),
    });
    item.nak(item.abortedBy === 'interrupt' ? 0 : (this.options.backoffMs ?? backoffMs)(this.failures(item)));
  }

  private failures(item: WorkItem): number {
    return item.isTimer ? (this.failingTimers.get(item.key) ?? 0) : item.info.deliveryCount;
  }

  private countTimer(item: WorkItem): void {
    this.failingTimers.set(item.key, this.failures(item) + 1);
    if (this.failingTimers.size <= FAILING_TIMERS_MAX) return;
    const [oldest] = this.failingTimers.keys();
    if (oldest !== undefined) this.failingTimers.delete(oldest);
  }

  private async bury(item: WorkItem, error: unknown, why: string): Promise<void> {
    try {
      await putAside(this.nc, item.msg, item.info, why);
      item.term();
      this.options.log?.('error', 'message put aside', { subject: item.subject, why, cause: causeOf(error) });
    } catch (broken) {
      this.options.log?.('error', 'message could not be put aside', {
        subject: item.subject,
        why: String(broken),
      });
      item.nak(5_000);
    }
  }

  /**
   * A wait is kept here, under heartbeats, so that the broker's delivery count goes on meaning failures and crashes.
   * Timers wait for minutes and by the hundred thousand: they go back to the broker.
   */
  private wait(item: WorkItem, delayMs: number): void {
    if (item.isTimer) return item.nak(Math.min(Math.max(delayMs, 0), WAKE_MAX_MS));
    if (this.closing || this.parked.size >= PARKED_MAX) return item.nak(delayMs);
    const timer = setTimeout(() => {
      this.parked.delete(item.key);
      item.resume();
      this.resumable.push(item);
      this.replenish();
    }, delayMs);
    this.parked.set(item.key, { item, timer });
  }

  private replenish(): void {
    if (this.closing) return;
    for (;;) {
      const outstanding = this.queues.reduce((sum, { pulls }) => sum + pulls.outstanding, 0);
      const free = this.slots - this.running.size - outstanding;
      if (free <= 0) return;
      const waiting = this.resumable.shift();
      if (waiting) {
        void this.run(waiting);
        continue;
      }
      const asking = this.queues.filter(({ missingSince }) => missingSince === undefined);
      const loads = asking.map(({ pulls, backlog }) => ({ outstanding: pulls.outstanding, backlog }));
      for (const { queue, batch, extra } of sharePulls(loads, free, this.base, this.turn++)) {
        asking[queue]?.pulls.pull(batch, extra ? EXTRA_EXPIRES_MS : PULL_EXPIRES_MS);
      }
      return;
    }
  }

  private tick(): void {
    const now = performance.now();
    for (const item of this.running.values()) item.beat(now, this.ackWaitMs / 3);
    for (const { item } of this.parked.values()) item.beat(now, this.ackWaitMs / 3);
    for (const item of this.resumable) item.beat(now, this.ackWaitMs / 3);
    for (const queue of this.queues) {
      queue.pulls.check(now);
      // A consumer that was missing is asked again once a second; the watchdog may have made it anew.
      if (queue.missingSince !== undefined && now - queue.missingSince > TICK_MS)
        queue.missingSince = undefined;
    }
    this.replenish();
  }

  private async watch(queue: Queue): Promise<void> {
    try {
      const info = await readConsumer(this.nc, queue.place);
      const sight = info && sightOf(info);
      const verdict = sight ? judgeConsumer(queue.sight, sight, queue.pulls.outstanding) : 'recreate';
      if (verdict !== 'fine') {
        this.options.log?.('warn', 'consumer stands still', { ...queue.place, verdict });
        if (verdict === 'recreate')
          await recreateConsumer(this.nc, queue.place, sight ?? queue.sight, this.ackWaitMs);
        queue.missingSince = undefined;
        queue.pulls.reset();
        this.replenish();
      }
      queue.sight = sight ?? queue.sight;
    } catch (error) {
      this.options.log?.('warn', 'watchdog could not look', { ...queue.place, why: String(error) });
    }
  }

  /** After a reconnect the broker may not be the one that held our pulls. */
  private reconnected(): void {
    for (const queue of this.queues) {
      queue.missingSince = undefined;
      queue.pulls.reset();
    }
    this.replenish();
  }

  private async idleWithin(ms: number): Promise<void> {
    if (this.running.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      new Promise<void>((resolve) => (this.idle = resolve)),
      new Promise<void>((resolve) => (timer = setTimeout(resolve, ms))),
    ]);
    clearTimeout(timer);
  }
}

const causeOf = (error: unknown): string | undefined =>
  error instanceof Error && error.cause !== undefined ? String(error.cause) : undefined;
