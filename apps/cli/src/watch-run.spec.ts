import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GatewayClient, GatewayRefusal, GatewayUnreachable } from './gateway-client';
import { watchRun } from './watch-run';

const RUN_ID = '6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b';

/** A peer that speaks the wire format and breaks off where a test wants it to. */
describe('following a run over HTTP', () => {
  let server: Server;
  let client: GatewayClient;
  let seen: { lastEventId: string | undefined; authorization: string | undefined }[];
  let answer: (request: IncomingMessage, response: ServerResponse, attempt: number) => void;

  beforeEach(async () => {
    seen = [];
    server = createServer((request, response) => {
      const { 'last-event-id': last, authorization } = request.headers;
      seen.push({ lastEventId: Array.isArray(last) ? last[0] : last, authorization });
      answer(request, response, seen.length);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new GatewayClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'secret-token');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const watch = async (): Promise<string[]> => {
    const types: string[] = [];
    await watchRun(client, RUN_ID, ({ type }) => types.push(type), new AbortController().signal);
    return types;
  };

  it('resumes behind the last whole entry after a broken connection and shows no frame twice', async () => {
    answer = (_, response, attempt) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (attempt === 1) {
        response.write(event('0-5', SEALED) + event(undefined, SEALED));
        setImmediate(() => response.destroy());
      } else response.end(event(undefined, SEALED) + event('0-9', RELEASED));
    };
    expect(await watch()).toEqual(['outcome.sealed', 'outcome.sealed', 'run.released']);
    expect(seen.map(({ lastEventId }) => lastEventId)).toEqual([undefined, '0-5']);
    expect(seen.every(({ authorization }) => authorization === 'Bearer secret-token')).toBe(true);
  });

  it('passes over frames that a newer gateway sends', async () => {
    answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(event('0-1', { type: 'run.dreamt' }) + event('0-2', RELEASED));
    };
    expect(await watch()).toEqual(['run.released']);
  });

  it('repeats the words of a refusal', async () => {
    answer = (_, response) => {
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      const problem = {
        type: 'urn:inquest:problem:not-found',
        title: 'There is no such thing here',
        status: 404,
      };
      response.end(JSON.stringify({ ...problem, detail: 'There is no such run.' }));
    };
    await expect(watch()).rejects.toThrow(GatewayRefusal);
    await expect(watch()).rejects.toThrow('There is no such thing here: There is no such run.');
  });

  it('names the address of a gateway that does not answer', async () => {
    const gone = new GatewayClient('http://127.0.0.1:9', 'token');
    await expect(gone.run(RUN_ID)).rejects.toThrow(GatewayUnreachable);
    await expect(gone.run(RUN_ID)).rejects.toThrow(/127\.0\.0\.1:9 does not answer usably: .*/);
  });
});

const common = { runId: RUN_ID, at: '2026-05-04T09:00:00Z' };
const SEALED = { type: 'outcome.sealed', ...common };
const RELEASED = { type: 'run.released', ...common, intent: 'DIAGNOSIS', modelCalls: 1, toolCalls: 1 };

const event = (id: string | undefined, data: { type: string }): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
