import type { NatsConnection } from '@nats-io/transport-node';
import { CONTROL_STREAM } from '@inquest/contracts/subjects';
import { z } from 'zod';
import { EventLogUnavailable } from './event-log';
import { directGet } from './js-api';
import { dataOf } from './message-headers';
import { LOG_RECORD_SUBJECT } from './streams';

/** The durable fact that a log was provisioned: into how many partitions, in how many copies. */
export const LogRecord = z.object({
  partitions: z.number().int().min(1).max(64),
  replicas: z.number().int().min(1).max(5),
});
export type LogRecord = z.infer<typeof LogRecord>;
export const LOG_RECORD_TYPE = 'inquest.ctl.log-recorded.v1';

/** Reads the record, waiting up to `timeoutMs` for a provisioner that is still at work. */
export const readLogRecord = async (nc: NatsConnection, timeoutMs: number): Promise<LogRecord> => {
  const deadline = performance.now() + timeoutMs;
  for (let cause: unknown = 'the log has not been provisioned'; ;) {
    try {
      const raw = await directGet(nc, `${CONTROL_STREAM}.${LOG_RECORD_SUBJECT}`);
      if (raw) return LogRecord.parse(dataOf(LOG_RECORD_SUBJECT, raw.data));
    } catch (error) {
      cause = error;
    }
    if (performance.now() > deadline) throw new EventLogUnavailable('opening the log', cause);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
