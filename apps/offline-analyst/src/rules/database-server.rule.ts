import type { LogPattern, View } from '../evidence/view';
import { at, factAt } from '../evidence/place';
import { databaseFor } from './databases';
import type { Finding, Hypothesis, Rule } from './finding';
import { finding, patternFinding } from './findings';
import { unwellFindings } from './unwell';
import { listed } from './wording';

/** A state of the server that its clients report: it answers them, and turns them away. */
type Refusal = {
  cause: string;
  sign: RegExp;
  headline: (server: string) => string;
  mechanism: (server: string) => string;
  actions: string[];
  recommendations: string[];
  lookup: string;
};

const REFUSALS: readonly Refusal[] = [
  {
    cause: 'DATABASE_CONNECTION_LIMIT_REACHED',
    sign: /too many clients already|remaining connection slots|Too many connections|max_user_connections|connection limit exceeded|max number of clients reached|ER_CON_COUNT_ERROR|errno 1040|too many open connections/i,
    headline: (server) => `The database of ${server} has run out of connections`,
    mechanism: (server) =>
      `The limit of connections of the database server is reached; it turns further ones away, and ${server} is the place where that shows.`,
    actions: [
      'List the sessions of the database server by client and state, and end those that are idle or hang.',
      "Reduce the pool sizes of its clients until their sum fits the server's limit.",
    ],
    recommendations: [
      'Keep the sum of all pool sizes below the limit of the server, or put a pooler such as PgBouncer between.',
      'Alert when the connections in use come near the limit.',
    ],
    lookup: 'database too many connections limit reached max_connections',
  },
  {
    cause: 'DATABASE_READ_ONLY',
    sign: /read-only transaction|read[- ]only (?:mode|option|replica)|super-read-only|--read-only|READONLY You can't write|ER_OPTION_PREVENTS_STATEMENT|not (?:master|primary)(?: and|\b.{0,20}(?:write|NotWritablePrimary))|NotWritablePrimary|database is (?:in )?read[- ]only|cannot execute \w+ in a read-only/i,
    headline: (server) => `The database of ${server} is read-only`,
    mechanism: (server) =>
      `The database is in read-only mode: it serves reads and takes no writes, so that what is to be stored fails; ${server} is the place where that shows.`,
    actions: [
      'Check whether clients still point at a former primary, or whether somebody switched the server to read-only.',
      'Point the clients to the primary, or make the server writable again once its disk and replication are known to be sound.',
    ],
    recommendations: [
      'Let clients find the primary by name or target_session_attrs, so that a fail-over needs no change of configuration.',
    ],
    lookup: 'database read only failover primary replica',
  },
];

/** Whose server it is; a second witness only where several clients say the same. */
const usesFinding = (view: View, server: string, clients: readonly string[]): Finding[] => {
  const edges = view.dependencies.filter(({ from, to }) => to === server && clients.includes(from));
  const [edge] = edges;
  if (!edge) return [];
  return [
    finding({
      key: `dependency:server:${server}`,
      sort: clients.length > 1 ? 'DEPENDENCY' : 'LOG',
      text: `${listed(edges.slice(0, 3).map(({ from }) => from))} depend on ${server}.`,
      facts: edges
        .slice(0, 3)
        .flatMap(({ place }) => ['from', 'to'].flatMap((end) => factAt(view.documents, at(place, end)))),
      weight: 1,
    }),
  ];
};

const refused = (
  view: View,
  refusal: Refusal,
  { object, lines, weight }: { object: string; lines: readonly LogPattern[]; weight: number },
): Hypothesis => ({
  cause: refusal.cause,
  object: `Service/${object}`,
  service: object,
  rank: 'CAUSE',
  headline: refusal.headline(object),
  mechanism: refusal.mechanism(object),
  findings: [
    ...[...lines]
      .sort((a, b) => b.count - a.count)
      .slice(0, 3)
      .map((pattern) => patternFinding(view, pattern, weight)),
    ...usesFinding(view, object, [...new Set(lines.map(({ service }) => service))]),
    ...unwellFindings(view, object),
  ],
  actions: refusal.actions,
  recommendations: refusal.recommendations,
  lookup: refusal.lookup,
});

const messageOf = ({ sample, pattern }: LogPattern): string => sample?.message ?? pattern;

/** What the server's clients say of it is the server's; who says it is the second guess. */
export const databaseServer: Rule = (view) =>
  REFUSALS.flatMap((refusal) => {
    const lines = view.patterns.filter(
      (pattern) =>
        ['WARN', 'ERROR', 'FATAL'].includes(pattern.level) && refusal.sign.test(messageOf(pattern)),
    );
    const byServer = new Map<string, LogPattern[]>();
    for (const line of lines) {
      const own = lines.filter(({ service }) => service === line.service);
      const server = databaseFor(view, line.service, own) ?? line.service;
      byServer.set(server, [...(byServer.get(server) ?? []), line]);
    }
    return [...byServer].flatMap(([server, of]) => {
      const clients = [...new Set(of.map(({ service }) => service))].filter((client) => client !== server);
      return [
        refused(view, refusal, { object: server, lines: of, weight: 3 }),
        ...clients.slice(0, 2).map((object) =>
          refused(view, refusal, {
            object,
            lines: of.filter(({ service }) => service === object),
            weight: 2,
          }),
        ),
      ];
    });
  });
