import { connect, type NatsConnection } from '@nats-io/transport-node';
import { inboxPrefixOf, rememberInboxPrefix } from './inbox';

export type ConnectionOptions = {
  /** nats://user:password@host:port; several, separated by commas, for a cluster. */
  url: string;
  /** The NATS user, which is the service: it owns `_INBOX.<service>.>` and nothing else of the inboxes. */
  service: string;
  /** Shown in the server's connection list. */
  instance?: string;
  /** How long the first connection may take. */
  timeoutMs?: number;
};

/** Connects, and stays connected for ever after: a broker restart is a pause, not an error. */
export const connectNats = async (options: ConnectionOptions): Promise<NatsConnection> => {
  const urls = options.url.split(',').map((text) => new URL(text));
  const first = urls[0];
  if (!first) throw new Error('NATS_URL is empty');
  const deadline = performance.now() + (options.timeoutMs ?? 10_000);
  for (;;) {
    try {
      const nc = await connect({
        servers: urls.map((url) => url.host),
        user: first.username ? decodeURIComponent(first.username) : undefined,
        pass: first.username ? decodeURIComponent(first.password) : undefined,
        name: options.instance ? `${options.service}/${options.instance}` : options.service,
        inboxPrefix: inboxPrefixOf(options.service),
        maxReconnectAttempts: -1,
        reconnectTimeWait: 100,
        reconnectJitter: 50,
        // Two stack traces per request otherwise, an eighth of a busy process's time; our errors say what was asked.
        noAsyncTraces: true,
        pingInterval: 10_000,
        timeout: 5_000,
      });
      return rememberInboxPrefix(nc, inboxPrefixOf(options.service));
    } catch (error) {
      const refused = error instanceof Error && error.name === 'AuthorizationError';
      if (refused || performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};
