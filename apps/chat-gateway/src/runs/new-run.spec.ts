import { runRequested } from '@inquest/contracts/inbound-facts';
import { ProblemError } from '../http/problem-error';
import { acceptBody, requestOf } from './new-run';
import { randomRunId } from './run-id';

const BODY = { question: '  Why is checkout slow?  ' };
const asker = { tenant: 'acme', principal: 'acme/ada', entry: null };
const known = { positions: [1, 2], now: '2024-05-01T00:00:00.000Z' };

describe('A question', () => {
  it('becomes a request with everything said that was left out', () => {
    const fact = requestOf(randomRunId(), asker, acceptBody(BODY, undefined), known);
    expect(runRequested.schema.parse(fact)).toMatchObject({
      question: 'Why is checkout slow?',
      zone: 'UTC',
      locale: 'en',
      detached: false,
      disconnectGraceMs: 0,
      sessionId: null,
      source: null,
      knownPositions: [1, 2],
    });
  });

  it.each([
    'postgres://shop:hunter2hunter2@db/orders is slow',
    'Authorization: Bearer abcdefghijklmnopqrstuvwxyz012345',
    'AKIAABCDEFGHIJKLMNOP does not work',
  ])('loses its secrets: %s', (question) => {
    const fact = requestOf(randomRunId(), asker, acceptBody({ question }, undefined), known);
    expect(JSON.stringify(fact)).not.toMatch(/hunter2|abcdefghijklmnopqrstuvwxyz|ABCDEFGHIJKLMNOP/);
  });

  it('still fits when every word of it was a secret', () => {
    const question = 'password=abcd1234 '.repeat(222);
    const fact = requestOf(randomRunId(), asker, acceptBody({ question }, undefined), known);
    expect(runRequested.schema.safeParse(fact).success).toBe(true);
  });

  it('has one hash however its JSON is laid out, and another for another question', () => {
    const { bodyHash } = acceptBody({ question: 'Why?', zone: 'UTC' }, undefined);
    expect(acceptBody({ zone: 'UTC', question: 'Why?' }, undefined).bodyHash).toBe(bodyHash);
    expect(acceptBody({ question: 'Why?' }, undefined).bodyHash).not.toBe(bodyHash);
  });

  it.each([
    [{ ...BODY, source: 'elsewhere' }, 'unknown-source'],
    [{ ...BODY, zone: 'Mars/Base' }, 'bad-request'],
    [{ ...BODY, window: { from: '2024-05-01T01:00:00+02:00', to: '2024-04-30T23:00:00Z' } }, 'bad-request'],
    [{ ...BODY, limits: { modelCallsMax: 64 } }, 'bad-request'],
    [null, 'bad-request'],
  ])('is refused: %j', (body, kind) => {
    const refused = () => acceptBody(body, new Set(['shop-pool']));
    expect(refused).toThrow(ProblemError);
    expect(refused).toThrow(kind);
  });
});
