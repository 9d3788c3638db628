import { DataSource } from 'typeorm';
import { ReadModel1772000000000 } from './migrations/1772000000000-read-model';
import { Cases1772600000000 } from './migrations/1772600000000-cases';
import { LIVE } from './projection/rows';

/** The owner's connection. One attempt each (H9): whoever runs the projector decides about another. */
export const openDataSource = (url: string): Promise<DataSource> =>
  new DataSource({
    type: 'postgres',
    url,
    applicationName: 'run-projector',
    poolSize: 8,
    synchronize: false,
    logging: false,
    migrations: [ReadModel1772000000000, Cases1772600000000],
    migrationsTransactionMode: 'each',
    connectTimeoutMS: 5_000,
  }).initialize();

/** Key of the advisory lock that lets one process migrate at a time; any constant of our own does. */
const MIGRATION_LOCK = 0x1490e57;

/** Brings the schema up; several projectors may start at once. */
export const migrate = async (source: DataSource): Promise<void> => {
  const runner = source.createQueryRunner();
  try {
    await runner.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await source.runMigrations();
    await grantReading(source);
  } finally {
    await runner.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await runner.release();
  }
};

/** Gateway and orchestrator read through a role that can do nothing else; where it does not exist there is nothing to grant. */
const grantReading = async (source: DataSource): Promise<void> => {
  await source.query(`
    do $$ begin
      if exists (select from pg_roles where rolname = 'inquest_reader') then
        grant usage on schema public to inquest_reader;
        grant select on ${Object.values(LIVE).join(', ')} to inquest_reader;
      end if;
    end $$`);
};
