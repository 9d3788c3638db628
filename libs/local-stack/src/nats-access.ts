import { join } from 'node:path';
import { natsConfigText } from '@inquest/event-log/nats-config';
import { SERVICE_USERS, publisherUser, type ServiceUser } from '@inquest/event-log/permissions';
import { keptSecrets } from './secrets';

/** A service, the operator (who makes streams and writes control facts), or `publisher-<name>` of a platform gateway. */
export type NatsUser = ServiceUser | `publisher-${string}`;

/** Who may connect to the embedded server, and how each user's URL reads. */
export type NatsAccess = {
  configText: (at: { port: number; storeDir: string }) => string;
  urlFor: (user: NatsUser, port: number) => string;
};

/** One user per service with a random password, drawn once and kept where only the owner of the data folder reads. */
export const natsAccess = (dataDir: string, publishers: readonly string[] = []): NatsAccess => {
  const users = [...SERVICE_USERS, ...publishers.map((name) => publisherUser(name))];
  const secrets: Record<string, string> = keptSecrets(join(dataDir, 'nats-users.json'), users);
  const passwords = Object.fromEntries(SERVICE_USERS.map((user) => [user, secrets[user]]));
  const gateways = Object.fromEntries(publishers.map((name) => [name, secrets[publisherUser(name)] ?? '']));
  return {
    configText: (at) => natsConfigText({ ...at, passwords, publishers: gateways }),
    urlFor: (user, port) => `nats://${user}:${secrets[user]}@127.0.0.1:${port}`,
  };
};
