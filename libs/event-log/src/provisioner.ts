import type { NatsConnection } from '@nats-io/transport-node';
import { messageOf } from './message';
import type { ConsumerPlace } from './consumers';
import { ErrCode, askApi, isRefusal, type ConsumerInfo } from './js-api';
import { LOG_RECORD_TYPE, LogRecord } from './log-record';
import {
  LOG_SETTINGS_DEFAULT,
  consumerConfig,
  consumerPlaces,
  streamConfigs,
  type LogSettings,
  type StreamConfig,
} from './log-settings';
import { NatsEventLog } from './nats-event-log';
import { REPLICAS_SINCE, isAtLeast, serverVersion } from './server-version';
import { LOG_RECORD_SUBJECT } from './streams';
import { CONTROL_STREAM } from '@inquest/contracts/subjects';

/** The wished log cannot be had here; the message says what to change. */
export class ProvisioningRefused extends Error {
  constructor(why: string) {
    super(`the log was not provisioned: ${why}`);
    this.name = 'ProvisioningRefused';
  }
}

export type Provisioned = LogRecord & { created: boolean };

/**
 * Makes or completes streams, consumers and the payload bucket. Safe to repeat and to run twice at once. The partition
 * count places every run, so the recorded one is kept and a different wish is refused.
 */
export const provision = async (
  nc: NatsConnection,
  wish: Partial<LogSettings> = {},
): Promise<Provisioned> => {
  const settings = { ...LOG_SETTINGS_DEFAULT, ...wish };
  if (settings.replicas > 1 && !isAtLeast(serverVersion(nc), REPLICAS_SINCE)) {
    throw new ProvisioningRefused(
      `${settings.replicas} replicas need nats-server ${REPLICAS_SINCE} or later on every node, this one is ${serverVersion(nc)}`,
    );
  }
  const all = streamConfigs(settings);
  const control = all.filter(({ name }) => name === CONTROL_STREAM);
  await Promise.all(control.map((config) => ensureStream(nc, config)));
  const recorded = await recordLog(nc, settings, wish);
  const agreed = { ...settings, partitions: recorded.partitions, replicas: recorded.replicas };
  const others = streamConfigs(agreed).filter(({ name }) => name !== CONTROL_STREAM);
  await Promise.all(others.map((config) => ensureStream(nc, config)));
  await Promise.all(
    consumerPlaces(agreed.partitions).map((place) => ensureConsumer(nc, place, agreed.ackWaitMs)),
  );
  return recorded;
};

const recordLog = async (
  nc: NatsConnection,
  { partitions, replicas }: LogRecord,
  wish: Partial<LogSettings>,
): Promise<Provisioned> => {
  const log = new NatsEventLog(nc, { partitions, replicas });
  const subject = LOG_RECORD_SUBJECT;
  const frame = { subject, type: LOG_RECORD_TYPE, source: 'operator', time: new Date().toISOString() };
  const put = await log.putIfAbsent(subject, messageOf(frame, { partitions, replicas }));
  if (put.kind === 'WRITTEN') return { partitions, replicas, created: true };
  const recorded = LogRecord.parse((await log.readLast(subject, 'leader'))?.data);
  for (const key of ['partitions', 'replicas'] as const) {
    if (wish[key] !== undefined && wish[key] !== recorded[key]) {
      throw new ProvisioningRefused(
        `this log was created with ${recorded[key]} ${key} and cannot be changed to ${wish[key]}`,
      );
    }
  }
  return { ...recorded, created: false };
};

type StreamInfo = { config: StreamConfig };

const ensureStream = async (nc: NatsConnection, wanted: StreamConfig): Promise<void> => {
  const existing = await streamConfig(nc, wanted.name);
  if (!existing) {
    try {
      await askApi(nc, `STREAM.CREATE.${wanted.name}`, wanted);
      return;
    } catch (error) {
      // Another provisioner was faster.
      if (isRefusal(error, ErrCode.streamNameInUse)) return;
      throw error;
    }
  }
  const differs = Object.entries(wanted).some(
    ([key, value]) => JSON.stringify(existing[key]) !== JSON.stringify(value),
  );
  if (differs) await askApi(nc, `STREAM.UPDATE.${wanted.name}`, { ...existing, ...wanted });
};

const streamConfig = async (nc: NatsConnection, name: string): Promise<StreamConfig | undefined> => {
  try {
    return (await askApi<StreamInfo>(nc, `STREAM.INFO.${name}`)).config;
  } catch (error) {
    if (isRefusal(error, ErrCode.streamNotFound)) return undefined;
    throw error;
  }
};

const MUTABLE = ['ack_wait', 'max_deliver', 'max_ack_pending'] as const;

const ensureConsumer = async (nc: NatsConnection, place: ConsumerPlace, ackWaitMs: number): Promise<void> => {
  const wanted = consumerConfig(place, ackWaitMs);
  const existing = await readConsumer(nc, place);
  if (existing && MUTABLE.every((key) => existing.config[key] === wanted[key])) return;
  // Its start is kept: a consumer that the watchdog replaced starts later than at the beginning.
  const config = existing ? { ...existing.config, ...pick(wanted, MUTABLE) } : wanted;
  await createConsumer(nc, place, config);
};

const pick = (from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(keys.map((key) => [key, from[key]]));

export const createConsumer = (
  nc: NatsConnection,
  place: ConsumerPlace,
  config: unknown,
): Promise<ConsumerInfo> =>
  askApi<ConsumerInfo>(nc, `CONSUMER.CREATE.${place.stream}.${place.consumer}.${place.filter}`, {
    stream_name: place.stream,
    config,
  });

export const readConsumer = async (
  nc: NatsConnection,
  { stream, consumer }: Pick<ConsumerPlace, 'stream'> & { consumer: string },
): Promise<ConsumerInfo | undefined> => {
  try {
    return await askApi<ConsumerInfo>(nc, `CONSUMER.INFO.${stream}.${consumer}`);
  } catch (error) {
    if (isRefusal(error, ErrCode.consumerNotFound)) return undefined;
    throw error;
  }
};
