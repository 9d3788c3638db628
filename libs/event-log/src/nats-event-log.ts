import { headers as newHeaders, nuid, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { streamOf } from '@inquest/contracts/subjects';
import {
  EventLogUnavailable,
  MessageTooLarge,
  type AppendResult,
  type EventLog,
  type NewMessage,
  type PutResult,
  type StoredMessage,
} from './event-log';
import { AnswerLost } from './answers';
import { ask, ErrCode, answerOf, askApi, directGet, isRefusal, isUnanswered } from './js-api';
import { dataOf, envelopeOf, headersOf, MalformedMessage } from './message-headers';
import { parseHeaderBlock } from './header-block';
import { readLogRecord, type LogRecord } from './log-record';
import { readSubject } from './read-subject';
import { streamOfSubject } from './streams';

/** Below the streams' 1 MB, so that headers and a DLQ copy still fit. Larger bodies travel by payload store. */
export const MESSAGE_BYTES_MAX = 900_000;

/** Marks one write of one writer: after a lost answer it tells our own fact from an identical one of a rival. */
const WRITE_ID = 'Inquest-Write-Id';
const EXPECTED_SEQ = 'Nats-Expected-Last-Subject-Sequence';

type Raw = { subject: string; seq: number; storedAtMs: number; headers: MsgHdrs; data: Uint8Array };
type ApiMessage = { subject: string; seq: number; time: string; hdrs?: string; data?: string };

const noHeaders = newHeaders();
const encoder = new TextEncoder();

const stored = ({ subject, seq, storedAtMs, headers, data }: Raw): StoredMessage => ({
  subject,
  seq,
  storedAtMs,
  envelope: envelopeOf(subject, headers),
  data: dataOf(subject, data),
});

/** The log on NATS JetStream. Reads and writes are single requests; see architecture, 2, for what each may rely on. */
export class NatsEventLog implements EventLog {
  readonly partitions: number;
  private readonly replicas: number;

  constructor(
    private readonly nc: NatsConnection,
    { partitions, replicas }: LogRecord,
  ) {
    this.partitions = partitions;
    this.replicas = replicas;
  }

  /** Opens a provisioned log; waits up to `timeoutMs` for the provisioner. */
  static async open(nc: NatsConnection, timeoutMs = 10_000): Promise<NatsEventLog> {
    return new NatsEventLog(nc, await readLogRecord(nc, timeoutMs));
  }

  async putIfAbsent(subject: string, message: NewMessage): Promise<PutResult> {
    const result = await this.write('putIfAbsent', subject, message, 0);
    return result.kind === 'APPENDED' ? { kind: 'WRITTEN', seq: result.seq } : { kind: 'EXISTS' };
  }

  append(subject: string, message: NewMessage, expectedLastSeq: number): Promise<AppendResult> {
    return this.write('append', subject, message, expectedLastSeq);
  }

  async readLast(subject: string, consistency: 'leader' | 'any'): Promise<StoredMessage | undefined> {
    const raw = await this.reading('readLast', () =>
      consistency === 'leader'
        ? this.leaderLast(subject)
        : directGet(this.nc, `${streamFor(subject)}.${subject}`),
    );
    return raw && stored(raw);
  }

  async readAt(partition: number, seq: number): Promise<StoredMessage | undefined> {
    // Present is truth; an absence may be a replica that lags, so it is asked of the leader.
    const raw = await this.reading(
      'readAt',
      async () =>
        (await directGet(this.nc, streamOf(partition), { seq })) ??
        (await this.leaderGet(streamOf(partition), { seq })),
    );
    return raw && stored(raw);
  }

  /**
   * The leader names the subject's last message while a direct get looks for the first one wanted: a reader that has
   * folded the chain already pays one round trip. What lies between comes through {@link readSubject}; a replica that
   * lags behind the leader is walked around.
   */
  async readChain(subject: string, fromSeq = 1): Promise<StoredMessage[]> {
    const stream = streamFor(subject);
    const chain = await this.reading('readChain', async () => {
      const [last, first] = await Promise.all([
        this.leaderLast(subject),
        directGet(this.nc, stream, { seq: fromSeq, next_by_subj: subject }),
      ]);
      if (!last || last.seq < fromSeq) return [];
      if (first && first.seq >= last.seq) return [last];
      const delivered = await readSubject(this.nc, { stream, subject, fromSeq, lastSeq: last.seq });
      return (
        delivered?.map(({ msg, ...at }) => ({
          ...at,
          subject,
          headers: msg.headers ?? noHeaders,
          data: msg.data,
        })) ?? this.walk(stream, subject, fromSeq, last)
      );
    });
    return chain.map(stored);
  }

  private async walk(stream: string, subject: string, fromSeq: number, last: Raw): Promise<Raw[]> {
    const chain: Raw[] = [];
    for (let from = fromSeq; from < last.seq;) {
      const found = await this.leaderGet(stream, { seq: from, next_by_subj: subject });
      if (!found || found.seq >= last.seq) break;
      chain.push(found);
      from = found.seq + 1;
    }
    return [...chain, last];
  }

  private async write(
    operation: string,
    subject: string,
    message: NewMessage,
    expectedSeq: number,
  ): Promise<AppendResult> {
    const body = encoder.encode(JSON.stringify(message.data));
    if (body.length > MESSAGE_BYTES_MAX) throw new MessageTooLarge(subject, body.length);
    const headers = headersOf(message.envelope);
    const writeId = nuid.next();
    headers.set(WRITE_ID, writeId);
    headers.set(EXPECTED_SEQ, String(expectedSeq));
    const publish = async (): Promise<AppendResult> => {
      try {
        const msg = await ask(this.nc, subject, body, { headers });
        return { kind: 'APPENDED', seq: answerOf<{ seq: number }>(operation, msg).seq };
      } catch (error) {
        if (isRefusal(error, ErrCode.wrongLastSequence)) return { kind: 'CONFLICT' };
        throw error;
      }
    };
    return this.guarded(operation, async () => {
      try {
        return await publish();
      } catch (error) {
        if (!isUnanswered(error)) throw error;
      }
      // The same fact again: either the first was lost, or the conflict is with our own message.
      const again = await publish();
      if (again.kind === 'APPENDED') return again;
      const winner = await this.leaderLast(subject);
      return winner?.headers.get(WRITE_ID) === writeId ? { kind: 'APPENDED', seq: winner.seq } : again;
    });
  }

  /**
   * With one copy of the stream there is nobody else who could answer a direct get, and it is the one form of reading
   * that the broker's permissions bind to a subject.
   */
  private leaderLast(subject: string): Promise<Raw | undefined> {
    const stream = streamFor(subject);
    return this.replicas === 1
      ? directGet(this.nc, `${stream}.${subject}`)
      : this.leaderGet(stream, { last_by_subj: subject });
  }

  private async leaderGet(stream: string, query: Record<string, unknown>): Promise<Raw | undefined> {
    try {
      const { message } = await askApi<{ message: ApiMessage }>(this.nc, `STREAM.MSG.GET.${stream}`, query);
      return {
        subject: message.subject,
        seq: message.seq,
        storedAtMs: Date.parse(message.time),
        headers: parseHeaderBlock(message.hdrs ? Buffer.from(message.hdrs, 'base64') : undefined),
        data: Buffer.from(message.data ?? '', 'base64'),
      };
    } catch (error) {
      if (isRefusal(error, ErrCode.noMessageFound)) return undefined;
      throw error;
    }
  }

  /** Reading is free of effects, so what a lost connection swallowed is asked once more. */
  private async reading<T>(operation: string, act: () => Promise<T>): Promise<T> {
    return this.guarded(operation, async () => {
      try {
        return await act();
      } catch (error) {
        if (error instanceof AnswerLost) return act();
        throw error;
      }
    });
  }

  private async guarded<T>(operation: string, act: () => Promise<T>): Promise<T> {
    try {
      return await act();
    } catch (error) {
      if (error instanceof MalformedMessage) throw error;
      throw new EventLogUnavailable(operation, error);
    }
  }
}

const streamFor = (subject: string): string => {
  const stream = streamOfSubject(subject);
  if (stream === undefined) throw new TypeError(`no stream keeps the subject ${subject}`);
  return stream;
};
