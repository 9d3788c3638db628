// The inventory at the end of the recording, in Kubernetes-like shape, of what really ran: a host, its services,
// their processes, the settings that count, and the sessions of Postgres.
import os from 'node:os';

const NAMESPACE = 'shop';
const object = (kind, name, rest = {}) => ({
  kind,
  metadata: { name, namespace: NAMESPACE, labels: {}, ...rest.metadata },
  ...(rest.spec ? { spec: rest.spec } : {}),
  ...(rest.status ? { status: rest.status } : {}),
});

const host = () =>
  object('Host', 'shop-host-1', {
    spec: { cpus: os.cpus().length, memoryMib: Math.round(os.totalmem() / 2 ** 20), os: `${os.type()} ${os.release()}` },
    status: { ready: true },
  });

const services = (ports, postgresPort, history) =>
  [...Object.entries(ports), ['postgres', postgresPort]].map(([name, port]) => {
    const alive = history.filter((record) => record.service === name && !record.endedAt).map((record) => record.name);
    return object('Service', name, {
      metadata: { labels: { service: name } },
      spec: { port, selector: { service: name } },
      status: { processes: name === 'postgres' ? ['postgres-main'] : alive },
    });
  });

const processes = (history) =>
  history.map((record) =>
    object('Process', record.name, {
      metadata: {
        labels: { service: record.service, version: record.version },
        ownerReferences: [{ kind: 'Service', name: record.service }],
        creationTimestamp: record.startedAt.toISOString(),
      },
      spec: { command: `node ${record.service}.mjs`, version: record.version, env: record.env },
      status: record.endedAt
        ? { phase: 'Stopped', pid: record.pid, endedAt: record.endedAt.toISOString(), exitCode: record.exitCode }
        : { phase: 'Running', pid: record.pid },
    }),
  );

const postgresProcess = ({ pid, settings }, startedAt) =>
  object('Process', 'postgres-main', {
    metadata: {
      labels: { service: 'postgres' },
      ownerReferences: [{ kind: 'Service', name: 'postgres' }],
      creationTimestamp: startedAt.toISOString(),
    },
    spec: { command: 'postgres', settings: { ...settings, idle_in_transaction_session_timeout: '0 (disabled)' } },
    status: { phase: 'Running', pid },
  });

const SESSIONS = `SELECT pid, application_name, state, wait_event_type, wait_event, left(query, 160) AS query,
    backend_start, xact_start, state_change, pg_blocking_pids(pid) AS blocked_by
  FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> 'recorder' ORDER BY backend_start`;

const sessions = (rows) =>
  rows.map((row) =>
    object('PostgresSession', `pg-session-${row.pid}`, {
      metadata: {
        labels: { service: 'postgres', client: row.application_name },
        ownerReferences: [{ kind: 'Service', name: 'postgres' }],
        creationTimestamp: row.backend_start.toISOString(),
      },
      status: {
        state: row.state,
        pid: row.pid,
        client: row.application_name,
        transactionStartedAt: row.xact_start?.toISOString() ?? null,
        stateChangedAt: row.state_change?.toISOString() ?? null,
        waitEvent: row.wait_event_type ? `${row.wait_event_type}/${row.wait_event}` : null,
        blockedBySessions: row.blocked_by.map((pid) => `pg-session-${pid}`),
        lastQuery: row.query.replace(/\s+/g, ' ').trim(),
      },
    }),
  );

export const takeInventory = async ({ ports, postgresPort, history, postgres, postgresStartedAt, database }) => {
  const { rows } = await database.query(SESSIONS);
  return [
    host(),
    ...services(ports, postgresPort, history),
    ...processes(history.filter((record) => record.service !== 'visitors')),
    postgresProcess(postgres, postgresStartedAt),
    ...sessions(rows),
  ];
};

export const dependencies = (ports, postgresPort) => [
  { from: 'visitors', to: 'storefront', protocol: 'http', port: ports.storefront },
  { from: 'storefront', to: 'catalog', protocol: 'http', port: ports.catalog },
  { from: 'storefront', to: 'recommendation', protocol: 'http', port: ports.recommendation },
  { from: 'storefront', to: 'checkout', protocol: 'http', port: ports.checkout },
  { from: 'checkout', to: 'payments', protocol: 'http', port: ports.payments },
  { from: 'checkout', to: 'postgres', protocol: 'postgres', port: postgresPort },
  { from: 'catalog', to: 'postgres', protocol: 'postgres', port: postgresPort },
  { from: 'recommendation', to: 'postgres', protocol: 'postgres', port: postgresPort },
];
