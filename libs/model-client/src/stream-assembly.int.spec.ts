import type { ProposedCall } from '@inquest/contracts/agent-facts';
import { calls, type ScriptedReply } from '@inquest/testing/scripted-model';
import { asking, call, callsOf, delta, events, failureOf, finish } from '../test/asking';

describe('model adapter: streams and finish reasons', () => {
  const { ask } = asking();

  describe('stream assembly', () => {
    const two = [
      { providerId: 'call_a', name: 'search_logs', argumentsText: '{"a":1}' },
      { providerId: 'call_b', name: 'list_objects', argumentsText: '{"b":2}' },
    ];
    const summary = (found: ProposedCall[]) =>
      found.map(({ providerId, name, argumentsText }) => ({ providerId, name, argumentsText }));
    const opening = (index: number | null, id: string, name: string, args = '') => ({
      index,
      id,
      function: { name, arguments: args },
    });
    const piece = (index: number | null, args: string) => ({ index, function: { arguments: args } });

    it.each<[string, unknown[]]>([
      [
        'a well-behaved stream',
        [
          delta([opening(0, 'call_a', 'search_logs')]),
          delta([piece(0, '{"a"')]),
          delta([piece(0, ':1}')]),
          delta([opening(1, 'call_b', 'list_objects')]),
          delta([piece(1, '{"b":2}')]),
        ],
      ],
      [
        '18 an index that is always 0',
        [
          delta([opening(0, 'call_a', 'search_logs')]),
          delta([piece(0, '{"a":1}')]),
          delta([opening(0, 'call_b', 'list_objects')]),
          delta([piece(0, '{"b":2}')]),
        ],
      ],
      [
        '19 a repeated index in the first chunk',
        [
          delta([
            opening(0, 'call_a', 'search_logs', '{"a":1}'),
            opening(0, 'call_b', 'list_objects', '{"b":2}'),
          ]),
        ],
      ],
      [
        '20 an index that is null',
        [
          delta([opening(null, 'call_a', 'search_logs')]),
          delta([piece(null, '{"a":1}')]),
          delta([opening(null, 'call_b', 'list_objects')]),
          delta([piece(null, '{"b":2}')]),
        ],
      ],
      [
        '21 arguments under another index',
        [
          delta([opening(0, 'call_a', 'search_logs')]),
          delta([piece(4, '{"a":1}')]),
          delta([opening(1, 'call_b', 'list_objects')]),
          delta([piece(5, '{"b":2}')]),
        ],
      ],
      [
        '22 names repeated in every delta',
        [
          delta([opening(0, 'call_a', 'search_logs', '{"a"')]),
          delta([opening(0, 'call_a', 'search_logs', ':1}')]),
          delta([opening(1, 'call_b', 'list_', '')]),
          delta([{ index: 1, function: { name: 'objects', arguments: '{"b":2}' } }]),
        ],
      ],
      [
        '23 an index from 1 and the id in the first delta alone',
        [
          delta([opening(1, 'call_a', 'search_logs')]),
          delta([piece(1, '{"a":1}')]),
          delta([opening(2, 'call_b', 'list_objects')]),
          delta([piece(2, '{"b":2}')]),
        ],
      ],
    ])('%s', async (_, deltas) => {
      expect(summary(callsOf(await ask(events(...deltas, finish('tool_calls'), '[DONE]'))))).toEqual(two);
    });

    it('a streaming request yields what a plain one yields, usage and metadata included', async () => {
      const reply = calls(call({ extra_content: { signature: 's' } }), call({ id: 'call_b' }));
      const plain = await ask(reply);
      const streamed = await ask(reply, { stream: true });
      expect(callsOf(streamed)).toEqual(callsOf(plain));
      expect(streamed).toMatchObject({
        providerState: expect.stringContaining('signature') as string,
        record: { usage: { promptTokens: 10 } },
      });
    });

    it.each<[string, ScriptedReply, string]>([
      [
        '24 an early end',
        { kind: 'EVENTS', events: [delta([opening(0, 'call_a', 'search_logs', '{"a":1}')])] },
        'TRANSPORT',
      ],
      [
        '25 no finish reason and an incomplete call',
        events(delta([opening(0, 'call_a', 'search_logs', '{"a"')]), '[DONE]'),
        'INVALID_RESPONSE',
      ],
      [
        '29 and 54 a connection cut in the arguments',
        { kind: 'EVENTS', events: [delta([opening(0, 'call_a', 'search_logs', '{"a"')])], end: false },
        'TRANSPORT',
      ],
      [
        '28 length over complete arguments',
        events(delta([opening(0, 'call_a', 'search_logs', '{"a":1}')]), finish('length'), '[DONE]'),
        'LENGTH',
      ],
      [
        '37 nothing but pings and usage',
        events({ choices: [] }, { choices: [], usage: { prompt_tokens: 1 } }, '[DONE]'),
        'EMPTY',
      ],
      [
        '38 an error event',
        events(delta([opening(0, 'call_a', 'search_logs', '{"a":1}')]), { error: { code: 429 } }),
        'RATE_LIMITED',
      ],
    ])('%s executes nothing', async (_, reply, failure) => {
      expect(failureOf(await ask(reply))).toBe(failure);
    });

    it('26 no finish reason, but [DONE] after a complete call, is terminal evidence', async () => {
      const reply = events(delta([opening(0, 'call_a', 'search_logs', '{"a":1}')]), '[DONE]');
      expect(callsOf(await ask(reply))).toHaveLength(1);
    });
  });

  describe('finish reasons', () => {
    it.each<[string, ScriptedReply, string]>([
      ['27 stop with calls', { kind: 'CALLS', calls: [call()], finishReason: 'stop' }, 'TOOL_CALLS'],
      ['28 length', { kind: 'CALLS', calls: [call()], finishReason: 'length' }, 'LENGTH'],
      ['30 content_filter', { kind: 'TEXT', text: 'half', finishReason: 'content_filter' }, 'CONTENT_FILTER'],
      [
        '41 a malformed call',
        { kind: 'CALLS', calls: [call()], finishReason: 'MALFORMED_FUNCTION_CALL' },
        'INVALID_RESPONSE',
      ],
      [
        'no reason in a plain body',
        { kind: 'CALLS', calls: [call()], finishReason: null },
        'INVALID_RESPONSE',
      ],
    ])('%s', async (_, reply, kind) => {
      expect(failureOf(await ask(reply))).toBe(kind);
    });

    it('28 truncated arguments under tool_calls stay truncated', async () => {
      expect(
        callsOf(await ask(calls(call({ arguments: '{"service":"che' })))).map((c) => c.argumentsText),
      ).toEqual(['{"service":"che']);
    });
  });
});
