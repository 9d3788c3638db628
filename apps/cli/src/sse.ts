/** One event of a `text/event-stream`; comments (keep-alives) are none. */
export type ServerEvent = { id: string | undefined; type: string; data: string };

type Fields = { id: string | undefined; type: string; data: string[] };

const eventOf = (lines: readonly string[]): ServerEvent | undefined => {
  const fields: Fields = { id: undefined, type: 'message', data: [] };
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'data') fields.data.push(value);
    else if (name === 'event') fields.type = value;
    else if (name === 'id') fields.id = value;
  }
  return fields.data.length === 0 ? undefined : { ...fields, data: fields.data.join('\n') };
};

/** An unfinished event larger than this is no event of ours. */
const BUFFER_CHARS_MAX = 1_000_000;

/** Splits a byte stream into events, whatever the chunks are cut at (WHATWG HTML, 9.2.6). */
export async function* serverEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    // A lone CR at the end may be the first half of CRLF: it waits for the next chunk.
    const held = rest.endsWith('\r') ? '\r' : '';
    const blocks = rest
      .slice(0, rest.length - held.length)
      .replace(/\r\n?/g, '\n')
      .split('\n\n');
    rest = (blocks.pop() ?? '') + held;
    if (rest.length > BUFFER_CHARS_MAX) throw new Error('the event stream sends no end of an event');
    for (const block of blocks) {
      const event = eventOf(block.split('\n'));
      if (event) yield event;
    }
  }
}
