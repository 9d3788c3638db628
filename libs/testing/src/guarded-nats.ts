import { natsConfigText } from '@inquest/event-log/nats-config';
import { SERVICE_USERS, type ServiceUser } from '@inquest/event-log/permissions';
import { startNats, type TestNats } from './nats-server';

export type GuardedNats = TestNats & {
  /** The URL of a service's own user, of a platform gateway, or of a test that may do everything. */
  urlFor(user: ServiceUser | 'test' | `publisher-${string}`): string;
};

const PASSWORD = 'test-only';

/** A broker with the system's own users and permissions, so that a service that oversteps them fails here too. */
export const startGuardedNats = async (publishers: readonly string[] = []): Promise<GuardedNats> => {
  const passwords = Object.fromEntries(SERVICE_USERS.map((user) => [user, PASSWORD]));
  const grants = Object.fromEntries(publishers.map((name) => [name, PASSWORD]));
  const nats = await startNats((at) =>
    natsConfigText({ ...at, passwords, publishers: grants }).replace(
      'users: [',
      `users: [\n    { user: "test", password: "${PASSWORD}" },`,
    ),
  );
  return { ...nats, urlFor: (user) => `nats://${user}:${PASSWORD}@127.0.0.1:${nats.port}` };
};
