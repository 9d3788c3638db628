import { limitArgument } from '../incident/incident-tool';
import type { Database } from './database';
import { postgresTool } from './postgres-tool';

const LIMIT_DEFAULT = 20;

type TableRow = {
  name: string;
  bytes: string;
  live: string;
  dead: string;
  seq_scan: string | null;
  idx_scan: string | null;
  vacuumed: string | null;
  analyzed: string | null;
};

export const postgresSizes = (databases: ReadonlyMap<string, Database>) =>
  postgresTool(
    databases,
    {
      name: 'postgres_sizes',
      description:
        'Shows the largest tables with their size, live and dead rows, sequential and index scans, and when they were last vacuumed and analysed; ' +
        'and over all: size of the database, and how much of the transaction ids is used up. Many dead rows and no vacuum mean bloat.',
      parameters: { limit: limitArgument(100, LIMIT_DEFAULT).optional() },
    },
    async (ask, { limit = LIMIT_DEFAULT }) => {
      const [whole] = await ask<{ bytes: string; tables: string; xid_age: string }>(
        `select pg_database_size(current_database()) as bytes, (select count(*) from pg_stat_user_tables) as tables,
                (select age(datfrozenxid) from pg_database where datname = current_database()) as xid_age`,
      );
      const rows = await ask<TableRow>(
        `select schemaname || '.' || relname as name, pg_total_relation_size(relid) as bytes, n_live_tup as live, n_dead_tup as dead,
                seq_scan, idx_scan, greatest(last_vacuum, last_autovacuum)::text as vacuumed,
                greatest(last_analyze, last_autoanalyze)::text as analyzed
           from pg_stat_user_tables order by bytes desc limit $1`,
        [limit],
      );
      return {
        rows: rows.map((row) => ({
          table: row.name,
          bytes: Number(row.bytes),
          liveRows: Number(row.live),
          deadRows: Number(row.dead),
          sequentialScans: Number(row.seq_scan ?? 0),
          indexScans: Number(row.idx_scan ?? 0),
          lastVacuum: row.vacuumed,
          lastAnalyze: row.analyzed,
        })),
        matched: Number(whole?.tables ?? rows.length),
        summary: {
          databaseBytes: Number(whole?.bytes ?? 0),
          // At 2^31 the server stops taking writes.
          transactionIdsUsedShare: Math.round((Number(whole?.xid_age ?? 0) / 2 ** 31) * 1_000) / 1_000,
        },
        untrusted: [],
      };
    },
  );
