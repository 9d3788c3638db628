import { AttemptRecord } from '@inquest/contracts/model-call';
import { calls, completionEvents, text, type ScriptedReply } from '@inquest/testing/scripted-model';
import { API_KEY, asking, call, callsOf, events, failureOf } from '../test/asking';
import { jsonTextOf } from './json-answer';

describe('model adapter: answers and failures', () => {
  const { ask, model } = asking();

  describe('empty answers, errors and text', () => {
    it.each<[string, ScriptedReply, string]>([
      ['37 no choices', { kind: 'RAW', status: 200, body: '{"choices":[],"usage":null}' }, 'EMPTY'],
      [
        '38 an error in a body of status 200',
        { kind: 'RAW', status: 200, body: '{"error":{"message":"upstream","code":502}}' },
        'SERVER_ERROR',
      ],
      [
        '38 an over-long context so reported',
        { kind: 'RAW', status: 200, body: '{"error":{"code":"context_length_exceeded"}}' },
        'OVER_CONTEXT',
      ],
      [
        '39 and 52 no content, no calls',
        {
          kind: 'RAW',
          status: 200,
          body: '{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}',
        },
        'EMPTY',
      ],
      ['52 empty content', text(''), 'EMPTY'],
      [
        '40 a refusal',
        {
          kind: 'RAW',
          status: 200,
          body: '{"choices":[{"message":{"content":"{}","refusal":"I cannot"},"finish_reason":"stop"}]}',
        },
        'REFUSED',
      ],
      [
        'no JSON',
        { kind: 'RAW', status: 200, body: '<html>login</html>', headers: { 'content-type': 'text/html' } },
        'INVALID_RESPONSE',
      ],
      [
        '45 a body without end',
        { kind: 'RAW', status: 200, body: ' '.repeat(5_000_000) },
        'INVALID_RESPONSE',
      ],
    ])('%s', async (_, reply, failure) => {
      expect(failureOf(await ask(reply))).toBe(failure);
    });

    it.each<[string, string, string | undefined]>([
      ['42 prose', 'All is well.', undefined],
      ['43 fenced JSON', 'Here:\n```json\n{"a":1}\n```\nDone.', '{"a":1}'],
      ['43 two fences are no answer', '```json\n{"a":1}\n```\n```json\n{"a":2}\n```', undefined],
      ['44 JSON after thinking', '<think>{"a":0} or so</think>\n{"a":1}', '{"a":1}'],
      ['44 JSON within thinking', '<think>{"a":1}</think>', '{"a":1}'],
      [
        '44 think tags inside a JSON string are content',
        '{"a":"<think>x</think>"}',
        '{"a":"<think>x</think>"}',
      ],
      ['31 a missing brace is not supplied', '{"a":1', undefined],
    ])('%s', (_, given, expected) => {
      expect(jsonTextOf(given)).toBe(expected);
    });

    it('46 a call written as text is text', async () => {
      const outcome = await ask(text('<tool_call>{"name":"search_logs","arguments":{}}</tool_call>'));
      expect(outcome.kind).toBe('TEXT');
    });

    it('47 keeps reasoning and per-call metadata for the next request', async () => {
      const body = {
        choices: [
          {
            message: {
              content: null,
              reasoning_content: 'because',
              tool_calls: [
                {
                  ...{ id: 'c', function: { name: 'n', arguments: '{}' } },
                  extra_content: { google: { thought_signature: 'sig' } },
                },
              ],
            },
            finish_reason: 'tool_calls',
          },
        ],
      };
      const outcome = await ask({ kind: 'RAW', status: 200, body: JSON.stringify(body) });
      expect(outcome.kind === 'TOOL_CALLS' && JSON.parse(outcome.providerState ?? '')).toEqual({
        message: { reasoning_content: 'because' },
        calls: [{ extra_content: { google: { thought_signature: 'sig' } } }],
      });
    });

    it('55 an unknown tool name is passed on for the tool service to refuse', async () => {
      expect(
        callsOf(await ask(calls(call({ name: 'rm_rf' }), call({ id: 'b', name: undefined })))).map(
          (c) => c.name,
        ),
      ).toEqual(['rm_rf', '(unnamed)']);
    });

    it('48 text is well-formed and without NUL', async () => {
      expect(
        await ask({
          kind: 'RAW',
          status: 200,
          body: '{"choices":[{"message":{"content":"a\\u0000b\\ud800"},"finish_reason":"stop"}]}',
        }),
      ).toMatchObject({ text: 'ab\ufffd' });
    });
  });

  describe('H9 one attempt is one request', () => {
    it.each<[string, ScriptedReply, string]>([
      [
        '53 a 429',
        {
          kind: 'RAW',
          status: 429,
          body: '{"error":{"message":"slow down"}}',
          headers: { 'retry-after': '2' },
        },
        'RATE_LIMITED',
      ],
      ['49 a 500', { kind: 'RAW', status: 500, body: '{}' }, 'SERVER_ERROR'],
      [
        '49 a 503 that asks for a retry',
        { kind: 'RAW', status: 503, body: '', headers: { 'x-should-retry': 'true' } },
        'SERVER_ERROR',
      ],
      ['a 409', { kind: 'RAW', status: 409, body: '{}' }, 'CLIENT_ERROR'],
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
      ['54 a connection that breaks at once', { kind: 'CUT' }, 'TRANSPORT'],
      ['54 a connection cut in the body', { kind: 'CUT', body: '{"choices":[{"mess' }, 'TRANSPORT'],
    ])('%s', async (_, reply, failure) => {
      expect(failureOf(await ask(reply))).toBe(failure);
    });

    it.each<[string, ScriptedReply]>([
      ['50 hanging headers', { kind: 'HANG_HEADERS' }],
      ['50 a stalled body after headers', { kind: 'HANG_BODY' }],
      [
        '50 a stalled stream',
        { kind: 'HANG_BODY', contentType: 'text/event-stream', body: 'data: {"choices":[]}\n\n' },
      ],
    ])('%s end with the time-out', async (_, reply) => {
      const began = performance.now();
      expect(failureOf(await ask(reply, { timeoutMs: 150 }))).toBe('TIMEOUT');
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
