import type { Json } from '@inquest/contracts/canonical-json';
import type { Database } from './database';
import { postgresTool, round } from './postgres-tool';

type Standby = {
  application_name: string;
  client: string | null;
  state: string | null;
  sync_state: string | null;
  lag_seconds: number | null;
  bytes: string | null;
};
type Slot = {
  slot_name: string;
  slot_type: string;
  active: boolean;
  wal_status: string | null;
  bytes: string | null;
};

export const postgresReplication = (databases: ReadonlyMap<string, Database>) =>
  postgresTool(
    databases,
    {
      name: 'postgres_replication',
      description:
        'Shows replication: whether this server is a primary or a standby and how far it is behind, each standby with its lag in seconds and ' +
        'bytes, and each slot with the log that it holds back (an inactive slot fills the disk).',
      parameters: {},
    },
    async (ask) => {
      const [own] = await ask<{ standby: boolean; replay_seconds: number | null }>(
        `select pg_is_in_recovery() as standby,
                extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())::float8 as replay_seconds`,
      );
      const here = own?.standby ? 'pg_last_wal_replay_lsn()' : 'pg_current_wal_lsn()';
      const standbys = await ask<Standby>(
        `select application_name, client_addr::text as client, state, sync_state,
                extract(epoch from replay_lag)::float8 as lag_seconds, pg_wal_lsn_diff(${here}, replay_lsn) as bytes
           from pg_stat_replication order by replay_lag desc nulls last limit 50`,
      );
      const slots = await ask<Slot>(
        `select slot_name, slot_type, active, wal_status, pg_wal_lsn_diff(${here}, restart_lsn) as bytes
           from pg_replication_slots order by bytes desc nulls last limit 50`,
      );
      const rows: Json[] = [
        {
          kind: 'server',
          role: own?.standby ? 'standby' : 'primary',
          behindSeconds: own?.standby ? round(own.replay_seconds) : null,
        },
        ...standbys.map((row) => ({
          kind: 'standby',
          application: row.application_name,
          client: row.client,
          state: row.state,
          sync: row.sync_state,
          lagSeconds: round(row.lag_seconds),
          lagBytes: round(row.bytes),
        })),
        ...slots.map((row) => ({
          kind: 'slot',
          name: row.slot_name,
          type: row.slot_type,
          active: row.active,
          walStatus: row.wal_status,
          heldBytes: round(row.bytes),
        })),
      ];
      return {
        rows,
        summary: {
          standbys: standbys.length,
          slots: slots.length,
          inactiveSlots: slots.filter((s) => !s.active).length,
        },
        permissionFiltered: standbys.some(({ state }) => state === null),
        untrusted: ['/rows/*/application'],
      };
    },
  );
