import { z } from 'zod';
import { limitArgument } from '../incident/incident-tool';
import { ArgumentsRefused } from '../tool';
import type { Database } from './database';
import { postgresTool, round } from './postgres-tool';
import { withoutLiterals } from './without-literals';

const LIMIT_DEFAULT = 15;
const ORDERS = { total: 'total_exec_time', mean: 'mean_exec_time', calls: 'calls' } as const;

type StatementRow = {
  query: string;
  calls: string;
  total_ms: number;
  mean_ms: number;
  max_ms: number;
  rows: string;
  read: string;
};

export const postgresSlowStatements = (databases: ReadonlyMap<string, Database>) =>
  postgresTool(
    databases,
    {
      name: 'postgres_slow_statements',
      description:
        'Shows which statements cost most since the statistics were last reset: calls, total, mean and longest time, rows, blocks read. ' +
        'Needs the extension pg_stat_statements.',
      parameters: {
        order: z.enum(['total', 'mean', 'calls']).describe('By what (default total).').optional(),
        limit: limitArgument(50, LIMIT_DEFAULT).optional(),
      },
    },
    async (ask, { order = 'total', limit = LIMIT_DEFAULT }) => {
      const [extension] = await ask<{ schema: string }>(
        `select quote_ident(n.nspname) as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
          where e.extname = 'pg_stat_statements'`,
      );
      // Nothing to see is not the same as nothing slow.
      if (extension === undefined)
        throw new ArgumentsRefused(
          'database: has no extension pg_stat_statements, so no statement is measured',
        );
      const rows = await ask<StatementRow>(
        `select left(query, 4000) as query, calls, total_exec_time as total_ms, mean_exec_time as mean_ms, max_exec_time as max_ms,
                rows, shared_blks_read as read
           from ${extension.schema}.pg_stat_statements
          where dbid = (select oid from pg_database where datname = current_database())
          order by ${ORDERS[order]} desc limit $1`,
        [limit],
      );
      return {
        rows: rows.map((row) => ({
          query: withoutLiterals(row.query).slice(0, 400),
          calls: Number(row.calls),
          totalMs: round(row.total_ms),
          meanMs: round(row.mean_ms),
          maxMs: round(row.max_ms),
          rows: Number(row.rows),
          blocksRead: Number(row.read),
        })),
        permissionFiltered: rows.some(({ query }) => query === '<insufficient privilege>'),
        untrusted: ['/rows/*/query'],
      };
    },
  );
