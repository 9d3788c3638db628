import { signatureRule } from './signature';

/** Transactions that wait for each other. */
export const databaseLocks = signatureRule(
  {
    cause: 'DATABASE_DEADLOCKS',
    log: /deadlock (?:detected|found)/i,
    headline: (service) => `Transactions of ${service} deadlock in the database`,
    mechanism: (service) =>
      `Transactions take the same rows in different order and end in a deadlock; the database aborts them, and requests of ${service} fail with them.`,
    actions: () => [
      'Read the statements that the deadlock messages name, and find the order in which each takes its locks.',
      'Retry aborted transactions, with a pause that grows, until the order is mended.',
    ],
    recommendations: ['Lock rows in one order throughout, for instance by primary key.'],
    lookup: 'database deadlock detected transactions',
  },
  {
    cause: 'DATABASE_LOCK_CONTENTION',
    log: /lock wait timeout exceeded|canceling statement due to lock timeout|still waiting for \w+lock|could not obtain lock/i,
    headline: (service) => `Statements of ${service} wait for database locks`,
    mechanism: (service) =>
      `A transaction holds locks that statements of ${service} wait for, until they run into a time-out.`,
    actions: () => [
      'Find the session that blocks the others (pg_blocking_pids on Postgres) and end it if it is idle.',
      'Look for a migration, a backup or a long transaction that began when the waiting began.',
    ],
    recommendations: [
      'Set lock_timeout for migrations and idle_in_transaction_session_timeout for sessions.',
    ],
    lookup: 'database lock contention blocked sessions lock timeout',
  },
);
