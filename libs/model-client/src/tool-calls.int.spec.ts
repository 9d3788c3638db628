import { ARGUMENTS_CHARS_MAX } from '@inquest/contracts/agent-facts';
import { ToolCallId } from '@inquest/contracts/ids';
import { calls, type CallSpec } from '@inquest/testing/scripted-model';
import { asking, call, callsOf, delta, events, finish } from '../test/asking';

/** What goes beyond the catalogue of adapter-cases.int.spec.ts. */
describe('model adapter: tool calls', () => {
  const { ask } = asking();

  it.each<[string, CallSpec, string | null]>([
    ['a malformed id', call({ id: 'call a' }), 'call a'],
    ['an id that is too long', call({ id: 'x'.repeat(129) }), 'x'.repeat(129)],
    ['an id of other characters', call({ id: 'вызов' }), 'вызов'],
  ])('H2 %s is unusable in both modes and is kept as it came', async (_, spec, providerId) => {
    for (const ids of [{ kind: 'strict' }, { kind: 'mint', turn: 2 }] as const) {
      expect(callsOf(await ask(calls(spec), { ids }))).toEqual([
        expect.objectContaining({ toolCallId: null, providerId }),
      ]);
    }
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

  it('keeps 64 calls of a response at most', async () => {
    const many = Array.from({ length: 80 }, (_, i) => call({ id: `call_${i}` }));
    expect(callsOf(await ask(calls(...many)))).toHaveLength(64);
  });

  it('cuts arguments over the bound so that they can never be parsed', async () => {
    for (const long of ['{"a":1}' + ' '.repeat(20_000) + 'x', JSON.stringify({ a: 'y'.repeat(20_000) })]) {
      const [found] = callsOf(await ask(calls(call({ arguments: long }))));
      expect(found?.argumentsText.length).toBeLessThanOrEqual(ARGUMENTS_CHARS_MAX);
      expect(() => JSON.parse(found?.argumentsText ?? '{}') as unknown).toThrow();
    }
  });

  it('leaves an escaped backslash before what looks like an escape alone', async () => {
    const found = callsOf(await ask(calls(call({ arguments: '{"a":"\\\\u0000 \\ud83d\\ude00"}' }))));
    expect(found.map((c) => c.argumentsText)).toEqual(['{"a":"\\\\u0000 \\ud83d\\ude00"}']);
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

  it('a well-behaved stream of two calls is two calls', async () => {
    const opening = (index: number, id: string, name: string) => ({
      index,
      id,
      function: { name, arguments: '' },
    });
    const piece = (index: number, args: string) => ({ index, function: { arguments: args } });
    const reply = events(
      delta([opening(0, 'call_a', 'search_logs')]),
      delta([piece(0, '{"a"')]),
      delta([piece(0, ':1}')]),
      delta([opening(1, 'call_b', 'list_objects')]),
      delta([piece(1, '{"b":2}')]),
      finish('tool_calls'),
      '[DONE]',
    );
    expect(callsOf(await ask(reply)).map((c) => [c.toolCallId, c.name, c.argumentsText])).toEqual([
      ['call_a', 'search_logs', '{"a":1}'],
      ['call_b', 'list_objects', '{"b":2}'],
    ]);
  });
});
