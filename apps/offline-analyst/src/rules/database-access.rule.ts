import { signatureRule } from './signature';

/** The database answers, and turns clients away: credentials, its limit of connections, read-only mode. */
export const databaseAccess = signatureRule(
  {
    cause: 'DATABASE_INVALID_CREDENTIALS',
    log: /password authentication failed|Access denied for user|authentication failed for user|no pg_hba\.conf entry|role "?[\w-]+"? does not exist|SASL.{0,40}(?:fail|invalid)|WRONGPASS|NOAUTH/i,
    headline: (service) => `Authentication of ${service} at its database fails`,
    mechanism: (service) =>
      `The database turns ${service} away at the log-in: authentication fails, so that what ${service} does with the database cannot work.`,
    actions: (service) => [
      `Compare user and password that ${service} is configured with to those that the database knows; look for a rotation that did not reach both.`,
      `Correct the secret and restart ${service}, so that it reads it anew.`,
    ],
    recommendations: [
      'Rotate database credentials in one step for server and clients, with an overlap in which both are valid.',
    ],
    lookup: 'database authentication failed wrong credentials secret rotation',
  },
  {
    cause: 'DATABASE_CONNECTION_LIMIT_REACHED',
    log: /too many clients already|remaining connection slots|Too many connections|max_user_connections|connection limit exceeded|max number of clients reached/i,
    headline: (service) => `The database has run out of connections, as ${service} reports`,
    mechanism: (service) =>
      `The limit of connections of the database server is reached; it turns further ones away, among them those of ${service}.`,
    actions: (service) => [
      'List the sessions of the database server by client and state, and end those that are idle or hang.',
      `Reduce the pool sizes of its clients, ${service} among them, until their sum fits the server's limit.`,
    ],
    recommendations: [
      'Keep the sum of all pool sizes below the limit of the server, or put a pooler such as PgBouncer between.',
      'Alert when the connections in use come near the limit.',
    ],
    lookup: 'database too many connections limit reached max_connections',
  },
  {
    cause: 'DATABASE_READ_ONLY',
    log: /read-only transaction|read[- ]only (?:mode|option|replica)|super-read-only|--read-only|READONLY You can't write/i,
    headline: (service) => `The database that ${service} writes to is read-only`,
    mechanism: (service) =>
      `The database accepts reads and refuses writes, since it is in read-only mode; what ${service} wants to store fails.`,
    actions: () => [
      'Check whether clients still point at a former primary, or whether somebody switched the server to read-only.',
      'Point the clients to the primary, or make the server writable again once its disk and replication are known to be sound.',
    ],
    recommendations: [
      'Let clients find the primary by name or target_session_attrs, so that a fail-over needs no change of configuration.',
    ],
    lookup: 'database read only failover primary replica',
  },
);
