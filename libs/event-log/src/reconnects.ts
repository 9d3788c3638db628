import type { NatsConnection } from '@nats-io/transport-node';

type Line = { up: boolean; listeners: Set<() => void> };
const lines = new WeakMap<NatsConnection, Line>();

/** One status iterator per connection, however many want to know. */
const lineOf = (nc: NatsConnection): Line => {
  const known = lines.get(nc);
  if (known) return known;
  const line: Line = { up: true, listeners: new Set() };
  lines.set(nc, line);
  void follow(nc, line);
  return line;
};

const follow = async (nc: NatsConnection, line: Line): Promise<void> => {
  for await (const { type } of nc.status()) {
    if (type === 'disconnect') line.up = false;
    if (type !== 'reconnect') continue;
    line.up = true;
    for (const listener of [...line.listeners]) listener();
  }
};

/** Calls back whenever the connection was lost and is there again, so that what was on its way is lost; returns the release. */
export const onReconnect = (nc: NatsConnection, listener: () => void): (() => void) => {
  const { listeners } = lineOf(nc);
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** Whether the broker can be reached now; known from the first call on. */
export const isConnected = (nc: NatsConnection): boolean => !nc.isClosed() && lineOf(nc).up;
