import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import type { DeliveryInfo } from './delivery-subject';
import { ask, ErrCode, answerOf, isRefusal } from './js-api';

/** `dlq.<consumer>.<stream>.<seq>`: the same message from the same consumer is one letter, however often it is put aside. */
export const deadLetterSubject = ({ consumer, stream, streamSeq }: DeliveryInfo): string =>
  `dlq.${consumer}.${stream}.${streamSeq}`;

const KEPT = /^(ce-|traceparent$|content-type$)/;

/**
 * Copies a message to the dead letters: its body and envelope as they are, where it stood and why it is here in
 * `Inquest-Dlq-` headers. Only after this may the original be terminated.
 */
export const putAside = async (
  nc: NatsConnection,
  msg: Msg,
  info: DeliveryInfo,
  why: string,
): Promise<void> => {
  const h = headers();
  for (const [key, values] of msg.headers ?? []) {
    // The original's write conditions would be conditions of the copy.
    if (KEPT.test(key.toLowerCase())) for (const value of values) h.append(key, value);
  }
  h.set('Inquest-Dlq-Subject', msg.subject);
  h.set('Inquest-Dlq-Stream', info.stream);
  h.set('Inquest-Dlq-Seq', String(info.streamSeq));
  h.set('Inquest-Dlq-Consumer', info.consumer);
  h.set('Inquest-Dlq-Deliveries', String(info.deliveryCount));
  h.set('Inquest-Dlq-Reason', why.replace(/[^\x20-\x7e]+/g, ' ').slice(0, 300));
  h.set('Nats-Expected-Last-Subject-Sequence', '0');
  const answer = await ask(nc, deadLetterSubject(info), msg.data, { headers: h });
  try {
    answerOf('putAside', answer);
  } catch (error) {
    if (!isRefusal(error, ErrCode.wrongLastSequence)) throw error;
  }
};
