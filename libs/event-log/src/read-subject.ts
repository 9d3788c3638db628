import { nuid, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { parseDelivery } from './delivery-subject';
import { newInbox } from './inbox';
import { askApi, nanos } from './js-api';

export type Delivered = { seq: number; storedAtMs: number; msg: Msg };

const WAIT_MS = 2_000;

export type SubjectRange = {
  stream: string;
  /** Exact, no wildcards. */
  subject: string;
  fromSeq: number;
  lastSeq: number;
};

/**
 * The messages of one exact subject in a range, through a short-lived push consumer: one round trip for any
 * number of messages, where a walk by direct gets pays one each (20 messages: 1.2 ms against 7.6 ms on 2.9.10).
 * The caller knows the end from elsewhere; `undefined`: it did not come within the wait. The consumer removes itself
 * soon after its inbox has gone.
 */
export const readSubject = async (nc: NatsConnection, at: SubjectRange): Promise<Delivered[] | undefined> => {
  const inbox = newInbox(nc);
  const name = `chain-${nuid.next()}`;
  const found: Delivered[] = [];
  let finish: (complete: boolean) => void = () => undefined;
  const finished = new Promise<boolean>((resolve) => (finish = resolve));
  const timer = setTimeout(() => finish(false), WAIT_MS);
  const sub = nc.subscribe(inbox, {
    callback: (error, msg) => {
      const delivery = error ? undefined : parseDelivery(msg.reply);
      if (!delivery || delivery.consumerSeq !== found.length + 1) return finish(false);
      found.push({ seq: delivery.streamSeq, storedAtMs: delivery.storedAtMs, msg });
      if (delivery.streamSeq >= at.lastSeq) finish(true);
    },
  });
  try {
    const created = askApi(nc, `CONSUMER.CREATE.${at.stream}.${name}.${at.subject}`, {
      stream_name: at.stream,
      config: {
        name,
        filter_subject: at.subject,
        deliver_subject: inbox,
        // From the beginning where possible: counting what lies after a start sequence costs 2.9 another millisecond.
        ...(at.fromSeq <= 1
          ? { deliver_policy: 'all' }
          : { deliver_policy: 'by_start_sequence', opt_start_seq: at.fromSeq }),
        ack_policy: 'none',
        max_deliver: 1,
        mem_storage: true,
        num_replicas: 1,
        inactive_threshold: nanos(200),
      },
    });
    const [complete] = await Promise.all([finished, created]);
    return complete ? found : undefined;
  } finally {
    clearTimeout(timer);
    sub.unsubscribe();
  }
};
