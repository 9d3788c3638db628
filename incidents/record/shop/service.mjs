// What every service of the shop shares: JSON logs on stdout, an HTTP server, and measurements of its last window.
import http from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import pg from 'pg';

export const SERVICE = process.env.SERVICE;
export const VERSION = process.env.VERSION;
const INSTANCE = `${SERVICE}-${process.pid}`;

const write = (level, message) =>
  process.stdout.write(
    `${JSON.stringify({ time: new Date().toISOString(), service: SERVICE, pod: INSTANCE, level, message })}\n`,
  );
export const log = {
  info: (message) => write('INFO', message),
  warn: (message) => write('WARN', message),
  error: (message) => write('ERROR', message),
};

/** Values seen since the last scrape; reading empties it. */
export const windowOf = () => {
  let values = [];
  return {
    add: (value) => values.push(value),
    take: () => {
      const sorted = values.sort((a, b) => a - b);
      values = [];
      const at = (q) => (sorted.length ? sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] : null);
      return { count: sorted.length, p50: at(0.5), p95: at(0.95) };
    },
  };
};

export const counters = () => {
  const counts = new Map();
  return {
    add: (name) => counts.set(name, (counts.get(name) ?? 0) + 1),
    take: () => {
      const taken = Object.fromEntries(counts);
      counts.clear();
      return taken;
    },
  };
};

/** A measured connection pool. `acquire` throws pg-pool's own error when no connection frees up in time. */
export const openPool = (max) => {
  const pool = new pg.Pool({
    connectionString: process.env.DATABASE_URL,
    application_name: SERVICE,
    max,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    statement_timeout: 3_000,
  });
  pool.on('error', (error) => log.warn(`idle database connection lost: ${error.message}`));
  const waits = windowOf();
  const happened = counters();
  const acquire = async () => {
    const startedAt = performance.now();
    try {
      return await pool.connect();
    } catch (error) {
      happened.add('timeouts');
      throw error;
    } finally {
      waits.add(performance.now() - startedAt);
    }
  };
  const describe = () => `pool size=${max} open=${pool.totalCount} idle=${pool.idleCount} waiting=${pool.waitingCount}`;
  const take = () => ({
    size: max,
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
    acquireWaitP95Ms: waits.take().p95,
    acquireTimeouts: happened.take().timeouts ?? 0,
  });
  const withClient = async (work) => {
    const client = await acquire();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  };
  return { acquire, withClient, describe, take };
};

/** One HTTP call to a neighbour. Resolves with {status, body}; rejects on refusal and time-out. */
export const call = async (base, method, path, body, timeoutMs = 5_000) => {
  const response = await fetch(`${base}${path}`, {
    method,
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  return { status: response.status, body: await response.json() };
};

const readJson = async (request) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length ? JSON.parse(Buffer.concat(chunks).toString('utf8')) : {};
};

const measurements = (requests, outcomes, pool, extra) => {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let since = performance.now();
  let cpu = process.cpuUsage();
  let inFlight = 0;
  const take = () => {
    const seconds = (performance.now() - since) / 1_000;
    const used = process.cpuUsage(cpu);
    const taken = {
      seconds,
      requests: requests.take(),
      outcomes: outcomes.take(),
      inFlight,
      cpuPercent: ((used.user + used.system) / 1e6 / seconds) * 100,
      rssMb: process.memoryUsage.rss() / 2 ** 20,
      eventLoopDelayP99Ms: delay.percentile(99) / 1e6,
      uptimeSeconds: process.uptime(),
      ...(pool ? { pool: pool.take() } : {}),
      ...(extra ? { extra: extra.take() } : {}),
    };
    since = performance.now();
    cpu = process.cpuUsage();
    delay.reset();
    return taken;
  };
  return { take, enter: () => (inFlight += 1), leave: () => (inFlight -= 1) };
};

/** `routes` maps "METHOD /path" to a handler ({query, body}) -> {status, body}; a thrown error is a logged 503. */
export const serve = ({ routes, pool, extra, describeFailure = (error) => error.message }) => {
  const requests = windowOf();
  const outcomes = counters();
  const measured = measurements(requests, outcomes, pool, extra);
  const answer = async (request) => {
    const url = new URL(request.url, 'http://shop');
    const handler = routes[`${request.method} ${url.pathname}`];
    if (!handler) return { status: 404, body: { error: 'no such route' } };
    try {
      return await handler({ query: url.searchParams, body: await readJson(request) });
    } catch (error) {
      log.error(`${request.method} ${url.pathname} failed: ${describeFailure(error)}`);
      return { status: 503, body: { error: 'unavailable' } };
    }
  };
  const server = http.createServer(async (request, response) => {
    const respond = ({ status, body }) => response.writeHead(status).end(JSON.stringify(body));
    if (request.url === '/internal/metrics') return respond({ status: 200, body: measured.take() });
    if (request.url.startsWith('/internal/')) return respond(await answer(request));
    const startedAt = performance.now();
    measured.enter();
    const result = await answer(request);
    measured.leave();
    const ms = performance.now() - startedAt;
    requests.add(ms);
    outcomes.add(result.status >= 500 ? 'error' : result.status >= 400 ? 'refused' : 'ok');
    if (result.status < 400) log.info(`${request.method} ${request.url} ${result.status} ${ms.toFixed(0)} ms`);
    respond(result);
  });
  server.listen(Number(process.env.PORT), '127.0.0.1', () => {
    log.info(`${SERVICE} ${VERSION} listening on port ${process.env.PORT}`);
    process.send?.('ready');
  });
  process.on('SIGTERM', () => {
    log.info(`${SERVICE} ${VERSION} shutting down`);
    server.close(() => process.exit(0));
    server.closeIdleConnections();
    setTimeout(() => process.exit(0), 1_000).unref();
  });
};
