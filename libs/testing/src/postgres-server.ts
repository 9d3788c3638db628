import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@inquest/local-stack/postgres';

export type TestPostgres = {
  /** Owner of the database. */
  url: string;
  /** May read and nothing else. */
  readerUrl: string;
  /** May do everything, as whoever runs a server may. */
  superuserUrl: string;
  /** The server goes; its files stay and {@link TestPostgres.start} brings them back on the same port. */
  halt(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

/** A throw-away Postgres with the roles of the embedded one. */
export const startTestPostgres = async (): Promise<TestPostgres> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'inquest-pg-'));
  // As root the server runs as another user, who has to pass through.
  chmodSync(dataDir, 0o755);
  let server = await startPostgres({ dataDir });
  const { port, url, readerUrl } = server;
  const secrets = JSON.parse(readFileSync(join(dataDir, 'postgres-secrets.json'), 'utf8')) as {
    postgres: string;
  };
  const superuser = new URL(url);
  superuser.username = 'postgres';
  superuser.password = secrets.postgres;
  return {
    superuserUrl: superuser.href,
    url,
    readerUrl,
    halt: () => server.stop(),
    start: async () => {
      server = await startPostgres({ dataDir, port });
    },
    stop: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
