// One scrape: asks every service for its last window, and Postgres and the host for their state now.
import os from 'node:os';

const round = (value) => (Math.abs(value) >= 100 ? Math.round(value * 10) / 10 : Math.round(value * 1_000) / 1_000);

/** All series, by name and labels. A value that could not be read leaves a gap; nothing is made up. */
export const metricBook = (stepSeconds) => {
  const series = new Map();
  const add = (at, name, unit, labels, value) => {
    if (value === null || value === undefined || !Number.isFinite(value)) return;
    const key = JSON.stringify([name, labels]);
    if (!series.has(key)) series.set(key, { name, unit, labels, stepSeconds, points: [] });
    series.get(key).points.push([at, round(value)]);
  };
  const all = () => [...series.values()].sort((a, b) => (JSON.stringify([a.name, a.labels]) < JSON.stringify([b.name, b.labels]) ? -1 : 1));
  return { add, all };
};

const BUSINESS_RATES = {
  ordersPlaced: 'orders_placed_per_second',
  refundsDone: 'refunds_done_per_second',
  refundsRejected: 'refunds_rejected_per_second',
  slowQueries: 'slow_queries_per_second',
};

const serviceValues = (taken) => {
  const { seconds, requests, outcomes, pool, extra = {} } = taken;
  const errors = outcomes.error ?? 0;
  const values = [
    ['http_requests_per_second', 'requests/s', requests.count / seconds],
    ['http_errors_per_second', 'requests/s', errors / seconds],
    ['http_error_ratio', 'ratio', requests.count ? errors / requests.count : 0],
    ['http_request_duration_p50_ms', 'ms', requests.p50],
    ['http_request_duration_p95_ms', 'ms', requests.p95],
    ['http_requests_in_flight', 'requests', taken.inFlight],
    ['process_cpu_percent', '%', taken.cpuPercent],
    ['process_resident_memory_mib', 'MiB', taken.rssMb],
    ['process_uptime_seconds', 's', taken.uptimeSeconds],
    ['event_loop_delay_p99_ms', 'ms', taken.eventLoopDelayP99Ms],
  ];
  if (pool) {
    values.push(
      ['db_pool_size', 'connections', pool.size],
      ['db_pool_in_use', 'connections', pool.inUse],
      ['db_pool_waiting', 'requests', pool.waiting],
      ['db_pool_acquire_wait_p95_ms', 'ms', pool.acquireWaitP95Ms],
      ['db_pool_acquire_timeouts_per_second', 'requests/s', pool.acquireTimeouts / seconds],
    );
  }
  for (const [counter, name] of Object.entries(BUSINESS_RATES)) {
    if (counter in extra) values.push([name, '1/s', extra[counter] / seconds]);
  }
  return values;
};

const COUNTERS_OF = {
  checkout: ['ordersPlaced', 'refundsDone', 'refundsRejected'],
  recommendation: ['slowQueries'],
  payments: ['refundsRejected'],
};

const scrapeService = async (book, at, service, port) => {
  const up = (value) => book.add(at, 'up', 'bool', { service }, value);
  try {
    const response = await fetch(`http://127.0.0.1:${port}/internal/metrics`, { signal: AbortSignal.timeout(2_000) });
    const taken = await response.json();
    const zeros = Object.fromEntries((COUNTERS_OF[service] ?? []).map((name) => [name, 0]));
    taken.extra = { ...zeros, ...taken.extra };
    for (const [name, unit, value] of serviceValues(taken)) book.add(at, name, unit, { service }, value);
    up(1);
  } catch {
    up(0);
  }
};

const SESSIONS = `SELECT application_name AS client, state, count(*)::int AS n FROM pg_stat_activity
  WHERE backend_type = 'client backend' AND application_name <> 'recorder' GROUP BY 1, 2`;
const SERVER = `SELECT
  (SELECT count(*)::int FROM pg_locks WHERE NOT granted) AS waiting,
  (SELECT coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)::float FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND application_name <> 'recorder') AS oldest,
  (SELECT xact_commit::float FROM pg_stat_database WHERE datname = 'postgres') AS commits,
  (SELECT xact_rollback::float FROM pg_stat_database WHERE datname = 'postgres') AS rollbacks,
  current_setting('max_connections')::int AS max`;
const STATES = {
  active: 'active',
  idle: 'idle',
  'idle in transaction': 'idle_in_transaction',
  'idle in transaction (aborted)': 'idle_in_transaction_aborted',
};

const postgresScraper = (database) => {
  let before;
  return async (book, at) => {
    const [sessions, server] = [await database.query(SESSIONS), (await database.query(SERVER)).rows[0]];
    const labels = { service: 'postgres' };
    const count = (rows) => rows.reduce((sum, row) => sum + row.n, 0);
    for (const [state, label] of Object.entries(STATES)) {
      const rows = sessions.rows.filter((row) => row.state === state);
      book.add(at, 'pg_connections', 'connections', { ...labels, state: label }, count(rows));
      for (const client of ['checkout', 'catalog', 'recommendation']) {
        const own = rows.filter((row) => row.client === client);
        book.add(at, 'pg_client_connections', 'connections', { ...labels, client, state: label }, count(own));
      }
    }
    book.add(at, 'pg_max_connections', 'connections', labels, server.max);
    book.add(at, 'pg_locks_waiting', 'locks', labels, server.waiting);
    book.add(at, 'pg_oldest_transaction_age_seconds', 's', labels, server.oldest);
    if (before) {
      const seconds = at - before.at;
      book.add(at, 'pg_commits_per_second', '1/s', labels, (server.commits - before.commits) / seconds);
      book.add(at, 'pg_rollbacks_per_second', '1/s', labels, (server.rollbacks - before.rollbacks) / seconds);
    }
    before = { at, ...server };
  };
};

/** No CPU and no load of the whole host: the recording machine has other work, which is not part of the shop. */
const scrapeHost = (book, at) =>
  book.add(at, 'host_memory_available_mib', 'MiB', { service: 'host' }, os.freemem() / 2 ** 20);

/** `ports` maps a service to its port; `database` is the recorder's own connection. */
export const scraper = ({ book, ports, database }) => {
  const postgres = postgresScraper(database);
  return async (at) => {
    const services = Object.entries(ports).map(([service, port]) => scrapeService(book, at, service, port));
    await Promise.all([...services, postgres(book, at)]);
    scrapeHost(book, at);
  };
};
