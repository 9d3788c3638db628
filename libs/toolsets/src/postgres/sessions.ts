import type { Ask } from './database';
import { withoutLiterals } from './without-literals';

/** What a role without `pg_read_all_stats` sees of others: not even of which kind they are. */
const HIDDEN = '<insufficient privilege>';
const QUERY_CHARS = 400;

export type Session = {
  pid: number;
  database: string | null;
  user: string | null;
  application: string;
  state: string | null;
  waitsFor: string | null;
  transactionSeconds: number | null;
  stateSeconds: number | null;
  blockedBy: number[];
  query: string;
};

type SessionRow = {
  pid: number;
  datname: string | null;
  usename: string | null;
  application_name: string;
  state: string | null;
  wait: string | null;
  xact_seconds: number | null;
  state_seconds: number | null;
  blocked_by: number[];
  query: string | null;
};

const SESSIONS = `
  select pid, datname, usename, application_name, state,
         wait_event_type || ': ' || wait_event as wait,
         extract(epoch from clock_timestamp() - xact_start)::float8 as xact_seconds,
         extract(epoch from clock_timestamp() - state_change)::float8 as state_seconds,
         pg_blocking_pids(pid) as blocked_by,
         left(query, 4000) as query
    from pg_stat_activity
   where (backend_type = 'client backend' or (backend_type is null and query = '<insufficient privilege>'))
     and pid <> pg_backend_pid()
   order by xact_start nulls last, pid
   limit 1000`;

const seconds = (value: number | null): number | null =>
  value === null ? null : Math.round(value * 10) / 10;

/** Every client session, longest transaction first, with texts of statements free of values. */
export const sessionsOf = async (ask: Ask): Promise<{ sessions: Session[]; hidden: boolean }> => {
  const rows = await ask<SessionRow>(SESSIONS);
  return {
    hidden: rows.some(({ query }) => query === HIDDEN),
    sessions: rows.map((row) => ({
      pid: row.pid,
      database: row.datname,
      user: row.usename,
      application: row.application_name,
      state: row.state,
      waitsFor: row.wait,
      transactionSeconds: seconds(row.xact_seconds),
      stateSeconds: seconds(row.state_seconds),
      blockedBy: row.blocked_by,
      query: withoutLiterals(row.query ?? '').slice(0, QUERY_CHARS),
    })),
  };
};
