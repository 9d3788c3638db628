import { nuid, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { streamOf } from '@inquest/contracts/subjects';
import { parseDelivery, type DeliveryInfo } from './delivery-subject';
import { EventLogUnavailable, type StoredMessage } from './event-log';
import { newInbox } from './inbox';
import { askApi, nanos, type ConsumerInfo } from './js-api';
import { dataOf, envelopeOf } from './message-headers';
import { onReconnect } from './reconnects';

/** `new`: what is written from now on. `lastPerSubject`: the newest message of each subject, then what follows. */
export type TailStart = 'new' | 'lastPerSubject' | { fromSeq: number };

export type TailOptions = {
  stream: string;
  filter: string;
  start: TailStart;
  onMessage(message: StoredMessage): void;
  /** A message that this system did not write; it is passed over. */
  onMalformed?(seq: number, error: unknown): void;
  /**
   * Asked when the broker wants to know whether to go on: resolves when the reader has taken what it was given. Without
   * it the reader is taken to be as fast as its callback.
   */
  ready?(): Promise<void>;
};

const HEARTBEAT_MS = 5_000;
const SILENCE_MAX_MS = 12_000;
const CHECK_MS = 500;
const INACTIVE_MS = 10_000;

type Attached = { sub: Subscription; inbox: string; consumerSeq: number; heardAt: number };

/**
 * Reads a stream in order and without gaps, for as long as it is open: an unacknowledged, memory-only push consumer
 * with flow control, made anew behind the last message seen whenever the broker lost it or a delivery is missing. It
 * needs permission for consumers of its own filter only, not for pulling from others'.
 */
export class Tail {
  /** Sequence of the last message seen, or of the one before the start. */
  position = 0;
  private attached: Attached | undefined;
  private started = false;
  private opening = false;
  private closed = false;
  private readonly timer: NodeJS.Timeout;
  private readonly releaseConnection: () => void;

  private constructor(
    private readonly nc: NatsConnection,
    private readonly options: TailOptions,
  ) {
    this.timer = setInterval(() => this.check(), CHECK_MS);
    this.releaseConnection = onReconnect(nc, () => {
      this.drop();
      void this.reopen();
    });
  }

  /** Resolves when the consumer stands: nothing written after that is missed. */
  static async open(nc: NatsConnection, options: TailOptions): Promise<Tail> {
    const tail = new Tail(nc, options);
    try {
      await tail.attach();
    } catch (error) {
      tail.close();
      throw new EventLogUnavailable('opening a tail', error);
    }
    return tail;
  }

  close(): void {
    this.closed = true;
    clearInterval(this.timer);
    this.releaseConnection();
    this.drop();
  }

  private async attach(): Promise<void> {
    const { stream, filter } = this.options;
    const name = `tail-${nuid.next()}`;
    const inbox = newInbox(this.nc);
    const sub = this.nc.subscribe(inbox, {
      callback: (error, msg) => {
        if (this.closed || this.attached?.inbox !== inbox) return;
        if (error) return this.drop();
        this.attached.heardAt = performance.now();
        const delivery = parseDelivery(msg.reply);
        if (delivery) this.take(this.attached, msg, delivery);
        else this.status(msg);
      },
    });
    this.attached = { sub, inbox, consumerSeq: 0, heardAt: performance.now() };
    try {
      const info = await askApi<ConsumerInfo>(this.nc, `CONSUMER.CREATE.${stream}.${name}.${filter}`, {
        stream_name: stream,
        config: {
          name,
          filter_subject: filter,
          deliver_subject: inbox,
          ack_policy: 'none',
          max_deliver: 1,
          mem_storage: true,
          num_replicas: 1,
          flow_control: true,
          idle_heartbeat: nanos(HEARTBEAT_MS),
          inactive_threshold: nanos(INACTIVE_MS),
          ...this.startConfig(),
        },
      });
      // Where "new" began: needed if the consumer is lost before its first message.
      if (!this.started && this.options.start === 'new') {
        this.position = Math.max(this.position, info.delivered.stream_seq);
      }
      this.started = true;
    } catch (error) {
      this.drop();
      throw error;
    }
  }

  private startConfig(): Record<string, unknown> {
    const { start } = this.options;
    if (this.started && (this.position > 0 || start === 'new')) return from(this.position + 1);
    if (start === 'new') return { deliver_policy: 'new' };
    if (start === 'lastPerSubject') return { deliver_policy: 'last_per_subject' };
    this.position = start.fromSeq - 1;
    return from(start.fromSeq);
  }

  private take(attached: Attached, msg: Msg, { consumerSeq, streamSeq, storedAtMs }: DeliveryInfo): void {
    if (consumerSeq !== attached.consumerSeq + 1) {
      this.drop();
      void this.reopen();
      return;
    }
    attached.consumerSeq = consumerSeq;
    this.position = streamSeq;
    const { subject } = msg;
    let message: StoredMessage;
    try {
      const envelope = envelopeOf(subject, msg.headers);
      message = { subject, seq: streamSeq, storedAtMs, envelope, data: dataOf(subject, msg.data) };
    } catch (error) {
      this.options.onMalformed?.(streamSeq, error);
      return;
    }
    this.options.onMessage(message);
  }

  /** Flow control asks for an answer; a heartbeat of a stalled consumer names the answer that was lost. */
  private status(msg: Msg): void {
    if (msg.headers?.code !== 100) return this.drop();
    const question = msg.reply || msg.headers.get('Nats-Consumer-Stalled');
    if (!question) return;
    const answer = (): void => {
      if (!this.closed && !this.nc.isClosed()) this.nc.publish(question);
    };
    if (this.options.ready) void this.options.ready().then(answer);
    else answer();
  }

  private check(): void {
    if (this.attached && performance.now() - this.attached.heardAt > SILENCE_MAX_MS) this.drop();
    if (!this.attached) void this.reopen();
  }

  private drop(): void {
    this.attached?.sub.unsubscribe();
    this.attached = undefined;
  }

  private async reopen(): Promise<void> {
    if (this.closed || this.opening || !this.started) return;
    this.opening = true;
    try {
      await this.attach();
    } catch {
      // The interval tries again; until then the reader is behind, which is what a broker that is away means.
    } finally {
      this.opening = false;
    }
  }
}

const from = (seq: number): Record<string, unknown> =>
  seq <= 1 ? { deliver_policy: 'all' } : { deliver_policy: 'by_start_sequence', opt_start_seq: seq };

/** The decisions of all runs of a partition, as they are appended. */
export const tailChains = (
  nc: NatsConnection,
  partition: number,
  start: TailStart,
  onMessage: (message: StoredMessage) => void,
): Promise<Tail> =>
  Tail.open(nc, { stream: streamOf(partition), filter: `diag.${partition}.*.run`, start, onMessage });
