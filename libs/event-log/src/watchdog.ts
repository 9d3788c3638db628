import type { NatsConnection } from '@nats-io/transport-node';
import type { ConsumerPlace } from './consumers';
import { askApi, isRefusal, ErrCode, type ConsumerInfo } from './js-api';
import { consumerConfig } from './log-settings';
import { createConsumer, readConsumer } from './provisioner';

/** One look at a consumer. */
export type Sight = {
  pending: number;
  waiting: number;
  deliveredSeq: number;
  /** All messages up to this stream sequence are acknowledged. */
  floorSeq: number;
  full: boolean;
  created: string;
};

export const sightOf = (info: ConsumerInfo): Sight => ({
  pending: info.num_pending,
  waiting: info.num_waiting,
  deliveredSeq: info.delivered.consumer_seq,
  floorSeq: info.ack_floor.stream_seq,
  full: info.num_ack_pending >= Number(info.config['max_ack_pending'] ?? Infinity),
  created: info.created,
});

export type WatchVerdict = 'fine' | 'pull-again' | 'recreate';

/**
 * Compares two looks, one interval apart. A consumer that has messages and waiting pulls, is not full, and delivered
 * nothing in between stands still: seen on 2.9 after unclean restarts. Pulls that the broker does not know of are asked again.
 */
export const judgeConsumer = (before: Sight | undefined, now: Sight, outstanding: number): WatchVerdict => {
  // Twice in a row: a pull may just have been answered.
  if (outstanding > 0 && now.waiting === 0 && before?.waiting === 0) return 'pull-again';
  const same =
    before?.created === now.created && before.deliveredSeq === now.deliveredSeq && before.pending > 0;
  return same && now.pending > 0 && now.waiting > 0 && !now.full ? 'recreate' : 'fine';
};

/**
 * Replaces the consumer from its last floor on: what was in flight is delivered again, which every handler bears.
 * `seen` guards against undoing the replacement that another process has just made.
 */
export const recreateConsumer = async (
  nc: NatsConnection,
  place: ConsumerPlace,
  seen: Sight | undefined,
  ackWaitMs: number,
): Promise<boolean> => {
  const current = await readConsumer(nc, place);
  if (current && seen && current.created !== seen.created) return false;
  if (current) {
    try {
      await askApi(nc, `CONSUMER.DELETE.${place.stream}.${place.consumer}`);
    } catch (error) {
      if (!isRefusal(error, ErrCode.consumerNotFound)) throw error;
    }
  }
  const floor = current ? current.ack_floor.stream_seq : seen?.floorSeq;
  const wait = current ? Number(current.config['ack_wait']) / 1e6 : ackWaitMs;
  await createConsumer(nc, place, consumerConfig(place, wait, floor === undefined ? undefined : floor + 1));
  return true;
};
