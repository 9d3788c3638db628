import { signatureRule } from './signature';

/** The database answers, and turns a client away at its log-in. */
export const databaseAccess = signatureRule({
  cause: 'DATABASE_INVALID_CREDENTIALS',
  log: /password authentication failed|Access denied for user|authentication failed for user|no pg_hba\.conf entry|role "?[\w-]+"? does not exist|SASL.{0,40}(?:fail|invalid)|WRONGPASS|NOAUTH|Command failed with error 18|MongoSecurityException|ER_ACCESS_DENIED|errno 1045|invalid (?:username|user name|credentials)|Login failed for user|password is (?:incorrect|wrong)/i,
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
});
