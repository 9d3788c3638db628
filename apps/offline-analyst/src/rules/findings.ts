import type { Entity, Fact, Quote } from '@inquest/contracts/draft';
import { at, entity, factAt, quoteAt, type Place } from '../evidence/place';
import type {
  Alert,
  ChangePoint,
  LogPattern,
  Series,
  SystemEvent,
  SystemObject,
  View,
} from '../evidence/view';
import type { Finding } from './finding';
import { clock, excerpt, figure } from './wording';

type Draft = Pick<Finding, 'key' | 'sort' | 'text' | 'weight'> &
  Partial<
    Pick<Finding, 'kind' | 'facts' | 'quotes' | 'entities' | 'fromMs' | 'toMs' | 'toolCallIds' | 'scope'>
  >;

/** Cites the calls that its facts, quotes and entities point into. */
export const finding = (draft: Draft): Finding => {
  const { facts = [], quotes = [], entities = [], toolCallIds = [] } = draft;
  const cited = [...toolCallIds, ...facts, ...quotes, ...entities].map((source) =>
    typeof source === 'string' ? source : source.toolCallId,
  );
  return {
    kind: 'OBSERVATION',
    fromMs: null,
    toMs: null,
    ...draft,
    facts,
    quotes,
    entities: distinct(entities),
    toolCallIds: [...new Set(cited)],
  };
};

const QUOTE_CHARS_MIN = 8;

const distinct = (entities: readonly Entity[]): Entity[] => [
  ...new Map(entities.map((item) => [`${item.type}|${item.name}|${item.toolCallId}`, item])).values(),
];

const KINDS: Record<string, Entity['type']> = {
  Pod: 'pod',
  Node: 'node',
  Namespace: 'namespace',
  Service: 'service',
  Host: 'host',
  Deployment: 'workload',
  StatefulSet: 'workload',
  DaemonSet: 'workload',
  ReplicaSet: 'workload',
  Job: 'workload',
};

export const objectEntity = (kind: string, name: string, place: Place): Entity =>
  entity(KINDS[kind] ?? 'other', name, place);

const factsAt = (view: View, place: Place, ...keys: string[]): Fact[] =>
  keys.flatMap((key) => factAt(view.documents, at(place, key)));

/** `orders logged “...” 417 times at level ERROR, from 03:01:27Z to 03:03:48Z.` */
export const patternFinding = (view: View, pattern: LogPattern, weight: number): Finding => {
  const { place, service, level, count, firstMs, lastMs, sample } = pattern;
  const shown = excerpt(sample?.message ?? pattern.pattern);
  const isQuoted = shown.length >= QUOTE_CHARS_MIN;
  const quotes: Quote[] = isQuoted
    ? quoteAt(view.documents, sample ? sample.place : at(place, 'pattern')).map((quote) => ({
        ...quote,
        quote: shown,
      }))
    : [];
  const what = isQuoted ? `logged “${shown}”` : 'logged such a line';
  const times = firstMs === lastMs ? `at ${clock(firstMs)}` : `from ${clock(firstMs)} to ${clock(lastMs)}`;
  const often = count === 1 ? 'once' : `${count} times`;
  return finding({
    key: `log:${service}:${level}:${pattern.pattern}`,
    sort: 'LOG',
    text: `${service} ${what} ${often} at level ${level}, ${times}.`,
    facts: factsAt(view, place, 'count', 'firstAt', 'lastAt', 'time'),
    quotes,
    entities: [entity('service', service, place)],
    weight,
    fromMs: firstMs,
    toMs: lastMs,
  });
};

export const alertFinding = (view: View, alert: Alert, weight: number): Finding => {
  const { place, name, severity, service, startsAtMs, endsAtMs } = alert;
  const until = endsAtMs === null ? 'and is still firing' : `and ended at ${clock(endsAtMs)}`;
  const of = service === null ? '' : ` for ${service}`;
  return finding({
    key: `alert:${name}:${service}:${startsAtMs}`,
    sort: 'ALERT',
    text: `The ${severity} alert ${name}${of} began to fire at ${clock(startsAtMs)} ${until}.`,
    facts: factsAt(view, place, 'name', 'severity', 'startsAt', ...(endsAtMs === null ? [] : ['endsAt'])),
    entities: [
      entity('alert', name, place),
      ...(service === null ? [] : [entity('service', service, place)]),
    ],
    weight,
    fromMs: startsAtMs,
    toMs: endsAtMs,
  });
};

