import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getJson } from './http-json';

describe('one request to a source', () => {
  let server: Server | undefined;
  let requests = 0;
  const serve = async (listener: RequestListener): Promise<string> => {
    requests = 0;
    const made = createServer((request, response) => {
      requests += 1;
      listener(request, response);
    });
    server = made;
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(made.address() as AddressInfo).port}/base/`;
  };
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });
  const never = new AbortController().signal;

  it('asks below the base path, with its query and headers, and gives status and body', async () => {
    const url = await serve((request, response) => {
      response.setHeader('content-type', 'application/json');
      response.statusCode = 422;
      response.end(JSON.stringify({ asked: request.url, auth: request.headers.authorization }));
    });
    const answer = await getJson(
      { url, headers: () => ({ authorization: 'Bearer t' }) },
      '/api/v1/query',
      { query: 'up{a="b"}', 'match[]': ['x', 'y'] },
      never,
    );
    expect(answer).toEqual({
      status: 422,
      body: {
        asked: '/base/api/v1/query?query=up%7Ba%3D%22b%22%7D&match%5B%5D=x&match%5B%5D=y',
        auth: 'Bearer t',
      },
    });
  });

  it.each<[string, RequestListener, string]>([
    ['401', (_, response) => response.writeHead(401).end('{}'), 'ACCESS_DENIED'],
    ['403', (_, response) => response.writeHead(403).end('no'), 'ACCESS_DENIED'],
    [
      'a redirect',
      (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
      'SOURCE_FAILED',
    ],
    ['a page instead of JSON', (_, response) => response.end('<html>'), 'RESULT_UNUSABLE'],
    ['a proxy’s error page', (_, response) => response.writeHead(502).end('<html>'), 'SOURCE_FAILED'],
    ['a refusal in plain text', (_, response) => response.writeHead(429).end('too many'), 'SOURCE_FAILED'],
    ['too much', (_, response) => response.end(`"${'x'.repeat(5_000)}"`), 'RESULT_UNUSABLE'],
    [
      'half an answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"a"');
        response.destroy();
      },
      'SOURCE_FAILED',
    ],
    ['no answer in time', () => undefined, 'SOURCE_FAILED'],
  ])('%s is a typed failure after one attempt', async (_, listener, errorClass) => {
    const url = await serve(listener);
    await expect(getJson({ url, bytesMax: 4_096, timeoutMs: 300 }, '/x', {}, never)).rejects.toMatchObject({
      name: 'SourceFailure',
      errorClass,
    });
    expect(requests).toBe(1);
  });

  it('fails where nobody listens', async () => {
    const url = await serve(() => undefined);
    await new Promise((resolve) => server?.close(resolve));
    await expect(getJson({ url }, '/x', {}, never)).rejects.toMatchObject({ errorClass: 'SOURCE_FAILED' });
  });

  it('ends at once when the run is cancelled', async () => {
    const url = await serve(() => undefined);
    const cancelled = new AbortController();
    const answer = getJson({ url }, '/x', {}, cancelled.signal);
    cancelled.abort(new Error('cancelled'));
    await expect(answer).rejects.toThrow('cancelled');
  });
});
