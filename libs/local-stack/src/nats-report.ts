import { readPartitionStates, admissionOf, type StreamState } from '@inquest/event-log/stream-state';
import { askApi } from '@inquest/event-log/js-api';
import { readLogRecord } from '@inquest/event-log/log-record';
import { asOperator } from './provision-log';

type AccountInfo = {
  memory: number;
  storage: number;
  streams: number;
  consumers: number;
  limits: { max_memory: number; max_storage: number; max_streams: number; max_consumers: number };
};

/** What a NATS server is, what it allows (-1: no limit), and how full the log is. */
export type NatsReport = {
  version: string;
  server: string;
  maxPayloadBytes: number;
  jetStream: {
    storageBytes: number;
    storageBytesMax: number;
    memoryBytes: number;
    streams: number;
    streamsMax: number;
    consumers: number;
    consumersMax: number;
  };
  partitions: StreamState[];
  /** Whether new runs are admitted; why not otherwise. */
  admission: ReturnType<typeof admissionOf>;
};

/** Asks the server as the operator. */
export const natsReport = (operatorUrl: string): Promise<NatsReport> =>
  asOperator(operatorUrl, async (nc) => {
    const [account, { partitions: count }] = await Promise.all([
      askApi<AccountInfo>(nc, 'INFO'),
      readLogRecord(nc, 2_000),
    ]);
    const partitions = await readPartitionStates(nc, count);
    return {
      version: nc.info?.version ?? 'unknown',
      server: nc.getServer(),
      maxPayloadBytes: nc.info?.max_payload ?? 0,
      jetStream: {
        storageBytes: account.storage,
        storageBytesMax: account.limits.max_storage,
        memoryBytes: account.memory,
        streams: account.streams,
        streamsMax: account.limits.max_streams,
        consumers: account.consumers,
        consumersMax: account.limits.max_consumers,
      },
      partitions,
      admission: admissionOf(partitions),
    };
  });
