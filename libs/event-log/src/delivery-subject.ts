/** What the broker says about a delivery, in the reply subject of the delivered message. */
export type DeliveryInfo = {
  stream: string;
  consumer: string;
  /** 1 for the first delivery of this message by this consumer. */
  deliveryCount: number;
  streamSeq: number;
  consumerSeq: number;
  storedAtMs: number;
  /** Messages that the consumer has beyond this one. */
  pending: number;
};

/**
 * `$JS.ACK.<stream>.<consumer>.<delivered>.<stream seq>.<consumer seq>.<ns>.<pending>`, or the longer form with domain
 * and account hash before the stream. `undefined`: not a delivery.
 */
export const parseDelivery = (reply: string | undefined): DeliveryInfo | undefined => {
  if (!reply?.startsWith('$JS.ACK.')) return undefined;
  const tokens = reply.split('.');
  const t = tokens.slice(tokens.length >= 11 ? 4 : 2);
  const [stream, consumer, deliveryCount, streamSeq, consumerSeq, ns, pending] = t;
  if (!stream || !consumer || !ns) return undefined;
  return {
    stream,
    consumer,
    deliveryCount: Number(deliveryCount),
    streamSeq: Number(streamSeq),
    consumerSeq: Number(consumerSeq),
    // Nanoseconds exceed the safe integers: the last six digits are dropped as text.
    storedAtMs: Number(ns.slice(0, -6)),
    pending: Number(pending),
  };
};
