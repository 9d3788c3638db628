import { AnswerLost, askOnce } from './answers';
import { COPY_MARK } from './message-headers';
import {
  TimeoutError,
  type Msg,
  type MsgHdrs,
  type NatsConnection,
  type Payload,
} from '@nats-io/transport-node';

/** The JetStream API, one request each. The library's managers are used where the hot path does not pass (provisioner, blobs). */

export type ApiError = { code: number; err_code?: number; description?: string };

/** The server understood and refused. `errCode` is JetStream's own number, e.g. 10071. */
export class JetStreamRefusal extends Error {
  readonly errCode: number;
  constructor(operation: string, { code, err_code: errCode, description }: ApiError) {
    super(`${operation} was refused: ${description ?? 'no description'} (${errCode ?? code})`);
    this.name = 'JetStreamRefusal';
    this.errCode = errCode ?? code;
  }
}

export const ErrCode = {
  consumerNotFound: 10014,
  noMessageFound: 10037,
  streamNotFound: 10059,
  wrongLastSequence: 10071,
  streamNameInUse: 10058,
} as const;

type Answer = { error?: ApiError };

/** One request; see {@link askOnce}. */
export const ask = (
  nc: NatsConnection,
  subject: string,
  body: Payload | undefined,
  options: { headers?: MsgHdrs; timeoutMs?: number } = {},
): Promise<Msg> => askOnce(nc, subject, body, options.headers, options.timeoutMs ?? API_TIMEOUT_MS);

export const API_TIMEOUT_MS = 5_000;

/** Asks `$JS.API.<path>`; throws {@link JetStreamRefusal} for an error answer and the client's error for none. */
export const askApi = async <T>(
  nc: NatsConnection,
  path: string,
  body?: unknown,
  timeoutMs = API_TIMEOUT_MS,
): Promise<T> => {
  const msg = await ask(nc, `$JS.API.${path}`, body === undefined ? undefined : JSON.stringify(body), {
    timeoutMs,
  });
  return answerOf<T>(path, msg);
};

export const answerOf = <T>(operation: string, msg: Msg): T => {
  const answer = msg.json<T & Answer>();
  if (answer.error) throw new JetStreamRefusal(operation, answer.error);
  return answer;
};

export const isRefusal = (error: unknown, errCode: number): boolean =>
  error instanceof JetStreamRefusal && error.errCode === errCode;

/** The request went out and nothing came back: it may or may not have had its effect. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof TimeoutError || error instanceof AnswerLost;

export const nanos = (ms: number): number => ms * 1_000_000;

export type ConsumerInfo = {
  name: string;
  created: string;
  config: Record<string, unknown>;
  delivered: { consumer_seq: number; stream_seq: number };
  ack_floor: { consumer_seq: number; stream_seq: number };
  num_ack_pending: number;
  num_waiting: number;
  num_pending: number;
};

/** A direct get answers with the message itself; `undefined` when there is none. */
export const directGet = async (
  nc: NatsConnection,
  path: string,
  body?: unknown,
): Promise<
  { subject: string; seq: number; storedAtMs: number; headers: MsgHdrs; data: Uint8Array } | undefined
> => {
  const msg = await ask(
    nc,
    `$JS.API.DIRECT.GET.${path}`,
    body === undefined ? undefined : JSON.stringify(body),
  );
  const h = msg.headers;
  if (!h || h.code === 404) return undefined;
  if (h.code !== 0) throw new JetStreamRefusal('DIRECT.GET', { code: h.code, description: h.description });
  const found = {
    subject: h.get('Nats-Subject'),
    seq: Number(h.get('Nats-Sequence')),
    storedAtMs: Date.parse(h.get('Nats-Time-Stamp')),
    headers: h,
    data: msg.data,
  };
  // The mark of this answer goes; one that was stored with the message stays for the reader to refuse.
  if (h.values(COPY_MARK).length <= 1) h.delete(COPY_MARK);
  return found;
};
