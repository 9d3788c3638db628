import { eventLogFeatures } from '@inquest/event-log/conformance/event-log.features';
import { InMemoryEventLog } from './in-memory-event-log';

const ACK_WAIT_MS = 50;

describe('The log in memory', () =>
  eventLogFeatures(async () => {
    const log = new InMemoryEventLog(4, ACK_WAIT_MS);
    return {
      log,
      rival: log,
      ackWaitMs: ACK_WAIT_MS,
      take: async (consumer, waitMs) => {
        for (const deadline = performance.now() + waitMs; performance.now() < deadline;) {
          const delivery = log.take(consumer);
          if (delivery)
            return { ...delivery, ack: async () => delivery.ack(), nak: async () => delivery.nak() };
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        return undefined;
      },
      close: async () => undefined,
    };
  }));
