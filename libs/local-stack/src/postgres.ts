import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port';
import { postgresBinaries, postgresUser, type RunAs } from './postgres-binaries';
import { postgresHome } from './postgres-home';
import { keptSecrets } from './secrets';
import { StackError } from './stack-error';
import { SupervisedProcess, type ProcessNote } from './supervised-process';

export const DATABASE = 'inquest';
const ROLES = ['postgres', 'inquest', 'inquest_reader'] as const;
type Role = (typeof ROLES)[number];

export type PostgresOptions = {
  dataDir: string;
  /** Taken when it is free; another one otherwise. */
  port?: number;
  note?: ProcessNote;
};

export type Postgres = {
  port: number;
  /** Role `inquest`: owns the database; for the projector. */
  url: string;
  /** Role `inquest_reader`: may read and nothing else; for gateway and orchestrator. */
  readerUrl: string;
  process: SupervisedProcess;
  stop: () => Promise<void>;
};

/** Small on purpose: the database holds projections of one machine's runs. */
const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'shared_buffers=32MB',
  'max_connections=60',
  'max_wal_size=256MB',
  'huge_pages=off',
  'max_parallel_workers=0',
  'max_logical_replication_workers=0',
  'io_method=sync',
  'jit=off',
  'log_min_messages=warning',
];

const initialise = (native: string, home: string, dataDir: string, user: RunAs, password: string): void => {
  if (existsSync(join(home, 'PG_VERSION'))) return;
  // A start that was killed inside initdb left half a database, which initdb refuses to fill.
  const scratch = `${home}.new`;
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { mode: 0o700 });
  const passwordFile = `${home}.password`;
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) for (const path of [scratch, passwordFile]) chownSync(path, user.uid, user.gid);
  const args = ['-D', scratch, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`];
  const run = spawnSync(join(native, 'bin/initdb'), [...args, '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...user,
    cwd: '/',
    env: { LC_ALL: 'C', TZ: 'UTC' },
    encoding: 'utf8',
  });
  rmSync(passwordFile, { force: true });
  if (run.status !== 0) {
    throw new StackError(
      `initdb failed in ${dataDir}: ${(run.stderr || run.error?.message || '').trim().slice(-500)}`,
    );
  }
  rmSync(home, { recursive: true, force: true });
  renameSync(scratch, home);
};

const urlFor = (role: Role, password: string, port: number, database: string): string =>
  `postgres://${role}:${password}@127.0.0.1:${port}/${database}`;

const attempt = async <T>(url: string, use: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  // A server that is shutting down ends the connection: the rejected call says so, not an unhandled event.
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const untilServing = async (url: string, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    const serves = await attempt(url, async () => true).catch(() => false);
    if (serves) return;
    await sleep(20);
  }
};

/** Makes the roles and the database; every statement may be run again. */
const provisionRoles = async (passwords: Record<Role, string>, port: number): Promise<void> => {
  await attempt(urlFor('postgres', passwords.postgres, port, 'postgres'), async (client) => {
    for (const role of ['inquest', 'inquest_reader'] as const) {
      const known = await client.query('select 1 from pg_roles where rolname = $1', [role]);
      await client.query(
        `${known.rowCount ? 'alter' : 'create'} role ${role} login password '${passwords[role]}'`,
      );
    }
    await client.query('alter role inquest_reader set default_transaction_read_only = on');
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (!database.rowCount) await client.query(`create database ${DATABASE} owner inquest`);
    await client.query(`revoke all on database ${DATABASE} from public`);
    await client.query(`grant connect on database ${DATABASE} to inquest_reader`);
  });
  await attempt(urlFor('inquest', passwords.inquest, port, DATABASE), async (client) => {
    await client.query('alter default privileges grant select on tables to inquest_reader');
    await client.query('alter default privileges grant usage on schemas to inquest_reader');
    await client.query('grant select on all tables in schema public to inquest_reader');
  });
};

/** Starts the embedded Postgres (its own folder, port and passwords) and waits until it takes connections. */
export const startPostgres = async ({
  dataDir,
  port: preferred,
  note,
}: PostgresOptions): Promise<Postgres> => {
  const user = postgresUser();
  const native = postgresBinaries(user);
  const home = postgresHome(dataDir, user);
  const passwords = keptSecrets(join(dataDir, 'postgres-secrets.json'), ROLES);
  const fresh = !existsSync(join(home, 'PG_VERSION'));
  initialise(native, home, dataDir, user, passwords.postgres);
  const port = await freePort(preferred);
  const server = new SupervisedProcess(
    {
      name: 'postgres',
      command: join(native, 'bin/postgres'),
      args: ['-D', home, '-p', String(port), ...SETTINGS.flatMap((setting) => ['-c', setting])],
      env: { LC_ALL: 'C', TZ: 'UTC' },
      cwd: '/',
      ...user,
      logFile: join(dataDir, 'logs/postgres.log'),
      pidDir: join(dataDir, 'pids'),
      // SIGINT is Postgres's fast shutdown: open sessions end, nothing is lost.
      stopSignal: 'SIGINT',
      stopTimeoutMs: 10_000,
      readyTimeoutMs: 30_000,
      awaitReady: (_, signal) =>
        untilServing(urlFor('postgres', passwords.postgres, port, 'postgres'), signal),
    },
    note,
  );
  await server.start();
  const provisioned = join(dataDir, 'postgres-roles.json');
  if (fresh || !existsSync(provisioned)) {
    await provisionRoles(passwords, port);
    writeFileSync(provisioned, JSON.stringify({ roles: ROLES }));
  }
  return {
    port,
    url: urlFor('inquest', passwords.inquest, port, DATABASE),
    readerUrl: urlFor('inquest_reader', passwords.inquest_reader, port, DATABASE),
    process: server,
    stop: () => server.stop(),
  };
};
