import type { INestApplication } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { authenticate, ScopeGuard } from './authenticate';
import { Callers, type Grant } from './callers';
import { ProblemFilter } from './problem.filter';
import { securityHeaders } from './security-headers';

export const BODY_BYTES_MAX = 64 * 1024;

/** A request whose head or body trickles in holds a socket, and no more than this long. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const CONNECTIONS_MAX = 10_000;

/** Sets the HTTP side up, in the order in which a request passes it: headers, token, body, route, scope. */
export const configureHttp =
  (grants: readonly Grant[]) =>
  async (app: INestApplication): Promise<void> => {
    const http = app as NestExpressApplication;
    http.disable('x-powered-by');
    http.disable('etag');
    http.set('query parser', 'simple');
    http.use(securityHeaders);
    http.use(authenticate(new Callers(grants)));
    http.useBodyParser('json', {
      limit: BODY_BYTES_MAX,
      strict: false,
      inflate: false,
      type: 'application/json',
    });
    http.useGlobalFilters(new ProblemFilter());
    http.useGlobalGuards(new ScopeGuard(http.get(Reflector)));
    const server = http.getHttpServer();
    server.headersTimeout = HEADERS_TIMEOUT_MS;
    server.requestTimeout = REQUEST_TIMEOUT_MS;
    server.maxConnections = CONNECTIONS_MAX;
    // Before the bus entry and the port are opened: what they need stands by then.
    await http.init();
  };
