import type { NatsConnection } from '@nats-io/transport-node';
import { streamOf } from '@inquest/contracts/subjects';
import { EventLogUnavailable } from './event-log';
import { askApi } from './js-api';

export type StreamState = {
  /** ISO instant of creation: tells a stream from a later one of the same name, whose sequences mean other messages. */
  incarnation: string;
  firstSeq: number;
  lastSeq: number;
  messages: number;
  subjects: number;
  bytes: number;
  bytesMax: number;
};

type Info = {
  created: string;
  config: { max_bytes: number };
  state: { first_seq: number; last_seq: number; messages: number; num_subjects?: number; bytes: number };
};

export const readStreamState = async (nc: NatsConnection, stream: string): Promise<StreamState> => {
  try {
    const { created, config, state } = await askApi<Info>(nc, `STREAM.INFO.${stream}`);
    return {
      incarnation: created,
      firstSeq: state.first_seq,
      lastSeq: state.last_seq,
      messages: state.messages,
      subjects: state.num_subjects ?? 0,
      bytes: state.bytes,
      bytesMax: config.max_bytes,
    };
  } catch (error) {
    throw new EventLogUnavailable('reading a stream’s state', error);
  }
};

/** A fact costs the server about 250 bytes of memory, so subjects are bounded as bytes are. */
export const SUBJECTS_MAX = 750_000;
export const BYTES_SHARE_MAX = 0.8;

export type Admission = { open: true } | { open: false; why: 'subjects' | 'bytes' };

/** New runs are refused while there is still room for those that are open to end. */
export const admissionOf = (partitions: readonly StreamState[]): Admission => {
  const subjects = partitions.reduce((sum, state) => sum + state.subjects, 0);
  if (subjects >= SUBJECTS_MAX) return { open: false, why: 'subjects' };
  const full = partitions.some(({ bytes, bytesMax }) => bytesMax > 0 && bytes >= BYTES_SHARE_MAX * bytesMax);
  return full ? { open: false, why: 'bytes' } : { open: true };
};

export const readPartitionStates = (nc: NatsConnection, partitions: number): Promise<StreamState[]> =>
  Promise.all(Array.from({ length: partitions }, (_, p) => readStreamState(nc, streamOf(p))));
