import { AttemptRecord } from '@inquest/contracts/model-call';
import { completionEvents, text, type ScriptedReply } from '@inquest/testing/scripted-model';
import { API_KEY, asking, events, failureOf } from '../test/asking';
import { jsonTextOf } from './json-answer';

/** What goes beyond the catalogue of adapter-cases.int.spec.ts. */
describe('model adapter: answers and failures', () => {
  const { ask, model } = asking();

  it('a page in place of JSON is no answer', async () => {
    const page: ScriptedReply = {
      kind: 'RAW',
      status: 200,
      body: '<html>login</html>',
      headers: { 'content-type': 'text/html' },
    };
    expect(failureOf(await ask(page))).toBe('INVALID_RESPONSE');
  });

  it('nothing is ever completed or repaired into a document', () => {
    expect(jsonTextOf('{"a":1')).toBeUndefined();
    expect(jsonTextOf('{"a":1} and so on')).toBeUndefined();
    expect(jsonTextOf('<think>{"a":1}</think>', { thoughtCounts: false })).toBeUndefined();
  });

  describe('H9 one attempt is one request', () => {
    it.each<[string, ScriptedReply, string]>([
      [
        'a 401 that quotes the key',
        { kind: 'RAW', status: 401, body: JSON.stringify({ error: { message: `bad key ${API_KEY}` } }) },
        'CLIENT_ERROR',
      ],
      [
        'a 400 over the context',
        { kind: 'RAW', status: 400, body: '{"error":{"code":"context_length_exceeded"}}' },
        'OVER_CONTEXT',
      ],
      [
        'a redirect',
        { kind: 'RAW', status: 307, body: '', headers: { location: '/v1/chat/completions' } },
        'CLIENT_ERROR',
      ],
    ])('%s', async (_, reply, failure) => {
      expect(failureOf(await ask(reply))).toBe(failure);
    });

    it('a stalled body ends with the time-out, not with the patience of a socket', async () => {
      const began = performance.now();
      expect(failureOf(await ask({ kind: 'HANG_BODY' }, { timeoutMs: 150 }))).toBe('TIMEOUT');
      expect(performance.now() - began).toBeLessThan(2_000);
    });

    it('a cancelled run interrupts the exchange, headers or body', async () => {
      for (const reply of [{ kind: 'HANG_HEADERS' }, { kind: 'HANG_BODY' }] as const) {
        const cancel = new AbortController();
        const pending = ask(reply, { signal: cancel.signal });
        const seen = model().requests.length;
        while (model().requests.length === seen) await new Promise((resolve) => setImmediate(resolve));
        cancel.abort();
        expect(failureOf(await pending)).toBe('ABORTED');
        await model().requests.at(-1)?.abandoned;
      }
    });

    it('a run cancelled before makes no request at all', async () => {
      expect(failureOf(await ask(text('x'), { signal: AbortSignal.abort(), timeoutMs: 1 }))).toBe('ABORTED');
    });

    it.each<[string, Record<string, string>, number | null]>([
      ['seconds', { 'retry-after': '2' }, 2_000],
      ['milliseconds', { 'retry-after-ms': '250', 'retry-after': '9' }, 250],
      ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
      ['nonsense', { 'retry-after': 'later' }, null],
      ['more than an hour', { 'retry-after': '999999' }, 3_600_000],
    ])('53 reports the wished delay: %s', async (_, headers, retryAfterMs) => {
      expect(await ask({ kind: 'RAW', status: 429, body: '{}', headers })).toMatchObject({
        failure: 'RATE_LIMITED',
        retryAfterMs,
      });
    });

    it('records model, times, hashes, usage and finish reason', async () => {
      const outcome = await ask(text('{}'));
      const record = AttemptRecord.parse(outcome.record);
      expect(record).toMatchObject({
        model: 'm',
        usage: { promptTokens: 10, completionTokens: 5 },
        finishReason: 'stop',
      });
      expect(record.requestHash).toHaveLength(64);
      expect(record.rawHash).toHaveLength(64);
      expect((await ask(text('{}'))).record?.requestHash).toBe(record.requestHash);
    });

    it('51 usage may come in the last frame, or never', async () => {
      const withUsage = completionEvents({ kind: 'TEXT', text: '{}' });
      expect((await ask(events(...withUsage))).record?.usage).toEqual({
        promptTokens: 10,
        completionTokens: 5,
      });
      expect((await ask({ kind: 'TEXT', text: '{}', usage: null })).record?.usage).toBeNull();
    });
  });
});
