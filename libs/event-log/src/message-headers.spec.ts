import { headers } from '@nats-io/transport-node';
import type { Envelope } from '@inquest/contracts/envelope';
import { parseDelivery } from './delivery-subject';
import { parseHeaderBlock } from './header-block';
import { MalformedMessage, dataOf, envelopeOf, headersOf } from './message-headers';
import { causedBy, messageOf } from './message';
import { isAtLeast } from './server-version';
import { streamOfSubject } from './streams';
import { wakeDelayMs } from './timers';

const subject = 'diag.0.r.res.tool.t1-tool1-a1';
const envelope: Envelope = {
  id: subject,
  source: 'agent-runner',
  type: 'inquest.res.tool.v1',
  time: '2026-01-01T00:00:00Z',
  contractVersion: 1,
  causationId: 'diag.0.r.req.tool.t1-tool1-a1',
  deadline: '2026-01-01T00:01:00Z',
  principal: 'acme/jo',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

describe('CloudEvents in binary mode', () => {
  it('carries the envelope there and back', () => {
    expect(envelopeOf(subject, headersOf(envelope))).toEqual(envelope);
    const { causationId, deadline, principal, traceparent, ...bare } = envelope;
    expect(envelopeOf(subject, headersOf(bare))).toEqual(bare);
    expect([causationId, deadline, principal, traceparent]).not.toContain(undefined);
  });

  it('has the names of the standard', () => {
    const h = headersOf(envelope);
    expect(h.get('ce-specversion')).toBe('1.0');
    expect(h.get('ce-id')).toBe(subject);
    expect(h.get('content-type')).toBe('application/json');
  });

  it.each([
    ['no headers', undefined],
    ['no CloudEvents headers', headers()],
    ['an id of another subject', headersOf({ ...envelope, id: 'diag.0.r.run#1' })],
    ['the mark of a copy', marked()],
  ])('refuses %s', (_, h) => {
    expect(() => envelopeOf(subject, h)).toThrow(MalformedMessage);
  });

  it('takes a chain entry by its index', () => {
    expect(envelopeOf('diag.0.r.run', headersOf({ ...envelope, id: 'diag.0.r.run#7' })).id).toBe(
      'diag.0.r.run#7',
    );
  });

  it.each(['', '{', '\xff\xfe'])('refuses a body that is not JSON: %j', (text) => {
    expect(() => dataOf(subject, Buffer.from(text, 'latin1'))).toThrow(MalformedMessage);
  });
});

describe('Messages', () => {
  it('derive their id from the subject, and from the index in a chain', () => {
    const frame = { type: 'inquest.x.v1', source: 's', time: '2026-01-01T00:00:00Z' };
    expect(messageOf({ ...frame, subject }, {}).envelope.id).toBe(subject);
    expect(messageOf({ ...frame, subject: 'diag.0.r.run', chainIndex: 0 }, {}).envelope.id).toBe(
      'diag.0.r.run#0',
    );
  });

  it('pass on cause, principal and trace', () => {
    expect(causedBy(envelope)).toEqual({
      causationId: subject,
      principal: 'acme/jo',
      traceparent: envelope.traceparent,
    });
  });
});

describe('What the broker says', () => {
  it('about a delivery, in the short and in the long form', () => {
    const info = {
      stream: 'DIAG_0',
      consumer: 'tool',
      deliveryCount: 2,
      streamSeq: 17,
      consumerSeq: 18,
      storedAtMs: 1796093995721,
      pending: 3,
    };
    expect(parseDelivery('$JS.ACK.DIAG_0.tool.2.17.18.1796093995721123456.3')).toEqual(info);
    expect(parseDelivery('$JS.ACK._.acct.DIAG_0.tool.2.17.18.1796093995721123456.3.rnd')).toEqual(info);
    expect(parseDelivery('_INBOX.x')).toBeUndefined();
    expect(parseDelivery(undefined)).toBeUndefined();
  });

  it('in a header block of the leader', () => {
    const block = Buffer.from('NATS/1.0\r\nce-id: a: b\r\nce-source:x\r\n\r\n');
    expect(parseHeaderBlock(block).get('ce-id')).toBe('a: b');
    expect(parseHeaderBlock(block).get('ce-source')).toBe('x');
    expect([...parseHeaderBlock(undefined)]).toEqual([]);
  });

  it.each([
    ['2.9.10', '2.10.23', false],
    ['2.10.22', '2.10.23', false],
    ['2.10.23', '2.10.23', true],
    ['2.10.23-RC.1', '2.10.23', true],
    ['2.15.1', '2.10.23', true],
    ['3.0.0', '2.10.23', true],
  ])('%s is at least %s: %s', (version, wanted, verdict) => {
    expect(isAtLeast(version, wanted)).toBe(verdict);
  });
});

it.each([
  ['diag.3.r.run', 'DIAG_3'],
  ['tmr.1.r', 'DIAG_TMR'],
  ['entry.acme.k.request', 'DIAG_ENTRY'],
  ['svc.x.y', 'DIAG_SVC'],
  ['ctl.cutover', 'DIAG_CTL'],
  ['dlq.tool.DIAG_0.1', 'DIAG_DLQ'],
  ['other.x', undefined],
])('%s is kept by %s', (of, stream) => {
  expect(streamOfSubject(of)).toBe(stream);
});

it.each([
  [1_000, 1_000, 0],
  [1_000, 2_000, 0],
  [2_000, 1_000, 1_000],
  [100_000, 1_000, 30_000],
])('a wake-up due at %i is, at %i, %i ms away at most', (due, now, delay) => {
  expect(wakeDelayMs(due, now)).toBe(delay);
});

function marked() {
  const h = headersOf(envelope);
  h.set('Nats-Stream', 'DIAG_1');
  return h;
}
