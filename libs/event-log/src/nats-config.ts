import {
  permissionsOf,
  publisherPermissions,
  publisherUser,
  type NatsPermissions,
  type ServiceUser,
} from './permissions';

export type NatsConfig = {
  /** Loopback unless said otherwise. */
  host?: string;
  port: number;
  storeDir: string;
  /** `always` or a duration. Known to servers from 2.10 on only: older ones refuse the whole file. */
  syncInterval?: string;
  /** Passwords of the services' users; a service without one cannot connect. */
  passwords: Partial<Record<ServiceUser, string>>;
  /** Passwords of platform gateways, by their publisher name. */
  publishers?: Record<string, string>;
  pidFile?: string;
};

// NATS configuration reads JSON strings as they are.
const quote = (text: string): string => JSON.stringify(text);
const list = (subjects: string[]): string => `[${subjects.map(quote).join(', ')}]`;

const userText = (user: string, password: string, { publish, subscribe }: NatsPermissions): string =>
  [
    `    { user: ${quote(user)}, password: ${quote(password)}, permissions: {`,
    `      publish: { allow: ${list(publish)} }`,
    `      subscribe: { allow: ${list(subscribe)} } } }`,
  ].join('\n');

/** The text of a nats-server configuration with one user per service and nobody else. */
export const natsConfigText = (config: NatsConfig): string => {
  const services = Object.entries(config.passwords) as [ServiceUser, string][];
  const users = [
    ...services.map(([user, password]) => userText(user, password, permissionsOf(user))),
    ...Object.entries(config.publishers ?? {}).map(([name, password]) =>
      userText(publisherUser(name), password, publisherPermissions(name)),
    ),
  ];
  const lines = [
    `listen: ${quote(`${config.host ?? '127.0.0.1'}:${config.port}`)}`,
    ...(config.pidFile ? [`pid_file: ${quote(config.pidFile)}`] : []),
    'jetstream {',
    `  store_dir: ${quote(config.storeDir)}`,
    ...(config.syncInterval ? [`  sync_interval: ${quote(config.syncInterval)}`] : []),
    '}',
    'authorization {',
    '  users: [',
    users.join(',\n'),
    '  ]',
    '}',
  ];
  return `${lines.join('\n')}\n`;
};
