import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import type { CaseFrame } from '@inquest/contracts/case-frame';
import { NewCase } from '@inquest/contracts/new-case';
import type { RunId } from '@inquest/contracts/ids';
import { acceptedEarly, cancelledAtTheEnd, type PlayedCase } from '@inquest/testing/played-case';
import { H1, H2 } from '@inquest/testing/played-case-events';
import { playedView } from '@inquest/testing/played-case-view';
import type { Call } from './command';
import { GatewayClient } from './gateway-client';
import { investigateAndShow } from './investigate-and-show';
import { Output } from './output';

const CASE = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId;
const COMMON = { caseId: CASE, at: '2026-05-04T09:00:00Z' };
const SPENT = { turns: 3, actions: 2, modelCalls: 7 };
const FORMED: CaseFrame = { type: 'hypotheses.formed', ...COMMON, hypotheses: [H1, H2] };
const DIAGNOSED: CaseFrame = { type: 'case.diagnosed', ...COMMON, ...SPENT };
const CANCELLED: CaseFrame = { type: 'case.cancelled', ...COMMON, cause: 'PERSON', ...SPENT };

const event = (id: string, frame: CaseFrame): string =>
  `id: ${id}\nevent: ${frame.type}\ndata: ${JSON.stringify(frame)}\n\n`;

/** A peer that speaks the wire format of a gateway with one case. */
describe('investigating over HTTP', () => {
  let server: Server;
  let seen: string[];
  let body: unknown;
  let played: PlayedCase;
  let stream: (request: IncomingMessage, response: ServerResponse) => void;
  let cancelled: () => void;

  const readJson = async (request: IncomingMessage): Promise<unknown> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '' } = request;
    seen.push(`${method} ${url.replace(CASE, 'ID')}`);
    const json = (status: number, data: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(data));
    const links = { self: '/', events: '/', cancel: '/', reviews: '/' };
    if (url.endsWith('/events')) return stream(request, response);
    if (url.endsWith('/cancel')) {
      json(202, { caseId: CASE, status: 'OPENED', links });
      return cancelled();
    }
    if (method === 'GET') return void json(200, playedView(played));
    body = await readJson(request);
    json(201, { caseId: CASE, status: 'OPENED', links });
  };

  beforeEach(async () => {
    seen = [];
    played = acceptedEarly(CASE);
    cancelled = () => undefined;
    server = createServer((request, response) => void answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const investigate = async (interrupt = new AbortController().signal) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const call: Call = {
      options: { key: 'k-1' },
      positionals: [],
      config: { colour: () => false },
      out: new Output(stdout, stderr, true, () => false),
      interrupt,
      insist: new AbortController().signal,
    };
    const client = new GatewayClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
    const code = await investigateAndShow(client, { question: 'Why?', source: 'shop' }, call);
    return { code, stdout: String(stdout.read()), people: String(stderr.read()) };
  };

  it('opens, follows through a broken connection, and ends with the page, the JSON line and the exit code', async () => {
    stream = (request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (request.headers['last-event-id'] === '0-2') return void response.end(event('0-9', DIAGNOSED));
      response.write(event('0-2', FORMED));
      setImmediate(() => response.destroy());
    };
    const { code, stdout, people } = await investigate();
    expect(code).toBe(0);
    expect(NewCase.parse(body)).toMatchObject({ question: 'Why?', source: 'shop' });
    expect(JSON.parse(stdout)).toMatchObject({
      caseId: CASE,
      status: 'DIAGNOSED',
      changeRequest: { issued: {} },
    });
    expect(people).toMatch(/hypotheses +2 to test\n +h1: The pool is exhausted\./);
    expect(people).toContain('Root cause identified');
    // Once for the words of the hypotheses, once for the ending.
    expect(seen.filter((each) => each === 'GET /v1/cases/ID')).toHaveLength(2);
  });

  it('cancels at an interrupt, waits for the ending, and exits with 5', async () => {
    const person = new AbortController();
    played = cancelledAtTheEnd(CASE);
    stream = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event('0-2', FORMED));
      cancelled = () => void response.end(event('0-3', CANCELLED));
      person.abort();
    };
    const { code, people } = await investigate(person.signal);
    expect(code).toBe(5);
    expect(seen).toContain('POST /v1/cases/ID/cancel');
    expect(people).toContain('cancelling the case ...');
    expect(people).toContain('Cancelled');
  });
});
