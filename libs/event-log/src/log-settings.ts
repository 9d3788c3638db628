import {
  BLOB_BUCKET,
  CONTROL_STREAM,
  DLQ_STREAM,
  ENTRY_STREAM,
  PARTITIONS_DEFAULT,
  SERVICES_STREAM,
  TIMERS_STREAM,
  streamOf,
} from '@inquest/contracts/subjects';
import { isTimer, placesOf, WORK_CONSUMERS, type ConsumerPlace, type WorkConsumer } from './consumers';
import { nanos } from './js-api';
import { BLOB_STREAM } from './streams';

/** What a stream and a consumer are set to. One table for the provisioner, the watchdog and the documentation. */

const MIB = 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

export const LOG_AGE_MAX_MS = 7 * DAY_MS;
/** Blobs outlive the facts that name them. */
export const BLOB_AGE_MAX_MS = 8 * DAY_MS;
export const MESSAGE_BYTES_LIMIT = MIB;
export const ACK_WAIT_MS = 30_000;

export type LogSettings = {
  partitions: number;
  replicas: number;
  /** Per partition; above 80 % of it admission refuses new runs. */
  partitionBytesMax: number;
  blobBytesMax: number;
  /** Shorter in tests only: how long a delivered message may stay unanswered before it is delivered again. */
  ackWaitMs: number;
};

export const LOG_SETTINGS_DEFAULT: LogSettings = {
  partitions: PARTITIONS_DEFAULT,
  replicas: 1,
  partitionBytesMax: 512 * MIB,
  blobBytesMax: 1024 * MIB,
  ackWaitMs: ACK_WAIT_MS,
};

export type StreamConfig = { name: string } & Record<string, unknown>;

const stream = (
  name: string,
  subjects: string[],
  bytesMax: number,
  ageMaxMs: number,
  replicas: number,
  more: Record<string, unknown> = {},
): StreamConfig => ({
  name,
  subjects,
  storage: 'file',
  retention: 'limits',
  discard: 'new',
  max_bytes: bytesMax,
  max_age: nanos(ageMaxMs),
  max_msg_size: MESSAGE_BYTES_LIMIT,
  num_replicas: replicas,
  allow_direct: true,
  deny_delete: true,
  ...more,
});

export const streamConfigs = ({
  partitions,
  replicas,
  partitionBytesMax,
  blobBytesMax,
}: LogSettings): StreamConfig[] => [
  ...Array.from({ length: partitions }, (_, p) =>
    stream(streamOf(p), [`diag.${p}.>`], partitionBytesMax, LOG_AGE_MAX_MS, replicas),
  ),
  stream(ENTRY_STREAM, ['entry.>'], 128 * MIB, LOG_AGE_MAX_MS, replicas),
  // An announcement is worth its newest word only, and a service that says nothing for 30 s is gone.
  stream(SERVICES_STREAM, ['svc.>'], 16 * MIB, 30_000, replicas, { discard: 'old', max_msgs_per_subject: 1 }),
  // A wake-up that was acknowledged has no further use; a run of the same id may then be woken again.
  stream(TIMERS_STREAM, ['tmr.>'], 128 * MIB, LOG_AGE_MAX_MS, replicas, { retention: 'workqueue' }),
  stream(DLQ_STREAM, ['dlq.>'], 256 * MIB, 4 * LOG_AGE_MAX_MS, replicas, { discard: 'old' }),
  // Kept for ever, and so with a bounded history each: nothing may fill it up before the next cut-over.
  stream(CONTROL_STREAM, ['ctl.>'], 16 * MIB, 0, replicas, { max_msgs_per_subject: 64 }),
  // As @nats-io/obj makes it, beside the age and size limits; roll-up replaces an object's metadata.
  stream(
    BLOB_STREAM,
    [`$O.${BLOB_BUCKET}.C.>`, `$O.${BLOB_BUCKET}.M.>`],
    blobBytesMax,
    BLOB_AGE_MAX_MS,
    replicas,
    {
      allow_rollup_hdrs: true,
      deny_delete: false,
    },
  ),
];

export type ConsumerConfig = Record<string, unknown>;

/** `fromSeq` is set by the watchdog alone, which replaces a consumer that stands still. */
export const consumerConfig = (
  place: ConsumerPlace,
  ackWaitMs: number,
  fromSeq?: number,
): ConsumerConfig => ({
  name: place.consumer,
  durable_name: place.consumer,
  filter_subject: place.filter,
  ack_policy: 'explicit',
  ack_wait: nanos(ackWaitMs),
  max_deliver: -1,
  max_ack_pending: isTimer(place.consumer) ? 100_000 : 20_000,
  replay_policy: 'instant',
  // A work queue takes consumers from its start only: what was acknowledged is no longer in it.
  ...(fromSeq === undefined || isTimer(place.consumer)
    ? { deliver_policy: 'all' }
    : { deliver_policy: 'by_start_sequence', opt_start_seq: fromSeq }),
});

export const consumerPlaces = (
  partitions: number,
  consumers: readonly WorkConsumer[] = WORK_CONSUMERS,
): ConsumerPlace[] => consumers.flatMap((consumer) => placesOf(consumer, partitions));
