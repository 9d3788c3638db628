import type { Window } from '@inquest/contracts/scope';
import type { IncidentEvent, IncidentObject } from '../incident-format';
import { SourceFailure, type IncidentSource, type ObjectQuery, type Page } from '../incident-source';
import { suggestNames } from '../suggest-names';
import { KINDS, resourceOf } from './kinds';
import { openRecordedAnswers, notRecorded, type RecordedAnswers } from './recorded-answers';
import { listedEvents } from './recorded-events';
import { recordedObjects, type RecordedObjects } from './recorded-objects';
import { errorLines, recordedAlerts, recordedDependencies, unreadableLogs } from './recorded-telemetry';

/** How far back a recording is taken to look where nothing in it is older. */
const LOOKBACK_MS = 60 * 60_000;

const page = <Item>(items: Item[], extra: Partial<Page<Item>> = {}): Page<Item> => ({
  items,
  matched: items.length,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: null,
  suggestions: [],
  ...extra,
});

const selected = (asked: string | undefined, known: readonly string[]) => ({
  selectorKnown: asked === undefined ? null : known.includes(asked),
  suggestions: asked === undefined || known.includes(asked) ? [] : suggestNames(asked, known),
});

const contains = (text: string, part: string | undefined): boolean =>
  part === undefined || text.toLowerCase().includes(part.toLowerCase());

const limited = <Item>(items: Item[], limit: number, extra: Partial<Page<Item>>): Page<Item> =>
  page(items.slice(0, limit), { matched: items.length, limitHit: items.length > limit, ...extra });

/** What kubectl prints bears the offset of the cluster; the time of the recording does not. */
const offsetOf = (answers: RecordedAnswers): string => {
  for (const { answer } of answers.of('DescribeResource')) {
    const [, hours, minutes] =
      /\d\d:\d\d:\d\d ([+-]\d\d)(\d\d)$/m.exec(typeof answer === 'string' ? answer : '') ?? [];
    if (hours !== undefined) return `${hours}:${minutes}`;
  }
  return 'Z';
};

type Snapshot = {
  answers: RecordedAnswers;
  objects: RecordedObjects;
  at: string;
  atMs: number;
  offset: string;
  services: string[];
};

const openSnapshot = async (dir: string): Promise<Snapshot> => {
  const answers = await openRecordedAnswers(dir);
  const offset = offsetOf(answers);
  const atMs = Date.parse(`${answers.recordedAt}${offset}`);
  if (Number.isNaN(atMs)) throw new SourceFailure('RESULT_UNUSABLE', 'the recording has no time');
  const services = answers.of('GetErrorLogs').map(({ args }) => String(args['service_name']));
  const objects = recordedObjects(answers, atMs);
  return {
    answers,
    objects,
    at: new Date(atMs).toISOString(),
    atMs,
    offset,
    services: [...new Set(services)],
  };
};

type Events = { events: IncidentEvent[]; isListed: boolean };

/**
 * Events from the ends of descriptions, which count repetitions, and from the lists for what was not described. Where
 * nobody recorded a list, those of the described objects are a part of them.
 */
const eventsOf = ({ answers, objects, atMs }: Snapshot): Events => {
  const lists = answers.of('GetResources').filter(({ args }) => args['resource_type'] === 'events');
  const listed = lists.flatMap(({ args, answer }) =>
    listedEvents(typeof answer === 'string' ? answer : '', String(args['namespace']), atMs),
  );
  const described = objects.events();
  const keyOf = ({ object: { kind, name } }: IncidentEvent) => `${kind}/${name}`;
  const known = new Set(described.map(keyOf));
  return {
    events: [...described, ...listed.filter((event) => !known.has(keyOf(event)))],
    isListed: lists.length > 0,
  };
};

const extentOf = (snapshot: Snapshot): Window => {
  const { answers, at, atMs } = snapshot;
  const times = [
    ...eventsOf(snapshot).events.map(({ time }) => Date.parse(time)),
    ...errorLines(answers, at).map(({ time }) => Date.parse(time)),
  ];
  const from = Math.min(atMs - LOOKBACK_MS, ...times);
  // The end is exclusive, and what was printed last belongs to it.
  return { from: new Date(from).toISOString(), to: new Date(Math.max(atMs, ...times) + 1_000).toISOString() };
};

const listed = ({ objects }: Snapshot, { kind, namespace, nameContains, limit }: ObjectQuery) => {
  const resource = kind === undefined ? undefined : resourceOf(kind);
  if (kind !== undefined && resource === undefined) throw notRecorded(`a list of ${kind}`);
  const recorded = Object.keys(KINDS).filter((name) => objects.isListed(name));
  const resources = resource === undefined ? recorded.filter((name) => !objects.hasFailed(name)) : [resource];
  if (resources.length === 0) throw notRecorded('any list of objects');
  const found = resources
    .flatMap((name) => objects.objectsOf(name))
    .filter(
      ({ metadata }) =>
        contains(metadata.name, nameContains) &&
        (namespace === undefined || metadata.namespace === undefined || metadata.namespace === namespace),
    );
  // Of everything, a kind whose list had failed is a part that is missing.
  const partial = resource === undefined && resources.length < recorded.length;
  return limited<IncidentObject>(found, limit, { ...selected(namespace, objects.namespaces), partial });
};

