import { ARGUMENTS_CHARS_MAX } from '@inquest/contracts/agent-facts';
import { ToolCallId } from '@inquest/contracts/ids';
import { calls, type CallSpec } from '@inquest/testing/scripted-model';
import { asking, call, callsOf, delta, events, finish } from '../test/asking';

describe('model adapter: tool calls', () => {
  const { ask } = asking();

  describe('H2 ids of tool calls', () => {
    it.each<[string, CallSpec, string | null]>([
      ['1 no id', call({ id: undefined }), null],
      ['2 an empty id', call({ id: '' }), ''],
      ['4 a null id', call({ id: null }), null],
      ['5 an integer id', call({ id: 7 }), null],
      ['a malformed id', call({ id: 'call a' }), 'call a'],
      ['an id that is too long', call({ id: 'x'.repeat(129) }), 'x'.repeat(129)],
    ])('%s is unusable in both modes and is kept as it came', async (_, spec, providerId) => {
      for (const ids of [{ kind: 'strict' }, { kind: 'mint', turn: 2 }] as const) {
        expect(callsOf(await ask(calls(spec), { ids }))).toEqual([
          expect.objectContaining({ toolCallId: null, providerId }),
        ]);
      }
    });

    it('3 an empty id in a stream does not overwrite, nor stand for, an id', async () => {
      const first = { index: 0, id: 'call_a', function: { name: 'search_logs', arguments: '' } };
      const later = { index: 0, id: '', function: { arguments: '{}' } };
      expect(
        callsOf(await ask(events(delta([first]), delta([later]), finish('tool_calls'), '[DONE]'))),
      ).toEqual([
        { index: 0, providerId: 'call_a', toolCallId: 'call_a', name: 'search_logs', argumentsText: '{}' },
      ]);
    });

    it('6, 7, 8 and 9 ids that are valid in themselves pass: only the run knows whether they were used before', async () => {
      expect(callsOf(await ask(calls(call({ id: 'search_logs' })))).map((c) => c.toolCallId)).toEqual([
        'search_logs',
      ]);
    });

    it('10 and 12 repeated ids in one response stay visible as repetitions in strict mode', async () => {
      const found = callsOf(await ask(calls(call(), call({ arguments: '{"service":"y"}' }))));
      expect(found.map((c) => c.toolCallId)).toEqual(['call_a', 'call_a']);
      expect(found.map((c) => c.argumentsText)).toEqual(['{"service":"x"}', '{"service":"y"}']);
    });

    it('10 a repeated provider id is unusable under minted ids as well', async () => {
      const found = callsOf(await ask(calls(call(), call()), { ids: { kind: 'mint', turn: 3 } }));
      expect(found.map((c) => c.toolCallId)).toEqual(['tc-3-0', null]);
    });

    it('mint makes ids of turn and index and keeps the provider’s beside them', async () => {
      const found = callsOf(
        await ask(calls(call({ id: 'call_0' }), call({ id: 'call_1' })), { ids: { kind: 'mint', turn: 12 } }),
      );
      expect(found.map(({ toolCallId, providerId }) => [toolCallId, providerId])).toEqual([
        ['tc-12-0', 'call_0'],
        ['tc-12-1', 'call_1'],
      ]);
      for (const { toolCallId } of found) ToolCallId.parse(toolCallId);
    });

    it('11 and 13 snapshots of a whole call are not read as pieces', async () => {
      const snapshot = (args: string) =>
        delta([{ index: 0, id: 'call_a', function: { name: 'search_logs', arguments: args } }]);
      const reply = events(
        snapshot('{"ser'),
        snapshot('{"service":"x"}'),
        snapshot('{"service":"x"}'),
        finish('tool_calls'),
        '[DONE]',
      );
      expect(callsOf(await ask(reply))).toEqual([
        {
          index: 0,
          providerId: 'call_a',
          toolCallId: 'call_a',
          name: 'search_logs',
          argumentsText: '{"service":"x"}',
        },
      ]);
    });

    it('14 and 15 calls of the same tool, even identical ones, are all kept', async () => {
      expect(callsOf(await ask(calls(call(), call({ id: 'call_b' }))))).toHaveLength(2);
    });
  });

  describe('parallel calls', () => {
    it('16 several calls are kept whatever the request asked for, 64 at most', async () => {
      const many = Array.from({ length: 80 }, (_, i) => call({ id: `call_${i}` }));
      expect(callsOf(await ask(calls(...many)))).toHaveLength(64);
    });

    it('17 a wrapper around parallel calls is one call of an unknown tool', async () => {
      const wrapped = call({ name: 'multi_tool_use.parallel', arguments: '{"tool_uses":[]}' });
      expect(callsOf(await ask(calls(wrapped))).map(({ name }) => name)).toEqual(['multi_tool_use.parallel']);
    });
  });

  describe('arguments', () => {
    it.each<[string, unknown, string]>([
      ['31 a dropped last brace', '{"a":{"b":1}', '{"a":{"b":1}'],
      ['32 an empty string is no arguments', '', '{}'],
      ['32 none at all', undefined, '{}'],
      ['33 an object in place of its text', { a: 1 }, '{"a":1}'],
      ['34 JSON that is no object', '[1]', '[1]'],
      ['35 malformed text', "{'a': 1}", "{'a': 1}"],
      ['36 trailing bytes', '{"a":1}}', '{"a":1}}'],
      [
        '48 NUL and lone surrogates, escaped and not',
        '{"a":"x\\u0000\0y\\ud800\ud800\\\\u0000"}',
        '{"a":"xy\\ufffd\ufffd\\\\u0000"}',
      ],
    ])('%s', async (_, args, expected) => {
      expect(callsOf(await ask(calls(call({ arguments: args })))).map((c) => c.argumentsText)).toEqual([
        expected,
      ]);
    });

    it('cuts arguments over the bound so that they can never be parsed', async () => {
      for (const long of ['{"a":1}' + ' '.repeat(20_000) + 'x', JSON.stringify({ a: 'y'.repeat(20_000) })]) {
        const [found] = callsOf(await ask(calls(call({ arguments: long }))));
        expect(found?.argumentsText.length).toBeLessThanOrEqual(ARGUMENTS_CHARS_MAX);
        expect(() => JSON.parse(found?.argumentsText ?? '{}') as unknown).toThrow();
      }
    });
  });
});
