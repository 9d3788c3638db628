import { createInbox, type NatsConnection } from '@nats-io/transport-node';

/**
 * Answers and deliveries of one service arrive below its own prefix, so that no other user may listen in. A plain
 * NATS client that uses a restricted user sets this as its `inboxPrefix`.
 */
export const inboxPrefixOf = (service: string): string => `_INBOX.${service}`;

// The client keeps its prefix to itself; subscriptions of our own need it as well.
const prefixes = new WeakMap<NatsConnection, string>();

export const rememberInboxPrefix = (nc: NatsConnection, prefix: string): NatsConnection => {
  prefixes.set(nc, prefix);
  return nc;
};

export const newInbox = (nc: NatsConnection): string => createInbox(prefixes.get(nc));
