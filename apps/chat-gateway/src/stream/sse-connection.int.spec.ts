import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomRunId } from '../runs/run-id';
import type { RunFrame } from '@inquest/contracts/run-frame';
import { waitFor } from '@inquest/testing/wait-for';
import { SseConnection, type SseOptions } from './sse-connection';

const frame: RunFrame = { type: 'outcome.sealed', runId: randomRunId(), at: '2024-05-01T00:00:00Z' };

describe('An SSE connection', () => {
  let server: Server;
  let answer: (response: ServerResponse) => void;

  beforeEach(async () => {
    server = createServer((_, response) => answer(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const open = async (options: SseOptions) => {
    const arrived = new Promise<ServerResponse>((resolve) => (answer = resolve));
    const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false });
    request.on('error', () => undefined);
    const served = await arrived;
    const closed = once(served, 'close');
    const connection = new SseConnection(served, options);
    const [incoming] = (await once(request, 'response')) as [IncomingMessage];
    incoming.on('error', () => undefined);
    return { connection, served, response: incoming, closed };
  };
  const textOf = async (response: IncomingMessage): Promise<string> => {
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return text;
  };

  it('keeps a silent connection alive with comments', async () => {
    const { connection, response } = await open({ keepAliveMs: 20 });
    let text = '';
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await waitFor('two keep-alives', () => text.split(': keep-alive\n\n').length > 2 || undefined);
    connection.end('over');
  });

  it('gives the id to the last frame of an entry only, and says why it ends', async () => {
    const { connection, response } = await open({});
    connection.frames([frame, frame], '3-7');
    connection.end('the run has ended');
    const data = `event: outcome.sealed\ndata: ${JSON.stringify(frame)}\n\n`;
    expect(await textOf(response)).toBe(
      `retry: 1000\n: connected\n\n${data}id: 3-7\n${data}: the run has ended\n\n`,
    );
  });

  /** Writes for as long as anything is taken, with time for the sockets in between. */
  const flood = async (connection: SseConnection, served: ServerResponse): Promise<void> => {
    for (let n = 0; !served.writableEnded; n += 1) {
      for (let i = 0; i < 50; i += 1) connection.frames([frame], `0-${n * 50 + i}`);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  it('cuts a client that reads too slowly, with the reason as the last word', async () => {
    const { connection, served, response } = await open({ bufferBytesMax: 16_384 });
    response.pause();
    await flood(connection, served);
    const text = await textOf(response);
    expect(text.trimEnd().endsWith(': cut: this client reads too slowly; resume with Last-Event-ID')).toBe(
      true,
    );
  });

  it('lets go of a client that takes nothing in at all', async () => {
    const { connection, served, response, closed } = await open({ bufferBytesMax: 16_384, lingerMs: 20 });
    response.pause();
    await flood(connection, served);
    await closed;
    expect(served.destroyed).toBe(true);
  });
});
