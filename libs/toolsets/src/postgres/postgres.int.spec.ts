import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { createRedactor } from '@inquest/redaction/redactor';
import { startTestPostgres, type TestPostgres } from '@inquest/testing/postgres-server';
import { waitFor } from '@inquest/testing/wait-for';
import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { incidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { environmentOf, type Environment } from '../sources/environment';
import { PostgresConfig, PostgresConfigs } from './config';
import { Database } from './database';
import { openPostgres } from './postgres-toolset';

jest.setTimeout(60_000);

const PASSWORD = 'reads-only-0001';

describe('diagnostics of a real Postgres', () => {
  let server: TestPostgres;
  let owner: Client;
  let environment: Environment;
  const sessions: Client[] = [];

  const at = () => new URL(server.superuserUrl);
  const configOf = (over: Record<string, unknown> = {}) => ({
    orders: {
      host: at().hostname,
      port: Number(at().port),
      database: at().pathname.slice(1),
      user: 'inquest_diagnostics',
      password: { env: 'ORDERS_PASSWORD' },
      ...over,
    },
  });
  const open = (config: unknown, env: Record<string, string> = { ORDERS_PASSWORD: PASSWORD }): Environment =>
    environmentOf('prod', openPostgres(PostgresConfigs.parse(config), { env }));

  const session = async (name: string): Promise<Client> => {
    const client = new Client({ connectionString: server.superuserUrl, application_name: name });
    client.on('error', () => undefined);
    await client.connect();
    sessions.push(client);
    return client;
  };

  beforeAll(async () => {
    server = await startTestPostgres();
    owner = new Client({ connectionString: server.superuserUrl });
    owner.on('error', () => undefined);
    await owner.connect();
    await owner.query(`create role inquest_diagnostics login password '${PASSWORD}'`);
    await owner.query(`create role inquest_blind login password '${PASSWORD}'`);
    await owner.query('grant pg_monitor to inquest_diagnostics');
    const database = at().pathname.slice(1);
    await owner.query(`grant connect on database ${database} to inquest_diagnostics, inquest_blind`);
    await owner.query('create table orders (id int primary key, note text)');
    await owner.query("insert into orders select i, repeat('x', 100) from generate_series(1, 2000) i");
    environment = open(configOf());
  });
  afterAll(async () => {
    await Promise.all(sessions.map((client) => client.end().catch(() => undefined)));
    await owner?.end().catch(() => undefined);
    await server?.stop();
  });

  const call = async (
    tool: string,
    args: unknown = {},
    on = environment,
    signal = new AbortController().signal,
  ): Promise<LedgerEntry & { shown: unknown }> => {
    const { tools } = await on.tools(AbortSignal.timeout(5_000));
    const entry = await runTool(
      {
        toolCallId: 'c1' as ToolCallId,
        providerId: null,
        tool,
        argumentsText: JSON.stringify(args),
        source: 'prod',
        asOf: new Date().toISOString(),
        projectionBytesMax: 32_768,
      },
      { tools: toolsByName(tools), sources: incidentSources([]), redactor: createRedactor('r'), signal },
    );
    return { ...entry, shown: JSON.parse(entry.projection.inline ?? 'null') as unknown };
  };

  it('finds who holds everybody up in a pile of locks, and shows no value of any statement', async () => {
    const leaked = await session('billing');
    await leaked.query('begin');
    await leaked.query("update orders set note = 'card 4111111111111111' where id = 7");
    const waiters = [await session('checkout'), await session('checkout')];
    const waiting = waiters.map((client) => client.query("update orders set note = 'b' where id = 7"));
    const ddl = await session('migration');
    const altering = ddl.query('alter table orders add column extra int');
    waiting.push(altering);
    const pile = await waitFor('the pile', async () => {
      const entry = await call('postgres_locks');
      const { rows } = entry.shown as { rows: { waiters: number }[] };
      return rows[0]?.waiters === 3 ? entry : undefined;
    });
    expect(pile.shown).toMatchObject({
      matched: 1,
      summary: { waitingSessions: 3 },
      rows: [
        {
          blocker: {
            application: 'billing',
            state: 'idle in transaction',
            query: 'update orders set note = ? where id = ?',
            holds: expect.arrayContaining(['RowExclusiveLock on orders']) as unknown,
          },
        },
      ],
    });
    expect(pile.projection.inline).not.toContain('4111');
    const { rows } = pile.shown as { rows: { waiting: { application: string; wants: string }[] }[] };
    expect(rows[0]?.waiting.find(({ application }) => application === 'migration')?.wants).toBe(
      'AccessExclusiveLock of orders',
    );

    const activity = await call('postgres_activity', { state: 'idle in transaction' });
    expect(activity.shown).toMatchObject({
      rows: [{ application: 'billing', state: 'idle in transaction' }],
      summary: { blocked: 3, byApplication: { checkout: 2, billing: 1 } },
    });
    await leaked.query('rollback');
    await Promise.all(waiting);
    expect((await call('postgres_locks')).evidenceStatus).toBe('NO_EVIDENCE');
  });

  it('shows sizes and replication', async () => {
    await owner.query('analyze orders');
    expect((await call('postgres_sizes')).shown).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ table: 'public.orders' })]) as unknown,
    });
    expect((await call('postgres_replication')).shown).toMatchObject({
      rows: [{ kind: 'server', role: 'primary' }],
      summary: { standbys: 0, slots: 0 },
    });
  });

  it('says that statements are not measured, instead of that none is slow', async () => {
    const entry = await call('postgres_slow_statements');
    expect(entry).toMatchObject({ status: 'ERROR', errorClass: 'BAD_ARGUMENTS' });
    expect(entry.projection.inline).toContain('pg_stat_statements');
  });

  it('can only read, whatever the role may do', async () => {
    const config = PostgresConfig.parse({
      ...configOf().orders,
      user: decodeURIComponent(at().username),
      password: { env: 'P' },
    });
    const database = new Database('orders', config, { P: decodeURIComponent(at().password) });
    await expect(
      database.read(new AbortController().signal, (ask) => ask('delete from orders')),
    ).rejects.toMatchObject({ errorClass: 'SOURCE_FAILED' });
    const { rows } = await owner.query<{ n: string }>('select count(*) as n from orders');
    expect(Number(rows[0]?.n)).toBe(2_000);
  });

  it('is checked: rights that are too large or too small, a wrong password, no server', async () => {
    const checkOf = async (config: unknown, env?: Record<string, string>) =>
      (await open(config, env).check(AbortSignal.timeout(10_000)))[0]?.check;
    expect(await checkOf(configOf())).toMatchObject({ ok: true, remedy: null });
    expect(await checkOf(configOf({ user: 'inquest_blind' }))).toMatchObject({
      ok: false,
      remedy: 'grant pg_monitor to the role',
    });
    await owner.query('grant insert on orders to inquest_blind');
    expect(await checkOf(configOf({ user: 'inquest_blind' }))).toMatchObject({
      ok: false,
      detail: expect.stringContaining('can write') as string,
    });
    expect(await checkOf(configOf(), { ORDERS_PASSWORD: 'wrong' })).toMatchObject({
      ok: false,
      remedy: 'check user and password',
    });
    expect(await checkOf(configOf(), {})).toMatchObject({
      ok: false,
      detail: 'the variable ORDERS_PASSWORD holds no secret',
    });
    expect(await checkOf(configOf({ port: 1 }))).toMatchObject({ ok: false });
  });

  it('tells what a role may not see', async () => {
    const blind = open(configOf({ user: 'inquest_blind' }));
    const other = await session('somebody');
    await other.query("select 'secret'");
    expect(await call('postgres_activity', {}, blind)).toMatchObject({ permissionFiltered: true });
  });

  it('ends at once when the run is cancelled, also while the server does not answer', async () => {
    const silent: Server = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const mute = open(configOf({ port: (silent.address() as AddressInfo).port }));
    const cancelled = new AbortController();
    const entry = call('postgres_activity', {}, mute, cancelled.signal);
    setTimeout(() => cancelled.abort(new Error('cancelled')), 50);
    expect(await entry).toMatchObject({ errorClass: 'CANCELLED' });
    silent.close();
  });

  it('shows which statements cost most, where they are measured', async () => {
    await owner.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
    await server.halt();
    await server.start();
    const again = await session('owner');
    await again.query('create extension pg_stat_statements');
    await again.query("select pg_sleep(0.15), 'SECRET'");
    const entry = await call('postgres_slow_statements', { order: 'mean' });
    const { rows } = entry.shown as { rows: { query: string; calls: number; meanMs: number }[] };
    const slept = rows.find(({ query }) => query.includes('pg_sleep'));
    expect(slept).toMatchObject({ calls: 1 });
    expect(slept?.meanMs).toBeGreaterThan(140);
    expect(entry.projection.inline).not.toContain('SECRET');
  });

  it('that dies in the middle is a typed error, and is asked anew when it is back', async () => {
    await server.halt();
    expect(await call('postgres_activity')).toMatchObject({
      evidenceStatus: 'ERROR',
      errorClass: 'SOURCE_FAILED',
    });
    await server.start();
    expect(await call('postgres_sizes')).toMatchObject({ status: 'READY', errorClass: null });
  });
});
