import type { NatsConnection } from '@nats-io/transport-node';

const listeners = new WeakMap<NatsConnection, Set<() => void>>();

/**
 * Calls back whenever the connection was lost and is there again; returns the release. One status iterator per
 * connection, however many listen: what was on its way is lost, and everybody who waits for it wants to know.
 */
export const onReconnect = (nc: NatsConnection, listener: () => void): (() => void) => {
  let known = listeners.get(nc);
  if (!known) {
    known = new Set();
    listeners.set(nc, known);
    void follow(nc, known);
  }
  const set = known.add(listener);
  return () => set.delete(listener);
};

const follow = async (nc: NatsConnection, set: Set<() => void>): Promise<void> => {
  for await (const { type } of nc.status()) {
    if (type === 'reconnect') for (const listener of [...set]) listener();
  }
};
