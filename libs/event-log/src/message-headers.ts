import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { Envelope } from '@inquest/contracts/envelope';

/** The stored message carries no usable envelope or no JSON: it was not written by this system. */
export class MalformedMessage extends Error {
  constructor(subject: string, why: string, cause?: unknown) {
    super(`message on ${subject} is malformed: ${why}`, { cause });
    this.name = 'MalformedMessage';
  }
}

const OPTIONAL = [
  ['causationId', 'ce-causationid'],
  ['deadline', 'ce-deadline'],
  ['principal', 'ce-principal'],
  ['traceparent', 'traceparent'],
] as const;

/** CloudEvents 1.0 binary mode: attributes in `ce-` headers, the body is the data alone. */
export const headersOf = (envelope: Envelope): MsgHdrs => {
  const h = headers();
  h.set('ce-specversion', '1.0');
  h.set('ce-id', envelope.id);
  h.set('ce-source', envelope.source);
  h.set('ce-type', envelope.type);
  h.set('ce-time', envelope.time);
  h.set('ce-contractversion', String(envelope.contractVersion));
  h.set('content-type', 'application/json');
  for (const [field, header] of OPTIONAL) {
    const value = envelope[field];
    if (value !== undefined) h.set(header, value);
  }
  return h;
};

/** The broker adds this to what it repeats in a direct get; a stored message has it only if somebody stored such a copy. */
export const COPY_MARK = 'Nats-Stream';

/**
 * Inverse of {@link headersOf}. Structure only: values are checked where a contract is applied. The id must be that of
 * the subject: permissions bind what a service publishes, but not where it has the broker send an answer, so that a
 * copy of one fact could come to stand on a foreign subject.
 */
export const envelopeOf = (subject: string, h: MsgHdrs | undefined): Envelope => {
  const id = h?.get('ce-id');
  const source = h?.get('ce-source');
  const type = h?.get('ce-type');
  const time = h?.get('ce-time');
  const contractVersion = Number(h?.get('ce-contractversion'));
  if (!h || !id || !source || !type || !time || !Number.isInteger(contractVersion) || contractVersion < 1) {
    throw new MalformedMessage(subject, 'its CloudEvents headers are missing or incomplete');
  }
  if (h.has(COPY_MARK) || (id !== subject && !id.startsWith(`${subject}#`))) {
    throw new MalformedMessage(subject, 'it is a copy of another message');
  }
  const envelope: Envelope = { id, source, type, time, contractVersion };
  for (const [field, header] of OPTIONAL) {
    const value = h.get(header);
    if (value) envelope[field] = value;
  }
  return envelope;
};

const utf8 = new TextDecoder('utf-8', { fatal: true });

export const dataOf = (subject: string, bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(utf8.decode(bytes)) as unknown;
  } catch (error) {
    throw new MalformedMessage(subject, 'its body is not JSON', error);
  }
};
