import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import type { Database } from './database';
import { postgresTool } from './postgres-tool';
import { sessionsOf } from './sessions';

const ROWS_SHOWN = 40;

const countsOf = (values: readonly (string | null)[]): Record<string, number> => {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value ?? 'none', (counts.get(value ?? 'none') ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]).slice(0, 20));
};

export const postgresActivity = (databases: ReadonlyMap<string, Database>) =>
  postgresTool(
    databases,
    {
      name: 'postgres_activity',
      description:
        'Shows the sessions of a Postgres server, longest transaction first: state, how long, what they wait for, who blocks them, ' +
        'statement without values; and over all of them counts by state, application and wait, and how many of the connections are used. ' +
        'Look for "idle in transaction", for many waits of one kind, and for connections near their limit.',
      parameters: {
        state: z
          .enum(['active', 'idle', 'idle in transaction', 'idle in transaction (aborted)'])
          .describe('Only sessions of this state.')
          .optional(),
      },
    },
    async (ask, { state }) => {
      const { sessions, hidden } = await sessionsOf(ask);
      const [limits] = await ask<{ max: string; used: string }>(
        `select current_setting('max_connections') as max,
                (select count(*) from pg_stat_activity where backend_type = 'client backend') as used`,
      );
      const found = sessions.filter((each) => state === undefined || each.state === state);
      return {
        rows: found.slice(0, ROWS_SHOWN) as unknown as Json[],
        matched: found.length,
        summary: {
          connectionsUsed: Number(limits?.used ?? 0),
          connectionsMax: Number(limits?.max ?? 0),
          byState: countsOf(sessions.map((each) => each.state)),
          byApplication: countsOf(sessions.map(({ application }) => application)),
          byWait: countsOf(
            sessions.filter((each) => each.state === 'active').map(({ waitsFor }) => waitsFor),
          ),
          blocked: sessions.filter(({ blockedBy }) => blockedBy.length > 0).length,
        },
        permissionFiltered: hidden,
        untrusted: ['/rows/*/query', '/rows/*/application', '/summary/byApplication'],
      };
    },
  );
