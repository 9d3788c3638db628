import type { z } from 'zod';
import { SourceFailure } from '../incident-source';
import type { ConnectionCheck, Surroundings, Toolset } from '../sources/toolset';
import { postgresActivity } from './activity.tool';
import type { PostgresConfigs } from './config';
import { Database } from './database';
import { postgresLocks } from './locks.tool';
import { POSTGRES } from './postgres-tool';
import { postgresReplication } from './replication.tool';
import { postgresSizes } from './sizes.tool';
import { postgresSlowStatements } from './slow-statements.tool';

const READ_ONLY_ROLE =
  'create a role that can only read: create role inquest login; grant pg_monitor to inquest';

type Rights = { version: string; super: boolean; sees: boolean; writes: boolean };
const RIGHTS = `
  select current_setting('server_version') as version,
         r.rolsuper or r.rolcreaterole or r.rolcreatedb as super,
         pg_has_role(r.oid, 'pg_read_all_stats', 'member') as sees,
         has_database_privilege(current_database(), 'CREATE') or exists (
           select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind in ('r', 'p') and n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema'
              and has_schema_privilege(n.oid, 'USAGE')
              and has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')) as writes
    from pg_roles r where r.rolname = current_user`;

/** A role that could write is refused here, although every session of ours is read-only: a second lock costs nothing. */
const judged = ({ version, super: isSuper, sees, writes }: Rights): ConnectionCheck => {
  if (isSuper)
    return { ok: false, detail: `${version}, as a role with administrative rights`, remedy: READ_ONLY_ROLE };
  if (writes) return { ok: false, detail: `${version}, as a role that can write`, remedy: READ_ONLY_ROLE };
  return sees
    ? { ok: true, detail: `${version}, as a role that can only read`, remedy: null }
    : {
        ok: false,
        detail: `${version}, as a role that cannot see the sessions of others`,
        remedy: 'grant pg_monitor to the role',
      };
};

const checkOf = async (database: Database, signal: AbortSignal): Promise<ConnectionCheck> => {
  try {
    const [rights] = await database.read(signal, (ask) => ask<Rights>(RIGHTS));
    return rights ? judged(rights) : { ok: false, detail: 'the role is not listed', remedy: READ_ONLY_ROLE };
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    const remedy =
      error.errorClass === 'ACCESS_DENIED' ? 'check user and password' : 'check host, port, database and tls';
    return { ok: false, detail: error.message, remedy };
  }
};

/** Diagnostics of the databases of one source. One toolset a database for its check; the tools serve them all. */
export const openPostgres = (
  configs: z.infer<typeof PostgresConfigs>,
  { env }: Pick<Surroundings, 'env'>,
): Toolset[] => {
  const databases = new Map(
    Object.entries(configs).map(([name, config]) => [name, new Database(name, config, env)]),
  );
  const tools = [
    postgresActivity(databases),
    postgresLocks(databases),
    postgresSlowStatements(databases),
    postgresReplication(databases),
    postgresSizes(databases),
  ];
  return [...databases.values()].map((database, index) => ({
    name: `${POSTGRES}.${database.name}`,
    tools: () => Promise.resolve(index === 0 ? tools : []),
    check: (signal) => checkOf(database, signal),
    close: () => Promise.resolve(),
  }));
};
