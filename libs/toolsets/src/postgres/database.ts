import { readFileSync } from 'node:fs';
import { Client, type ClientConfig } from 'pg';
import { SourceFailure } from '../incident-source';
import { SecretMissing, readSecret } from '../sources/secret';
import type { PostgresConfig } from './config';

const CONNECT_MS = 5_000;
/** Connections of one process to one database at a time: a diagnosis must not be what uses the last of them up. */
const CONNECTIONS_MAX = 2;
const ROWS_MAX = 1_000;

type Row = Record<string, unknown>;
export type Ask = <Result extends Row>(sql: string, values?: readonly unknown[]) => Promise<Result[]>;

/**
 * One database. Each use opens its connection and closes it: nothing stays behind, and a server that was restarted is
 * simply asked again. The session can only read, whatever its role may do, and every statement of it ends by itself.
 */
export class Database {
  private readonly waiting: (() => void)[] = [];
  private connections = 0;

  constructor(
    readonly name: string,
    private readonly config: PostgresConfig,
    private readonly env: Readonly<Record<string, string | undefined>>,
  ) {}

  /** Runs `use` in one read-only transaction. Throws SourceFailure; an abort of `signal` rejects with its reason. */
  async read<Result>(signal: AbortSignal, use: (ask: Ask) => Promise<Result>): Promise<Result> {
    await this.slot(signal);
    try {
      return await this.session(signal, use);
    } finally {
      this.connections -= 1;
      this.waiting.shift()?.();
    }
  }

  private async slot(signal: AbortSignal): Promise<void> {
    while (this.connections >= CONNECTIONS_MAX) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      signal.throwIfAborted();
    }
    this.connections += 1;
  }

  private async session<Result>(signal: AbortSignal, use: (ask: Ask) => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    const client = new Client(this.clientConfig());
    // A connection that breaks between two statements says so here; the next statement fails by itself.
    client.on('error', () => undefined);
    const cut = () => client.connection.stream.destroy();
    signal.addEventListener('abort', cut, { once: true });
    try {
      await client.connect();
      await client.query('begin transaction read only');
      const ask: Ask = async <Result extends Row>(sql: string, values: readonly unknown[] = []) => {
        const { rows } = await client.query<Result>(sql, [...values]);
        return rows.slice(0, ROWS_MAX);
      };
      return await use(ask);
    } catch (error) {
      signal.throwIfAborted();
      throw failureOf(error);
    } finally {
      signal.removeEventListener('abort', cut);
      await client.end().catch(() => undefined);
    }
  }

  private clientConfig(): ClientConfig {
    const { host, port, database, user, password, tls, caFile, statementTimeoutMs } = this.config;
    return {
      host,
      port,
      database,
      user,
      // The library would look into the environment and into a password file by itself.
      password: password === undefined ? '' : secretOf(() => readSecret(password, this.env)),
      ssl:
        tls === 'disable'
          ? false
          : {
              rejectUnauthorized: tls === 'verify-full',
              ...(caFile === undefined ? {} : { ca: secretOf(() => readFileSync(caFile, 'utf8')) }),
            },
      application_name: 'inquest',
      connectionTimeoutMillis: CONNECT_MS,
      options:
        `-c default_transaction_read_only=on -c statement_timeout=${statementTimeoutMs} -c lock_timeout=1000 ` +
        '-c idle_in_transaction_session_timeout=15000',
    };
  }
}

const secretOf = (read: () => string): string => {
  try {
    return read();
  } catch (error) {
    throw new SourceFailure(
      'ACCESS_DENIED',
      error instanceof SecretMissing ? error.message : 'the file of the certificate cannot be read',
      error,
    );
  }
};

const failureOf = (error: unknown): Error => {
  if (error instanceof SourceFailure) return error;
  const { code, name } = error as { code?: unknown; name?: string };
  if (name === 'ArgumentsRefused') return error as Error;
  const denied = typeof code === 'string' && (code.startsWith('28') || code === '42501');
  if (denied) return new SourceFailure('ACCESS_DENIED', `the database refused the role (${code})`, error);
  return new SourceFailure(
    'SOURCE_FAILED',
    code === '57014'
      ? 'a statement took too long'
      : `the database failed (${typeof code === 'string' ? code : 'connection'})`,
    error,
  );
};
