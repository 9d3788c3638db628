import type { LogPattern, View } from '../evidence/view';
import { databaseFor, databasesOf } from './databases';
import type { Finding, Hypothesis, Rule } from './finding';
import { at, factAt } from '../evidence/place';
import { finding, objectEntity, patternFinding } from './findings';
import { looksUnhealthy } from '../investigation/suspects';
import { serviceOf } from './topology';
import { wrongPortOf } from './offered-ports';
import { unwellFindings } from './unwell';
import { variableFinding } from './wrong-address.rule';

/** A client that gets no connection at all, in the words of the drivers. */
const NO_CONNECTION =
  /Communications link failure|CommunicationsException|Could not (?:create|open|get) (?:a )?(?:JDBC )?connection|could not connect to server|connection to server at|Can't connect to (?:MySQL )?server|Failed to obtain JDBC Connection|Unable to (?:acquire|obtain) (?:JDBC )?connection|MongoSocketOpenException|MongoTimeoutException|UnableToConnect|RedisConnectionException|ECONNREFUSED .{0,60}:(?:3306|5432|27017|6379)/i;

const messageOf = ({ sample, pattern }: LogPattern): string => sample?.message ?? pattern;

const CLIENTS_MAX = 3;

/** Nothing is wrong with the server itself, as far as it was read. */
const isWell = (view: View, server: string): boolean =>
  view.objects.some((object) => serviceOf(object) === server) &&
  !view.objects.some((object) => serviceOf(object) === server && looksUnhealthy(object));

/** The server answers others, as a check from inside the cluster shows. */
const answering = (view: View, server: string): Finding[] =>
  view.objects
    .filter(
      ({ kind, name, status }) =>
        kind === 'Service' && name === server && /^succeeded/.test(String(status.connectivity)),
    )
    .slice(0, 1)
    .map(({ name, place }) =>
      finding({
        key: `state:answers:${name}`,
        sort: 'STATE',
        text: `Connections to service ${name} from elsewhere succeed.`,
        facts: factAt(view.documents, at(place, 'status', 'connectivity')),
        entities: [objectEntity('Service', name, place)],
        weight: 2,
      }),
    );

const hypothesis = (view: View, client: string, server: string, findings: Finding[]): Hypothesis => ({
  cause: 'DATABASE_INVALID_PORT',
  object: `Service/${client}`,
  service: client,
  rank: 'CAUSE',
  headline: `${client} gets no connection to its database ${server}, which itself is well`,
  mechanism: `${client} gets no connection to ${server}, which itself is well: the address that ${client} is configured with leads elsewhere.`,
  findings: [...findings, ...unwellFindings(view, client)],
  actions: [
    `Compare host and port of the database in the settings of ${client} (variables, secret, config map) with the service ${server}.`,
    `Roll ${client} back if the setting came with its last change.`,
  ],
  recommendations: ['Check at start-up that the configured database answers, and say so in one clear line.'],
  lookup: 'database connection refused wrong port configuration',
});

/** A client without a connection to a server that is well. */
export const databaseAddress: Rule = (view) => {
  const isLost = ({ sample, pattern }: LogPattern) => NO_CONNECTION.test(sample?.message ?? pattern);
  const clients = [...new Set(view.patterns.filter(isLost).map(({ service }) => service))];
  const servers = databasesOf(view);
  return clients.flatMap((client): Hypothesis[] => {
    const lines = view.patterns.filter(
      (pattern) => pattern.service === client && NO_CONNECTION.test(messageOf(pattern)),
    );
    const server = lines.length === 0 ? undefined : databaseFor(view, client, lines);
    if (server === undefined || servers.has(client) || !isWell(view, server)) return [];
    const wrong = wrongPortOf(view, client);
    const setting = wrong
      ? [variableFinding(wrong.variable, view, `names a port that ${wrong.host} does not offer`)]
      : [];
    // What many say is the server's, or was so while everything started: it is no setting of one of them.
    if (wrong === undefined && clients.length >= CLIENTS_MAX) return [];
    const isSure = wrong !== undefined || unwellFindings(view, client).length > 0;
    const told = lines.slice(0, 2).map((pattern) => patternFinding(view, pattern, isSure ? 3 : 2));
    return [hypothesis(view, client, server, [...told, ...setting, ...answering(view, server)])];
  });
};