const objectReads = (
  open: () => Promise<Snapshot>,
): Pick<IncidentSource, 'listObjects' | 'listEvents' | 'describeObject'> => ({
  listObjects: async (query) => listed(await open(), query),
  listEvents: async ({ namespace, nameContains, limit }) => {
    const snapshot = await open();
    const { events, isListed } = eventsOf(snapshot);
    const { namespaces } = snapshot.objects;
    if (!isListed && events.length === 0) throw notRecorded('events');
    if (namespace !== undefined && !namespaces.includes(namespace))
      throw notRecorded(`events of ${namespace}`);
    const found = events
      .filter(
        ({ object }) =>
          contains(object.name, nameContains) && (namespace === undefined || object.namespace === namespace),
      )
      // Warnings before the many lines of ordinary life, and late before early, so that a limit cuts what tells least.
      .sort(
        (a, b) =>
          Number(a.type === 'Normal') - Number(b.type === 'Normal') ||
          Date.parse(b.time) - Date.parse(a.time),
      );
    // Some objects were not described: no event of theirs is no proof that there was none.
    if (!isListed && found.length === 0) throw notRecorded('a list of events');
    return limited(found, limit, { ...selected(namespace, namespaces), partial: !isListed });
  },
  describeObject: async ({ kind, name }) => {
    const { objects } = await open();
    const resource = resourceOf(kind);
    if (resource === undefined) throw notRecorded(`a description of ${kind}`);
    const found = objects.describe(resource, name);
    if (found) return { ...page([found.object], { selectorKnown: true }), events: found.events };
    const names = objects.namesOf(resource);
    return {
      ...page<IncidentObject>(
        [],
        selected(
          name,
          names.filter((known) => known !== name),
        ),
      ),
      events: [],
    };
  },
});

const signalReads = (
  open: () => Promise<Snapshot>,
): Pick<IncidentSource, 'searchLogs' | 'listMetrics' | 'queryMetric'> => ({
  searchLogs: async ({ service, level, contains: part, window, order }) => {
    const { answers, at, services } = await open();
    if (services.length === 0) throw notRecorded('logs');
    if (service !== undefined && !services.includes(service)) throw notRecorded(`logs of ${service}`);
    const unreadable = unreadableLogs(answers).filter((name) => service === undefined || name === service);
    const [fromMs, toMs] = [Date.parse(window.from), Date.parse(window.to)];
    const found = errorLines(answers, at)
      .filter(
        (line) =>
          (service === undefined || line.service === service) &&
          contains(line.message, part) &&
          Date.parse(line.time) >= fromMs &&
          Date.parse(line.time) < toMs,
      )
      .sort((a, b) => Date.parse(a.time) - Date.parse(b.time));
    if (order === 'newest') found.reverse();
    const wantsLess = level === undefined || !['ERROR', 'FATAL'].includes(level);
    // Only errors were recorded: that there is no line of another level cannot be said.
    if (wantsLess && found.length === 0) throw notRecorded('lines below the level ERROR');
    if (unreadable.length > 0 && found.length === 0)
      throw new SourceFailure(
        'RESULT_UNUSABLE',
        `the recorded errors of ${unreadable.length} services are no document`,
      );
    if (level === 'FATAL') throw notRecorded('which lines are fatal');
    return page(found, {
      ...selected(service, services),
      matched: found.length === 0 ? 0 : null,
      sampled: found.length > 0,
      partial: wantsLess || unreadable.length > 0,
    });
  },
  listMetrics: () => Promise.reject(notRecorded('metrics')),
  queryMetric: () => Promise.reject(notRecorded('metrics')),
});

const topologyReads = (
  open: () => Promise<Snapshot>,
): Pick<IncidentSource, 'activeAlerts' | 'dependencies'> => ({
  activeAlerts: async ({ service }) => {
    const { answers, at, offset, services } = await open();
    const found = recordedAlerts(answers, at, offset).filter(
      (alert) => service === undefined || alert.service === service,
    );
    return page(found, selected(service, services));
  },
  dependencies: async ({ service }) => {
    const { answers } = await open();
    if (answers.of('GetServiceDependencies').length === 0) throw notRecorded('dependencies');
    const all = recordedDependencies(answers);
    const names = [...new Set(all.flatMap(({ from, to }) => [from, to]))];
    const asked = answers.of('GetServiceDependencies').map(({ args }) => String(args['service_name']));
    if (service !== undefined && !names.includes(service) && !asked.includes(service))
      throw notRecorded(`dependencies of ${service}`);
    const found = all.filter(({ from, to }) => service === undefined || from === service || to === service);
    return page(found, selected(service, [...names, ...asked]));
  },
});

/**
 * Serves the recorded tool answers of one cluster at one moment through the interface of an incident. What nobody
 * recorded is a failure of the source and never an empty answer.
 */
export const snapshotSource = (name: string, dir: string): IncidentSource => {
  let opened: Promise<Snapshot> | undefined;
  const open = (): Promise<Snapshot> => {
    opened ??= openSnapshot(dir).catch((error: unknown) => {
      // A failure is not remembered: the file may be there at the next question.
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    name,
    extent: async () => {
      const snapshot = await open();
      return { window: extentOf(snapshot), services: snapshot.services };
    },
    ...objectReads(open),
    ...signalReads(open),
    ...topologyReads(open),
  };
};
