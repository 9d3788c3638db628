import type { LogPattern, SystemEvent } from '../evidence/view';
import type { Finding, Hypothesis } from './finding';
import { clock } from './wording';

/** What the evidence shows of the consequences, and no more: without error lines nobody knows that requests failed. */
export const effectOf = (errors: readonly LogPattern[], full: readonly Finding[]): string => {
  if (errors.length > 0) return 'requests waited for a connection and failed with a time-out';
  return full.length > 0 ? 'requests had to wait for a connection' : 'the service ran short of connections';
};

const LEAKED: Pick<Hypothesis, 'actions' | 'recommendations' | 'lookup'> & { cause: string } = {
  cause: 'DATABASE_CONNECTION_POOL_EXHAUSTED_BY_LEAKED_TRANSACTIONS',
  actions: [],
  recommendations: [
    'Give every code path that takes a connection a release in a finally block, with a rollback where the work ends early; test the path on which a neighbour refuses.',
    'Set idle_in_transaction_session_timeout on the database, so that the server ends abandoned transactions by itself.',
    'Alert on sessions that stay idle in transaction and on requests that wait for a pool connection; both show well before the pool runs dry.',
  ],
  lookup: 'database connection pool exhausted sessions idle in transaction leaked connections',
};

const leakActions = (service: string, change: SystemEvent | undefined): string[] => [
  ...(change
    ? [
        `Undo the last change of ${service} (event ${change.reason} at ${clock(change.timeMs)}), or switch off again what it enabled, so that no further session is lost.`,
      ]
    : []),
  `Free the connections: end the database sessions of ${service} that sit idle in transaction (pg_terminate_backend on Postgres), or restart ${service}, which drops its pool.`,
  `Find the code path that opens a transaction and returns without commit, rollback and release; start from the last statement of the hanging sessions and from the warnings that set in with the first of them.`,
  `Confirm the recovery: connections in use fall below the pool's size, requests no longer wait, and errors of ${service} cease.`,
];

type Found = { service: string; findings: Finding[]; effect: string };

/** Connections are held by transactions that nobody ends. */
export const leakedPool = (
  found: Found & { database: string | undefined; change: SystemEvent | undefined },
): Hypothesis => {
  const { service, findings, effect, database, change } = found;
  const server = database ? ` on ${database}` : '';
  return {
    ...LEAKED,
    object: `Service/${service}`,
    service,
    rank: 'CAUSE',
    headline: `The database connection pool of ${service} is exhausted: sessions of ${service} were left idle in transaction, so their connections did not return to the pool`,
    mechanism: `Transactions that ${service} left open drained its connection pool: sessions of ${service}${server} stayed idle in transaction, so that their connections did not return to the pool; once the pool was exhausted, ${effect}.`,
    findings,
    actions: leakActions(service, change),
  };
};

/** Connections are held, and what holds them is not known, or is a wait for locks. */
export const exhaustedPool = ({
  service,
  findings,
  effect,
  byLocks,
}: Found & { byLocks: boolean }): Hypothesis => ({
  cause: byLocks ? 'DATABASE_CONNECTION_POOL_EXHAUSTED_BY_LOCK_WAITS' : 'DATABASE_CONNECTION_POOL_EXHAUSTED',
  object: `Service/${service}`,
  service,
  rank: 'CAUSE',
  headline: `The database connection pool of ${service} is exhausted`,
  mechanism: `The connection pool of ${service} is exhausted: its connections are in use${byLocks ? ', many of them by statements that wait for locks' : ''}, so that ${effect}.`,
  findings,
  actions: [
    `Look at what the database sessions of ${service} are doing: long statements, lock waits, or transactions that were left open.`,
    `End the sessions that hold connections without working, or restart ${service} to drop its pool.`,
  ],
  recommendations: [
    'Put a time limit on statements and on waiting for locks, and alert on requests that wait for a pool connection.',
    'Check that every code path releases its connection, also when it fails.',
  ],
  lookup: 'database connection pool exhausted timeouts acquiring a connection',
});
