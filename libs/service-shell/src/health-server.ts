import { once } from 'node:events';
import { createServer, type Server } from 'node:http';

/** `GET /healthz`: 200 while the process lives, with what it says of itself; `GET /readyz`: 200 or 503. Loopback only. */
export const startHealthServer = async (
  port: number,
  report: () => { ready: boolean } & Record<string, unknown>,
): Promise<Server> => {
  const server = createServer((request, response) => {
    const state = report();
    const known = request.url === '/healthz' || request.url === '/readyz';
    const code = !known ? 404 : request.url === '/readyz' && !state.ready ? 503 : 200;
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? state : { error: 'not found' }));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return server;
};
