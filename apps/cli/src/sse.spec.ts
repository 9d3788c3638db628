import * as fc from 'fast-check';
import { serverEvents, type ServerEvent } from './sse';

const collect = async (...chunks: Uint8Array[]): Promise<ServerEvent[]> => {
  const events: ServerEvent[] = [];
  const body = (async function* () {
    for (const chunk of chunks) yield await Promise.resolve(chunk);
  })();
  for await (const event of serverEvents(body)) events.push(event);
  return events;
};

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('reading server-sent events', () => {
  it('reads id, type and data, and takes keep-alive comments for nothing', async () => {
    expect(await collect(bytes(': hello\n\nid: 0-7\nevent: run.started\ndata: {"a":1}\n\n'))).toEqual([
      { id: '0-7', type: 'run.started', data: '{"a":1}' },
    ]);
  });

  it('does not yield an event that the connection cut off', async () => {
    expect(await collect(bytes('data: whole\n\ndata: half'))).toEqual([
      { id: undefined, type: 'message', data: 'whole' },
    ]);
  });

  it('joins data lines and takes all three line endings', async () => {
    const expected = [{ id: '1', type: 'message', data: 'a\nb' }];
    for (const end of ['\n', '\r\n', '\r']) {
      expect(await collect(bytes(['id:1', 'data: a', 'data: b', '', ''].join(end) + end))).toEqual(expected);
    }
  });

  it('gives the same events wherever the bytes are cut', async () => {
    const text =
      'id: 1-9\r\nevent: draft.received\r\ndata: {"text":"诊断 é"}\r\n\r\n: keep\r\n\r\ndata: x\r\n\r\n';
    const whole = await collect(bytes(text));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes(text).length }), { maxLength: 6 }), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes(text).length];
        const chunks = at.slice(1).map((end, i) => bytes(text).slice(at[i], end));
        expect(await collect(...chunks)).toEqual(whole);
      }),
    );
  });
});
