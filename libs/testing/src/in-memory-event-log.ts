import { partitionOf } from '@inquest/contracts/subjects';
import { placesOf, type WorkConsumer } from '@inquest/event-log/consumers';
import {
  MessageTooLarge,
  type AppendResult,
  type EventLog,
  type NewMessage,
  type PutResult,
  type StoredMessage,
} from '@inquest/event-log/event-log';
import { MESSAGE_BYTES_MAX } from '@inquest/event-log/nats-event-log';
import { streamOfSubject } from '@inquest/event-log/streams';

/** What a consumer of {@link InMemoryEventLog} hands out; answered as on the broker. */
export type InMemoryDelivery = {
  message: StoredMessage;
  deliveryCount: number;
  ack(): void;
  nak(delayMs?: number): void;
};

type Cursor = { next: number; held: Map<number, { dueAtMs: number; count: number }> };

const matches = (filter: string, subject: string): boolean => {
  const [want, have] = [filter.split('.'), subject.split('.')];
  return (
    want.every((token, i) => (token === '>' ? have.length > i : token === '*' || token === have[i])) &&
    (want.at(-1) === '>' || want.length === have.length)
  );
};

/**
 * The port with the broker's semantics in one process, for specs of services that need no server: one sequence per
 * stream, conditional writes, work consumers with redelivery. Passes the conformance suite of libs/event-log.
 */
export class InMemoryEventLog implements EventLog {
  private readonly streams = new Map<string, StoredMessage[]>();
  private readonly cursors = new Map<string, Cursor>();
  private readonly listeners = new Set<(message: StoredMessage) => void>();

  constructor(
    readonly partitions = 4,
    private readonly ackWaitMs = 30_000,
    private readonly nowMs: () => number = Date.now,
  ) {}

  async putIfAbsent(subject: string, message: NewMessage): Promise<PutResult> {
    const result = await this.append(subject, message, 0);
    return result.kind === 'APPENDED' ? { kind: 'WRITTEN', seq: result.seq } : { kind: 'EXISTS' };
  }

  async append(subject: string, message: NewMessage, expectedLastSeq: number): Promise<AppendResult> {
    const text = JSON.stringify(message.data);
    if (Buffer.byteLength(text) > MESSAGE_BYTES_MAX)
      throw new MessageTooLarge(subject, Buffer.byteLength(text));
    const stream = this.stream(subject);
    if ((this.last(subject)?.seq ?? 0) !== expectedLastSeq) return { kind: 'CONFLICT' };
    const seq = stream.length + 1;
    // As the wire would give it back: no shared references, no undefined members.
    const envelope = JSON.parse(JSON.stringify(message.envelope)) as NewMessage['envelope'];
    const stored = { subject, seq, storedAtMs: this.nowMs(), envelope, data: JSON.parse(text) as unknown };
    stream.push(stored);
    for (const listener of this.listeners) listener(stored);
    return { kind: 'APPENDED', seq };
  }

  async readLast(subject: string, _consistency: 'leader' | 'any'): Promise<StoredMessage | undefined> {
    return this.last(subject);
  }

  async readAt(partition: number, seq: number): Promise<StoredMessage | undefined> {
    return this.streams.get(`DIAG_${partition}`)?.[seq - 1];
  }

  async readChain(subject: string, fromSeq = 1): Promise<StoredMessage[]> {
    return this.stream(subject).filter((message) => message.subject === subject && message.seq >= fromSeq);
  }

  /** Everything written so far, in order of its partition; for assertions. */
  messages(runId: string): StoredMessage[] {
    const stream = this.streams.get(`DIAG_${partitionOf(runId, this.partitions)}`) ?? [];
    return stream.filter(({ subject }) => subject.split('.')[2] === runId);
  }

  /** Calls `listener` for every message from now on; returns the way to stop it. */
  onWritten(listener: (message: StoredMessage) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The next message that a work consumer would be handed now. */
  take(consumer: WorkConsumer): InMemoryDelivery | undefined {
    for (const { stream, filter } of placesOf(consumer, this.partitions)) {
      const cursor = this.cursor(`${stream}/${consumer}`);
      const due = [...cursor.held].find(([, { dueAtMs }]) => dueAtMs <= this.nowMs());
      const messages = this.streams.get(stream) ?? [];
      while (!due && cursor.next < messages.length && !matches(filter, messages[cursor.next]?.subject ?? ''))
        cursor.next++;
      const seq = due?.[0] ?? ++cursor.next;
      const message = messages[seq - 1];
      if (!message) {
        cursor.next = messages.length;
        continue;
      }
      return this.hand(cursor, message, (due?.[1].count ?? 0) + 1);
    }
    return undefined;
  }

  private hand(cursor: Cursor, message: StoredMessage, count: number): InMemoryDelivery {
    const { seq } = message;
    cursor.held.set(seq, { count, dueAtMs: this.nowMs() + this.ackWaitMs });
    return {
      message,
      deliveryCount: count,
      // An ack of an earlier delivery counts as well: it is no fence.
      ack: () => void cursor.held.delete(seq),
      nak: (delayMs = 0) =>
        void (cursor.held.has(seq) && cursor.held.set(seq, { count, dueAtMs: this.nowMs() + delayMs })),
    };
  }

  private cursor(key: string): Cursor {
    const cursor = this.cursors.get(key) ?? { next: 0, held: new Map() };
    this.cursors.set(key, cursor);
    return cursor;
  }

  private stream(subject: string): StoredMessage[] {
    const name = streamOfSubject(subject);
    if (name === undefined) throw new TypeError(`no stream keeps the subject ${subject}`);
    const stream = this.streams.get(name) ?? [];
    this.streams.set(name, stream);
    return stream;
  }

  private last(subject: string): StoredMessage | undefined {
    return this.stream(subject).findLast((message) => message.subject === subject);
  }
}