export const eventFinding = (view: View, event: SystemEvent, weight: number): Finding => {
  const { place, timeMs, reason, object, message, count } = event;
  const shown = excerpt(message);
  const often = count > 1 ? ` (${count} times)` : '';
  return finding({
    key: `event:${object.kind}:${object.name}:${reason}:${shown}`,
    sort: 'EVENT',
    text: `Event ${reason} on ${object.kind} ${object.name} at ${clock(timeMs)}${often}: “${shown}”.`,
    facts: factsAt(view, place, 'time', 'reason', ...(count > 1 ? ['count'] : [])),
    quotes: quoteAt(view.documents, at(place, 'message')).map((quote) => ({
      ...quote,
      quote: shown.length >= 8 ? shown : quote.quote,
    })),
    entities: object.name === '' ? [] : [objectEntity(object.kind, object.name, place)],
    weight,
    fromMs: timeMs,
    // A warning tells of a state that lasts until something says otherwise.
    toMs: event.type === 'Warning' ? null : timeMs,
  });
};

const labelText = ({ labels, service }: Series): string => {
  const rest = Object.entries(labels).filter(([key, value]) => key !== 'service' && value !== service);
  return rest.length === 0 ? '' : ` (${rest.map(([key, value]) => `${key} ${value}`).join(', ')})`;
};

/** The metric with its owner, as prose: `db_pool_in_use of orders`. */
export const seriesName = (series: Series): string => {
  const owner = series.service === null ? '' : ` of ${series.service}`;
  return `${series.name}${owner}${labelText(series)}`;
};

export const seriesEntities = (series: Series): Entity[] => [
  entity('metric', series.name, series.place),
  ...(series.service === null ? [] : [entity('service', series.service, series.place)]),
];

const statisticFacts = (view: View, series: Series, ...keys: string[]): Fact[] =>
  keys.flatMap((key) => factAt(view.documents, at(series.statistics.place, key), series.unit));

const unitText = (unit: string): string =>
  unit === '' || unit === 'ratio' || unit === 'bool' ? '' : unit === '%' ? ' %' : ` ${unit}`;

const changeFacts = (view: View, change: ChangePoint, unit: string): Fact[] =>
  ['at', 'before', 'after'].flatMap((key) => factAt(view.documents, at(change.place, key), unit));

/** The lasting change that moved a series the most. */
export const mainChange = (series: Series): ChangePoint | undefined =>
  [...series.changes].sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before))[0];

/** A lasting change of level, or else the extremes. */
export const seriesFinding = (view: View, series: Series, weight: number): Finding => {
  const { statistics, unit } = series;
  const change = mainChange(series);
  const name = seriesName(series);
  const common = { sort: 'METRIC' as const, entities: seriesEntities(series), weight, key: `metric:${name}` };
  if (change) {
    const way = change.after > change.before ? 'rose' : 'fell';
    return finding({
      ...common,
      text: `${name} ${way} from a median of ${figure(change.before)} to ${figure(change.after)}${unitText(unit)} at ${clock(change.atMs)}; its last value is ${figure(statistics.last)}${unitText(unit)}.`,
      facts: [...changeFacts(view, change, unit), ...statisticFacts(view, series, 'last')],
      fromMs: change.atMs,
    });
  }
  return finding({
    ...common,
    text: `${name} stayed between ${figure(statistics.min)} and ${figure(statistics.max)}${unitText(unit)}.`,
    facts: statisticFacts(view, series, 'min', 'max'),
  });
};

/** A series that stands at one value, its limit for instance. */
export const levelFinding = (view: View, series: Series, text: string, weight: number): Finding =>
  finding({
    key: `level:${seriesName(series)}`,
    sort: 'METRIC',
    text,
    facts: statisticFacts(view, series, 'max', 'last'),
    entities: seriesEntities(series),
    weight,
    fromMs: mainChange(series)?.atMs ?? null,
  });

/** What an object says of itself, with the named members of its status as facts. */
export const objectFinding = (
  view: View,
  object: SystemObject,
  text: string,
  weight: number,
  ...keys: string[]
): Finding => {
  const { place, kind, name } = object;
  return finding({
    key: `state:${kind}:${name}:${text}`,
    sort: 'STATE',
    text,
    facts: keys.flatMap((key) => factAt(view.documents, { ...place, path: `${place.path}${key}` })),
    entities: [objectEntity(kind, name, place)],
    weight,
  });
};

/** Two findings told in one text. */
export const joined = (key: string, text: string, first: Finding, second: Finding): Finding => ({
  ...first,
  key,
  text,
  facts: [...first.facts, ...second.facts],
  quotes: [...first.quotes, ...second.quotes],
  entities: distinct([...first.entities, ...second.entities]),
  toolCallIds: [...new Set([...first.toolCallIds, ...second.toolCallIds])],
});
