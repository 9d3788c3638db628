import type { LogSettings } from '@inquest/event-log/log-settings';
import type { StackConfig } from './config';
import { startNats } from './nats';
import { natsAccess, type NatsUser } from './nats-access';
import { findNatsServer } from './nats-binary';
import { startPostgres } from './postgres';
import { provisionLog } from './provision-log';
import type { ProcessNote, SupervisedProcess } from './supervised-process';

/** Ports of the last start: the next one asks for the same. */
export type Ports = { nats?: number; postgres?: number; gateway?: number; analyst?: number };

/** Broker and database, embedded or given; `processes` holds the embedded ones. */
export type Backends = {
  natsUrlFor: (user: NatsUser) => string;
  databaseUrl: string;
  databaseReaderUrl: string;
  processes: SupervisedProcess[];
  ports: Ports;
};

type Broker = Pick<Backends, 'natsUrlFor' | 'processes'> & { port: number | undefined };
type Database = Pick<Backends, 'databaseUrl' | 'databaseReaderUrl' | 'processes'> & {
  port: number | undefined;
};

const openBroker = async (
  config: StackConfig,
  port: number | undefined,
  publishers: readonly string[],
  note: ProcessNote,
): Promise<Broker> => {
  const { natsUrl, dataDir } = config;
  if (natsUrl !== undefined) return { port, processes: [], natsUrlFor: () => natsUrl };
  const access = natsAccess(dataDir, publishers);
  const binary = await findNatsServer({ configured: config.natsServerBin, path: config.path, note });
  const nats = await startNats({ dataDir, port, binary, configText: access.configText, note });
  return { port: nats.port, processes: [nats.process], natsUrlFor: (user) => access.urlFor(user, nats.port) };
};

const stopEach = async (processes: readonly SupervisedProcess[]): Promise<void> => {
  await Promise.all(processes.map((process) => process.stop()));
};

const startBroker = async (
  config: StackConfig,
  port: number | undefined,
  publishers: readonly string[],
  note: ProcessNote,
  settings: Partial<LogSettings>,
): Promise<Broker> => {
  const broker = await openBroker(config, port, publishers, note);
  try {
    await provisionLog(broker.natsUrlFor('operator'), settings);
    return broker;
  } catch (error) {
    await stopEach(broker.processes);
    throw error;
  }
};

const startDatabase = async (
  config: StackConfig,
  port: number | undefined,
  note: ProcessNote,
): Promise<Database> => {
  const { databaseUrl, databaseReaderUrl = databaseUrl, dataDir } = config;
  if (databaseUrl !== undefined && databaseReaderUrl !== undefined) {
    return { port, processes: [], databaseUrl, databaseReaderUrl };
  }
  const postgres = await startPostgres({ dataDir, port, note });
  return {
    port: postgres.port,
    processes: [postgres.process],
    databaseUrl: postgres.url,
    databaseReaderUrl: postgres.readerUrl,
  };
};

/** Starts broker (with its streams and consumers) and database side by side; when one fails, the other is stopped again. */
export const startBackends = async (
  config: StackConfig,
  kept: Ports,
  publishers: readonly string[],
  note: ProcessNote,
  settings: Partial<LogSettings> = {},
): Promise<Backends> => {
  const outcomes = await Promise.allSettled([
    startBroker(config, kept.nats, publishers, note, settings),
    startDatabase(config, kept.postgres, note),
  ]);
  const [broker, database] = outcomes;
  if (broker.status === 'fulfilled' && database.status === 'fulfilled') {
    const { natsUrlFor } = broker.value;
    const { databaseUrl, databaseReaderUrl } = database.value;
    return {
      natsUrlFor,
      databaseUrl,
      databaseReaderUrl,
      processes: [...broker.value.processes, ...database.value.processes],
      ports: { ...kept, nats: broker.value.port, postgres: database.value.port },
    };
  }
  await stopEach(outcomes.flatMap((each) => (each.status === 'fulfilled' ? each.value.processes : [])));
  throw (outcomes.find((each) => each.status === 'rejected') as PromiseRejectedResult).reason;
};
