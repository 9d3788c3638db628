import { at, factAt, quoteAt } from '../evidence/place';
import type { LogPattern, Series, View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import {
  eventFinding,
  finding,
  levelFinding,
  mainChange,
  objectEntity,
  patternFinding,
  seriesEntities,
  seriesName,
} from './findings';
import { databaseOf, isExhausted, leakOf, poolErrors, poolOf, type Leak, type Pool } from './pool-evidence';
import { effectOf, exhaustedPool, leakedPool } from './pool-hypotheses';
import { changeBefore } from './topology';
import { clock, excerpt, figure } from './wording';

const STATEMENT_TIMEOUT =
  /statement timeout|lock(?: wait)? timeout|canceling statement|Lock wait timeout exceeded|still waiting for \w+lock/i;
const SLACK_MS = 30_000;

const fullPool = (view: View, { service, size, inUse, waiting }: Pool): Finding[] => {
  const found: Finding[] = [];
  if (size && inUse && inUse.statistics.last >= size.statistics.last) {
    const full = inUse.complete ? inUse.points.find(({ value }) => value >= size.statistics.last) : undefined;
    const since = full ? `, for the first time at ${clock(full.atMs)}` : '';
    const text = `${seriesName(inUse)} reached the pool's size of ${figure(size.statistics.last)} connections${since}, and still stands there at the end of the data.`;
    const level = levelFinding(view, inUse, text, 3);
    found.push({
      ...level,
      facts: [...level.facts, ...factAt(view.documents, at(size.statistics.place, 'last'), size.unit)],
      entities: [...level.entities, ...seriesEntities(size)],
      toolCallIds: [...new Set([...level.toolCallIds, size.place.toolCallId])],
      fromMs: full?.atMs ?? level.fromMs,
    });
  }
  if (waiting && waiting.statistics.max > 0) {
    const text = `Requests of ${service} queue for a connection: ${seriesName(waiting)} reached ${figure(waiting.statistics.max)} and ends at ${figure(waiting.statistics.last)}.`;
    found.push(levelFinding(view, waiting, text, 2));
  }
  return found;
};

/** The first point above where a series began; unknown where points were left out. */
const firstRise = (series: Series) =>
  series.complete ? series.points.find(({ value }) => value > series.statistics.first) : undefined;

const leakFindings = (view: View, service: string, { series, oldest, sessions }: Leak): Finding[] => {
  const found: Finding[] = [];
  if (series) {
    const first = firstRise(series);
    const since = first ? ` from ${clock(first.atMs)} on` : '';
    const text = `${seriesName(series)} climbed from ${figure(series.statistics.first)} to ${figure(series.statistics.last)}${since} and did not come down.`;
    const level = levelFinding(view, series, text, 3);
    const start = factAt(view.documents, at(series.statistics.place, 'first'), series.unit);
    found.push({
      ...level,
      facts: [...level.facts, ...start],
      fromMs: first?.atMs ?? mainChange(series)?.atMs ?? null,
    });
  }
  if (oldest) {
    const text = `The oldest open transaction grew to ${figure(oldest.statistics.last)} seconds (${seriesName(oldest)}).`;
    found.push(levelFinding(view, oldest, text, 1));
  }
  const [session] = sessions;
  if (session) {
    const places = sessions.map(({ place }) => at(place, 'status', 'state'));
    const query = quoteAt(view.documents, at(session.place, 'status', 'lastQuery'));
    const shown = excerpt(query[0]?.quote ?? '');
    const last = shown.length >= 8 ? `; the last statement of ${session.name} was “${shown}”` : '';
    const started = factAt(view.documents, at(session.place, 'status', 'transactionStartedAt'));
    found.push(
      finding({
        key: `state:sessions:${service}`,
        sort: 'STATE',
        text: `Database sessions of ${service} sit in the state “idle in transaction”, among them ${sessions
          .slice(0, 3)
          .map(({ name }) => name)
          .join(', ')}${last}.`,
        facts: [...places.flatMap((place) => factAt(view.documents, place)), ...started].slice(0, 20),
        quotes: shown.length >= 8 ? query.map((quote) => ({ ...quote, quote: shown })) : [],
        entities: sessions.slice(0, 10).map(({ kind, name, place }) => objectEntity(kind, name, place)),
        weight: 3,
      }),
    );
  }
  return found;
};

/** The server's own limit, to show that the pool is the narrow place. */
const roomFindings = (view: View, { service, size }: Pool): Finding[] => {
  const limit = view.series.find(({ name }) => /max_connections|connections?_limit/i.test(name));
  if (!limit || !size || limit.statistics.last < 2 * size.statistics.last) return [];
  const text = `The server allows ${figure(limit.statistics.last)} connections (${seriesName(limit)}), the pool of ${service} holds ${figure(size.statistics.last)}.`;
  const level = levelFinding(view, limit, text, 0);
  const facts = factAt(view.documents, at(size.statistics.place, 'last'), size.unit);
  return [
    {
      ...level,
      facts: [...level.facts, ...facts],
      entities: [...level.entities, ...seriesEntities(size)],
      toolCallIds: [...new Set([...level.toolCallIds, size.place.toolCallId])],
    },
  ];
};

/** Sessions are only reaped where the server has a limit for them. */
const settingFindings = (view: View, database: string | undefined): Finding[] =>
  view.objects.flatMap((object) => {
    const settings = object.spec.settings as Record<string, unknown> | undefined;
    const limit = settings?.idle_in_transaction_session_timeout;
    if (object.labels.service !== database || typeof limit !== 'string' || !/^0\b/.test(limit)) return [];
    const place = at(object.place, 'spec', 'settings', 'idle_in_transaction_session_timeout');
    return finding({
      key: `setting:idle:${object.name}`,
      sort: 'SETTING',
      text: `The setting idle_in_transaction_session_timeout of ${object.name} is switched off, so the server lets abandoned transactions stay.`,
      facts: factAt(view.documents, place),
      entities: [objectEntity(object.kind, object.name, object.place)],
      weight: 1,
    });
  });

/** A rare message of the same service that sets in while sessions begin to hang names the code path to look at first. */
const companion = (
  view: View,
  service: string,
  leak: Leak,
  errors: readonly LogPattern[],
): LogPattern | undefined => {
  const first = leak.series && firstRise(leak.series);
  const exhausted = Math.min(...errors.map(({ firstMs }) => firstMs));
  if (!leak.series || !first) return undefined;
  const limit = 3 * leak.series.statistics.last;
  return view.patterns
    .filter(
      (pattern) =>
        pattern.service === service &&
        !errors.includes(pattern) &&
        pattern.level !== 'INFO' &&
        pattern.level !== 'DEBUG',
    )
    .filter(
      ({ firstMs, count }) =>
        Math.abs(firstMs - first.atMs) < SLACK_MS && firstMs <= exhausted && count <= limit,
    )
    .sort((a, b) => a.firstMs - b.firstMs)[0];
};

const companionFinding = (view: View, pattern: LogPattern): Finding => ({
  ...patternFinding(view, pattern, 1),
  key: `companion:${pattern.pattern}`,
  kind: 'CORRELATION',
  text: `${patternFinding(view, pattern, 1).text.slice(0, -1)}; the first of these lines coincides with the first session left in a transaction.`,
});

const blockedFindings = (view: View, service: string, database: string | undefined): Finding[] =>
  view.patterns
    .filter(
      (pattern) =>
        [service, database].includes(pattern.service) &&
        STATEMENT_TIMEOUT.test(pattern.sample?.message ?? pattern.pattern),
    )
    .slice(0, 2)
    .map((pattern) => patternFinding(view, pattern, 1));

const changeFindings = (view: View, service: string, onsetMs: number): Finding[] => {
  const change = changeBefore(view, service, onsetMs);
  if (!change) return [];
  const plain = eventFinding(view, change, 1);
  return [
    {
      ...plain,
      kind: 'CORRELATION',
      text: `${plain.text.slice(0, -1)}; the trouble of ${service} set in after it.`,
    },
  ];
};

const examine = (view: View, service: string): Hypothesis[] => {
  const pool = poolOf(view, service);
  const errors = poolErrors(view, service);
  if (errors.length === 0 && !isExhausted(pool)) return [];
  const leak = leakOf(view, service);
  const database = databaseOf(view, service, leak);
  const leaks = leakFindings(view, service, leak);
  const full = fullPool(view, pool);
  const errorFindings = errors.slice(0, 2).map((pattern) => patternFinding(view, pattern, 3));
  const starts = [...leaks, ...full, ...errorFindings].flatMap(({ fromMs }) =>
    fromMs === null ? [] : [fromMs],
  );
  const onsetMs = Math.min(...starts);
  const blocked = blockedFindings(view, service, database);
  const accompanying = companion(view, service, leak, errors);
  const findings = [
    ...errorFindings,
    ...full,
    ...leaks,
    ...settingFindings(view, database),
    ...roomFindings(view, pool),
    ...blocked,
    ...(Number.isFinite(onsetMs) ? changeFindings(view, service, onsetMs) : []),
    ...(accompanying ? [companionFinding(view, accompanying)] : []),
  ];
  const effect = effectOf(errors, full);
  const isLeak = leaks.some(({ weight }) => weight === 3);
  return [
    isLeak
      ? leakedPool({ service, findings, effect, database, change: changeBefore(view, service, onsetMs) })
      : exhaustedPool({ service, findings, effect, byLocks: blocked.some(({ text }) => /lock/i.test(text)) }),
  ];
};

/** Requests wait for a database connection because the pool's connections are held, by leaked transactions, lock waits or load. */
export const connectionPool: Rule = (view) => {
  const services = new Set([
    ...view.patterns.map(({ service }) => service),
    ...view.series.flatMap(({ service }) => (service === null ? [] : [service])),
  ]);
  return [...services].flatMap((service) => examine(view, service));
};
