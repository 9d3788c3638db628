import type { NatsConnection } from '@nats-io/transport-node';
import { startNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import { eventLogFeatures, type LogAdapter, type Taken } from './conformance/event-log.features';
import { connectNats } from './connection';
import { placesOf, type WorkConsumer } from './consumers';
import { dataOf, envelopeOf } from './message-headers';
import { NatsEventLog } from './nats-event-log';
import { provision } from './provisioner';
import { PullQueue } from './pull-queue';

const ACK_WAIT_MS = 400;

const natsAdapter = async (): Promise<LogAdapter> => {
  const nats = await startNats();
  const [first, second] = await Promise.all([
    connectNats({ url: nats.url, service: 'one' }),
    connectNats({ url: nats.url, service: 'two' }),
  ]);
  await provision(first, { ackWaitMs: ACK_WAIT_MS });
  return {
    log: await NatsEventLog.open(first),
    rival: await NatsEventLog.open(second),
    ackWaitMs: ACK_WAIT_MS,
    take: (consumer, waitMs) => takeOne(first, consumer, waitMs),
    restart: async () => {
      await nats.restart();
      const reachable = (nc: NatsConnection) =>
        nc.flush().then(
          () => true,
          () => undefined,
        );
      await waitFor('both to reconnect', async () => (await reachable(first)) && (await reachable(second)));
    },
    close: async () => {
      await Promise.all([first.close(), second.close()]);
      await nats.stop();
    },
  };
};

const takeOne = async (
  nc: NatsConnection,
  consumer: WorkConsumer,
  waitMs: number,
): Promise<Taken | undefined> => {
  let take: (taken: Taken | undefined) => void = () => undefined;
  const taken = new Promise<Taken | undefined>((resolve) => (take = resolve));
  const queues = placesOf(consumer, 4).map(
    ({ stream }) =>
      new PullQueue(nc, stream, consumer, {
        onFreed: () => undefined,
        onMissing: () => undefined,
        onMessage: ({ subject, headers, data, reply = '' }, { streamSeq: seq, storedAtMs, deliveryCount }) =>
          take({
            message: {
              subject,
              seq,
              storedAtMs,
              envelope: envelopeOf(subject, headers),
              data: dataOf(subject, data),
            },
            deliveryCount,
            ack: async () => void (await nc.request(reply, '+ACK')),
            nak: async () => void (await nc.request(reply, '-NAK')),
          }),
      }),
  );
  queues.forEach((queue) => queue.pull(1, waitMs));
  const timer = setTimeout(() => take(undefined), waitMs);
  const result = await taken;
  clearTimeout(timer);
  await Promise.all(queues.map((queue) => queue.drain()));
  return result;
};

describe('The log on nats-server', () => eventLogFeatures(natsAdapter));
