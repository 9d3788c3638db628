import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { CONTRACT_VERSION, type Envelope } from '@inquest/contracts/envelope';
import { parseSubject, partitionOf } from '@inquest/contracts/subjects';
import { isTimer, type WorkConsumer } from './consumers';
import type { DeliveryInfo } from './delivery-subject';
import type { StoredMessage } from './event-log';
import { nanos } from './js-api';
import { dataOf, envelopeOf } from './message-headers';
import { Poison, RetryLater, WorkAborted, type WorkContext } from './work';

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const ACK = encode('+ACK');
const WORKING = encode('+WPI');
// Without a reason: "+TERM <reason>" is not understood before 2.10.4 and would leave the message pending.
const TERM = encode('+TERM');

/** Shorter than any wait behind which a run may have ended: a queue, a redelivery, a restart. */
const FRESH_MS = 1_000;

/** One delivered message while this process has it: its signal, its heartbeat, its answer. */
export class WorkItem {
  /** Made when a handler asks for its signal: most do not, and an AbortController costs more than the rest of this. */
  private controller: AbortController | undefined;
  private reason: WorkAborted | undefined;
  private beatAt = performance.now();
  private timer: NodeJS.Timeout | undefined;
  /** How often it was taken up here again after a wait, without a new delivery. */
  private resumed = 0;
  readonly release: (() => void)[] = [];

  constructor(
    private readonly nc: NatsConnection,
    readonly consumer: WorkConsumer,
    readonly msg: Msg,
    readonly info: DeliveryInfo,
  ) {}

  get subject(): string {
    return this.msg.subject;
  }

  get deliveryCount(): number {
    return this.info.deliveryCount + this.resumed;
  }

  get abortedBy(): WorkAborted['by'] | undefined {
    return this.reason?.by;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason && !this.controller.signal.aborted) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  /** The message as stored. Throws what cannot be read, or stands in a partition that is not its run's, as poison. */
  read(partitions: number): StoredMessage {
    const { subject, data, headers } = this.msg;
    try {
      if (subject.startsWith('diag.')) {
        const parsed = parseSubject(subject);
        if (!parsed) throw new Error('its subject is not one of ours');
        if (parsed.partition !== partitionOf(parsed.runId, partitions))
          throw new Error('it stands in a foreign partition');
      }
      return {
        subject,
        seq: this.info.streamSeq,
        storedAtMs: this.info.storedAtMs,
        envelope: this.isForeign ? this.entryEnvelope() : envelopeOf(subject, headers),
        data: dataOf(subject, data),
      };
    } catch (error) {
      throw new Poison(error instanceof Error ? error.message : String(error), error);
    }
  }

  /** Platform gateways write with whatever client they have; who wrote and what follows from the subject they may use. */
  private get isForeign(): boolean {
    return this.subject.startsWith('entry.');
  }

  private entryEnvelope(): Envelope {
    const [, publisher = 'unknown', , kind = 'request'] = this.subject.split('.');
    const traceparent = this.msg.headers?.get('traceparent');
    return {
      id: this.subject,
      source: publisher,
      type: `inquest.entry.${kind}.v1`,
      time: new Date(this.info.storedAtMs).toISOString(),
      contractVersion: CONTRACT_VERSION,
      ...(traceparent ? { traceparent } : {}),
    };
  }

  /** `isQuiet`: nothing was heard that would stop the run. A clock that is not the broker's makes nothing fresh for long. */
  context(isQuiet = false, freshMs = FRESH_MS): WorkContext {
    const ageMs = Date.now() - this.info.storedAtMs;
    const isNew = this.deliveryCount === 1 && Math.abs(ageMs) < freshMs;
    return new ItemContext(this, isQuiet && isNew);
  }

  abort(by: WorkAborted['by']): void {
    if (this.reason) return;
    this.reason = new WorkAborted(by);
    this.controller?.abort(this.reason);
  }

  /** Only requested work has a step deadline; what the harness is told must be heard however late it is. */
  abortAt(deadline: string | undefined): void {
    if (deadline === undefined || !this.subject.includes('.req.')) return;
    const leftMs = Date.parse(deadline) - Date.now();
    if (leftMs <= 0) return this.abort('deadline');
    this.timer = setTimeout(() => this.abort('deadline'), Math.min(leftMs, 2 ** 31 - 1));
    this.release.push(() => clearTimeout(this.timer));
  }

  settle(): void {
    for (const free of this.release.splice(0)) free();
  }

  /** Keeps the message ours; after the deadline there is nothing left to keep it for. */
  beat(now: number, everyMs: number): void {
    if (now - this.beatAt < everyMs || this.abortedBy === 'deadline') return;
    this.beatAt = now;
    this.answer(WORKING);
  }

  resume(): void {
    this.resumed++;
  }

  ack(): void {
    this.answer(ACK);
  }

  nak(delayMs: number): void {
    this.answer(encode(delayMs > 0 ? `-NAK {"delay": ${nanos(Math.round(delayMs))}}` : '-NAK'));
  }

  term(): void {
    this.answer(TERM);
  }

  get isTimer(): boolean {
    return isTimer(this.consumer);
  }

  get key(): string {
    return `${this.info.stream}:${this.info.streamSeq}`;
  }

  private answer(body: Uint8Array): void {
    if (this.msg.reply && !this.nc.isClosed()) this.nc.publish(this.msg.reply, body);
  }
}

class ItemContext implements WorkContext {
  constructor(
    private readonly item: WorkItem,
    readonly fresh: boolean,
  ) {}

  get signal(): AbortSignal {
    return this.item.signal;
  }

  get deliveryCount(): number {
    return this.item.deliveryCount;
  }

  retryLater(delayMs: number): never {
    throw new RetryLater(delayMs);
  }
}
