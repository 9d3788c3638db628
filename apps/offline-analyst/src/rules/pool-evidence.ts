import type { LogPattern, Series, SystemObject, View } from '../evidence/view';

/** What a pool, a driver or an ORM says when no connection frees up in time. */
export const POOL_ERROR =
  /timeout exceeded when trying to connect|queuepool limit|connection is not available|(?:connection )?pool\b.{0,60}(?:exhaust|timed? ?-?out|depleted|is full|limit reached)|(?:acquir|check(?:ing)? ?out|get(?:ting)?|obtain\w*|borrow\w*).{0,40}(?:connection|client)\b.{0,60}time|timed? ?-?out.{0,40}(?:acquir|waiting for|obtain|get).{0,30}(?:connection|client)|no (?:idle|free|available) connections?|pool exhausted|cannot get a connection/i;

const IDLE_IN_TRANSACTION = /idle[_ -]in[_ -]transaction/i;

export type Pool = { service: string; size?: Series; inUse?: Series; waiting?: Series };

const isPool = ({ name }: Series) => /pool/i.test(name) && !/thread|worker|memory|buffer/i.test(name);

export const poolOf = (view: View, service: string): Pool => {
  const own = view.series.filter((series) => series.service === service && isPool(series));
  const find = (pattern: RegExp, not = /(?!)/) =>
    own.find(({ name }) => pattern.test(name) && !not.test(name));
  return {
    service,
    size: find(/size|max|limit|capacity/i, /used|use$|active|idle/i),
    inUse: find(/in_?use|used|active|busy|checked_?out|borrowed/i),
    waiting: find(/wait|pending|queue/i, /_ms\b|second|duration|timeout|p\d\d/i),
  };
};

/** In use as many as there are, at the last look. */
export const isExhausted = ({ size, inUse, waiting }: Pool): boolean =>
  (size !== undefined &&
    inUse !== undefined &&
    inUse.statistics.last >= size.statistics.last &&
    size.statistics.last > 0) ||
  (waiting !== undefined &&
    waiting.statistics.last > 0 &&
    waiting.changes.some(({ before, after }) => after > before));

export const poolErrors = (view: View, service: string): LogPattern[] =>
  view.patterns.filter(
    (pattern) => pattern.service === service && POOL_ERROR.test(pattern.sample?.message ?? pattern.pattern),
  );

export type Leak = {
  /** Sessions that sit in a transaction without working, over time; of this client where the metric tells clients apart. */
  series?: Series;
  oldest?: Series;
  sessions: SystemObject[];
};

const clientOf = (object: SystemObject): unknown =>
  object.status.client ??
  object.labels.client ??
  object.status.applicationName ??
  object.status.application_name;

export const leakOf = (view: View, client: string): Leak => {
  const idle = view.series.filter(
    ({ name, labels, statistics }) =>
      [name, ...Object.values(labels)].some((value) => IDLE_IN_TRANSACTION.test(value)) &&
      statistics.last > 0,
  );
  const telling = idle.filter(({ labels }) => Object.values(labels).includes(client));
  const anonymous = idle.filter(({ labels }) =>
    Object.keys(labels).every((key) => ['service', 'state', 'instance'].includes(key)),
  );
  const oldest = view.series.find(
    ({ name, statistics }) =>
      /transaction/i.test(name) && /age|oldest|duration|longest/i.test(name) && statistics.last > 30,
  );
  const sessions = view.objects.filter(
    (object) => IDLE_IN_TRANSACTION.test(String(object.status.state ?? '')) && clientOf(object) === client,
  );
  return { series: telling[0] ?? anonymous[0], oldest, sessions };
};

const SERVERS = /postgres|mysql|mariadb|\bpg\b|pgbouncer|database|\bdb\b|sqlserver|oracle|mongo/i;

/** The database that a service talks to, as the dependencies or the sessions name it. */
export const databaseOf = (view: View, service: string, leak: Leak): string | undefined =>
  leak.sessions[0]?.labels.service ??
  view.dependencies.find(({ from, to }) => from === service && SERVERS.test(to))?.to;
