import type { Envelope } from '@inquest/contracts/envelope';

/** A message as the log keeps it. `data` is the parsed JSON body, unvalidated: the reader applies its contract. */
export type StoredMessage = {
  subject: string;
  /** Position in its partition's stream: the log's own order. */
  seq: number;
  /** The broker's timestamp, ms since the epoch: the only clock that leases trust. */
  storedAtMs: number;
  envelope: Envelope;
  data: unknown;
};

export type NewMessage = { envelope: Envelope; data: unknown };

export type PutResult = { kind: 'WRITTEN'; seq: number } | { kind: 'EXISTS' };
export type AppendResult = { kind: 'APPENDED'; seq: number } | { kind: 'CONFLICT' };

/**
 * The log as services use it. One attempt per call; a lost answer to a conditional publish may be sent again by the
 * adapter, since it is the same fact. Infrastructure failures throw {@link EventLogUnavailable}.
 */
export interface EventLog {
  readonly partitions: number;
  /** Writes a write-once fact (expected-last-subject-sequence 0). EXISTS: read the fact and compare. */
  putIfAbsent(subject: string, message: NewMessage): Promise<PutResult>;
  /** Optimistic append: `expectedLastSeq` is the stream sequence of the subject's last message, 0 for none. */
  append(subject: string, message: NewMessage, expectedLastSeq: number): Promise<AppendResult>;
  /**
   * The last message of one exact subject. `leader` is needed wherever an absence decides something; `any` may be
   * answered by a replica: present is truth, absent is not.
   */
  readLast(subject: string, consistency: 'leader' | 'any'): Promise<StoredMessage | undefined>;
  /** One message by its position. */
  readAt(partition: number, seq: number): Promise<StoredMessage | undefined>;
  /** Every message of one exact subject, in order; `fromSeq` skips what the caller has folded already. */
  readChain(subject: string, fromSeq?: number): Promise<StoredMessage[]>;
}

/** The broker did not answer, or answered with an error that is not a lost race. Retryable by whoever owns the work. */
export class EventLogUnavailable extends Error {
  constructor(
    readonly operation: string,
    cause: unknown,
  ) {
    super(`the event log did not complete ${operation}`, { cause });
    this.name = 'EventLogUnavailable';
  }
}

/** A body over the log's bound; it belongs in the payload store. Terminal: sending it again changes nothing. */
export class MessageTooLarge extends Error {
  constructor(subject: string, bytes: number) {
    super(`message for ${subject} has ${bytes} bytes, more than the log keeps in one message`);
    this.name = 'MessageTooLarge';
  }
}

/** Payloads over 128 KiB, by content. `get` checks the digest and the size cap and throws {@link PayloadUnusable} otherwise. */
export interface PayloadStore {
  /** Stores once; the name is sha256(tenant salt, bytes) and the same bytes are never put again. */
  put(tenant: string, text: string): Promise<string>;
  get(name: string, expected: { sha256: string; bytes: number }): Promise<string>;
}

export class PayloadUnusable extends Error {
  constructor(name: string, why: string) {
    super(`payload ${name} is unusable: ${why}`);
    this.name = 'PayloadUnusable';
  }
}
