import { Pool, type PoolConfig } from 'pg';

export class RowsUnavailable extends Error {
  constructor(cause?: unknown) {
    super('the read model does not answer', { cause });
    this.name = 'RowsUnavailable';
  }
}

export type Columns = Record<string, unknown>;
export const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** After a failure nobody waits for Postgres again for this long: a connection attempt may take a second to fail. */
const REST_MS = 1_000;

/** Connections to the read model under the read-only role; everything that fails is {@link RowsUnavailable}. */
export class ReadPool {
  private readonly pool: Pool;
  private restUntil = 0;

  constructor(databaseUrl: string, options: Pick<PoolConfig, 'max'> = {}) {
    this.pool = new Pool({
      connectionString: databaseUrl,
      max: options.max ?? 8,
      connectionTimeoutMillis: 1_000,
      query_timeout: 3_000,
      idleTimeoutMillis: 60_000,
      application_name: 'chat-gateway',
      allowExitOnIdle: true,
    });
    // An idle connection that the server ends is replaced by the next query; unheard, the event would end the process.
    this.pool.on('error', () => undefined);
  }

  async query(text: string, values: unknown[]): Promise<Columns[]> {
    if (performance.now() < this.restUntil) throw new RowsUnavailable();
    try {
      const { rows } = await this.pool.query<Columns>(text, values);
      return rows;
    } catch (error) {
      this.restUntil = performance.now() + REST_MS;
      throw new RowsUnavailable(error);
    }
  }

  /** Nest calls it when the service ends. */
  onApplicationShutdown(): Promise<void> {
    return this.pool.end();
  }
}
