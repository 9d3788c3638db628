import type { Json } from '@inquest/contracts/canonical-json';
import type { Ask, Database } from './database';
import { lockRoots } from './lock-tree';
import { postgresTool } from './postgres-tool';
import { sessionsOf, type Session } from './sessions';

const ROOTS_SHOWN = 10;
const WAITERS_SHOWN = 10;

type LockRow = { pid: number; mode: string; relation: string | null; locktype: string; granted: boolean };

const locksOf = (ask: Ask): Promise<LockRow[]> =>
  ask<LockRow>(
    `select l.pid, l.mode, l.locktype, l.granted, c.relname as relation
       from pg_locks l left join pg_class c on c.oid = l.relation
      where l.pid <> pg_backend_pid()
        and (not l.granted or (l.locktype = 'relation' and l.mode in
            ('RowExclusiveLock', 'ShareUpdateExclusiveLock', 'ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')))
      limit 1000`,
  );

const rowOf = (
  root: Session,
  waiters: readonly Session[],
  total: number,
  locks: readonly LockRow[],
): Json => ({
  blocker: {
    pid: root.pid,
    user: root.user,
    application: root.application,
    state: root.state,
    transactionSeconds: root.transactionSeconds,
    stateSeconds: root.stateSeconds,
    query: root.query,
    holds: locks
      .filter(({ pid, granted }) => pid === root.pid && granted)
      .slice(0, 10)
      .map(({ mode, relation }) => `${mode} on ${relation ?? 'unknown'}`),
  },
  waiters: total,
  waiting: waiters.map((session) => {
    const wanted = locks.find(({ pid, granted }) => pid === session.pid && !granted);
    return {
      pid: session.pid,
      application: session.application,
      waitsSeconds: session.stateSeconds,
      wants: wanted ? `${wanted.mode} of ${wanted.relation ?? wanted.locktype}` : null,
      blockedBy: session.blockedBy,
      query: session.query,
    };
  }),
});

export const postgresLocks = (databases: ReadonlyMap<string, Database>) =>
  postgresTool(
    databases,
    {
      name: 'postgres_locks',
      description:
        'Shows who holds everybody up: one row for each session that others wait for and that waits for nobody, with its state, the age of its ' +
        'transaction, what it holds, and who waits behind it. A blocker that is idle in transaction has stopped working and still holds its locks.',
      parameters: {},
    },
    async (ask) => {
      const [{ sessions, hidden }, locks] = [await sessionsOf(ask), await locksOf(ask)];
      const byPid = new Map(sessions.map((session) => [session.pid, session]));
      const roots = lockRoots(sessions);
      const rows = roots.slice(0, ROOTS_SHOWN).flatMap(({ pid, waiters }) => {
        const root = byPid.get(pid);
        if (root === undefined) return [];
        const shown = waiters.slice(0, WAITERS_SHOWN).flatMap((waiter) => byPid.get(waiter) ?? []);
        return [rowOf(root, shown, waiters.length, locks)];
      });
      return {
        rows,
        matched: roots.length,
        summary: { waitingSessions: sessions.filter(({ blockedBy }) => blockedBy.length > 0).length },
        permissionFiltered: hidden,
        untrusted: [
          '/rows/*/blocker/query',
          '/rows/*/blocker/application',
          '/rows/*/waiting/*/query',
          '/rows/*/waiting/*/application',
        ],
      };
    },
  );
