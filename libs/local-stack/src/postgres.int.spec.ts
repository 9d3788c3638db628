import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { describeWith } from '@inquest/testing/describe-with';
import { startPostgres, type Postgres } from './postgres';

const describeAsRoot = describeWith(process.getuid?.() === 0 ? '/' : '/only-when-root');

jest.setTimeout(60_000);

describe('the embedded Postgres', () => {
  let dataDir: string;
  let postgres: Postgres | undefined;

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'inquest-pg-'));
    chmodSync(dataDir, 0o755);
  });
  afterEach(async () => {
    await postgres?.stop();
    postgres = undefined;
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('keeps what was committed through kill -9 and comes back on the same port by itself', async () => {
    postgres = await startPostgres({ dataDir });
    await query(postgres.url, 'create table kept (n int)');
    await query(postgres.url, 'insert into kept values (7)');

    await postgres.process.kill9();
    await postgres.process.whenReady();

    expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  it('starts again on the files of an earlier start', async () => {
    postgres = await startPostgres({ dataDir });
    await query(postgres.url, 'create table kept as select 1 as n');
    await postgres.stop();
    postgres = await startPostgres({ dataDir });
    expect(await query(postgres.url, 'select n from kept')).toEqual([{ n: 1 }]);
  });

  it('lets the reader see what the owner makes and change nothing', async () => {
    postgres = await startPostgres({ dataDir });
    await query(postgres.url, 'create table seen as select 1 as n');

    expect(await query(postgres.readerUrl, 'select n from seen')).toEqual([{ n: 1 }]);
    const { readerUrl } = postgres;
    await expect(query(readerUrl, 'insert into seen values (2)')).rejects.toThrow(/read-only|permission/);
    await expect(query(readerUrl, 'begin read write; insert into seen values (2)')).rejects.toThrow(
      /permission/,
    );
    await expect(query(readerUrl, 'create table mine (n int)')).rejects.toThrow(/read-only|permission/);
  });

  it('asks for a password and keeps it where only the owner reads', async () => {
    postgres = await startPostgres({ dataDir });
    const without = postgres.url.replace(/:[^:@]+@/, ':wrong@');
    await expect(query(without, 'select 1')).rejects.toThrow(/password authentication failed/);
    expect(statSync(join(dataDir, 'postgres-secrets.json')).mode & 0o777).toBe(0o600);
  });

  describeAsRoot('started by root', () => {
    it('runs as another user, even below a folder that only root may enter', async () => {
      const closed = join(dataDir, 'closed');
      mkdirSync(closed, { mode: 0o700 });
      postgres = await startPostgres({ dataDir: join(closed, 'data') });
      await query(postgres.url, 'create table kept as select 1 as n');

      const status = readFileSync(`/proc/${postgres.process.pid}/status`, 'utf8');
      expect(Number(/^Uid:\s+(\d+)/m.exec(status)?.[1])).not.toBe(0);

      const id = readFileSync(join(closed, 'data/postgres.location'), 'utf8');
      await postgres.stop();
      rmSync(join(closed, 'data'), { recursive: true });
      postgres = await startPostgres({ dataDir: join(closed, 'data') });
      await expect(query(postgres.url, 'select n from kept')).rejects.toThrow(/does not exist/);
      expect(existsSync(join('/var/lib/inquest', id))).toBe(false);
      const now = readFileSync(join(closed, 'data/postgres.location'), 'utf8');
      await postgres.stop();
      rmSync(join('/var/lib/inquest', now), { recursive: true });
    });
  });
});

const query = async (url: string, text: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as unknown[];
  } finally {
    await client.end();
  }
};
