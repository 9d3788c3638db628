import type { Window } from '@inquest/contracts/scope';
import { openIncidentFolder, type IncidentFolder } from './incident-folder';
import {
  LOG_LEVELS,
  type IncidentEvent,
  type IncidentManifest,
  type LogLevel,
  type LogLine,
} from './incident-format';
import {
  SourceFailure,
  type IncidentSource,
  type LogQuery,
  type ObjectQuery,
  type Page,
} from './incident-source';
import { suggestNames } from './suggest-names';

/** A name that a query uses, and the names that exist. */
type Selector = { asked: string | undefined; known: ReadonlySet<string> };

const selectorsOf = (selectors: readonly Selector[]): Pick<Page<never>, 'selectorKnown' | 'suggestions'> => {
  const asked = selectors.filter((selector) => selector.asked !== undefined);
  const unknown = asked.filter(({ asked: name, known }) => !known.has(name as string));
  return {
    selectorKnown: asked.length === 0 ? null : unknown.length === 0,
    suggestions: unknown.flatMap(({ asked: name, known }) => suggestNames(name as string, known)).slice(0, 5),
  };
};

const page = <Item>(
  items: Item[],
  extra: Partial<Page<Item>> & Pick<Page<Item>, 'selectorKnown' | 'suggestions'>,
) => ({
  items,
  matched: items.length,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  ...extra,
});

const limited = <Item>(items: Item[], limit: number) => ({
  items: items.slice(0, limit),
  matched: items.length,
  limitHit: items.length > limit,
});

/** `pods`, `Pods` and `pod` mean the kind Pod. */
const kindKey = (kind: string): string =>
  kind
    .toLowerCase()
    .replace(/(?<=ss|x|ch)es$|(?<=[^s])s$/, '')
    .replace(/ie$/, 'y');
const contains = (text: string, part: string | undefined): boolean =>
  part === undefined || text.toLowerCase().includes(part.toLowerCase());
const millis = (instant: string): number => Date.parse(instant);

/** The folder hands out the same lines for as long as it is open: each one's instant is read once. */
const instants = new WeakMap<LogLine, number>();

const atMs = (line: LogLine): number => {
  const ms = instants.get(line) ?? millis(line.time);
  instants.set(line, ms);
  return ms;
};

/** Whether an instant, in ms, lies in `[from, to)`. */
const inWindow = ({ from, to }: Window): ((ms: number) => boolean) => {
  const [fromMs, toMs] = [millis(from), millis(to)];
  return (ms) => ms >= fromMs && ms < toMs;
};

const serviceNames = async (folder: IncidentFolder): Promise<Set<string>> =>
  new Set((await folder.manifest()).services);

const namespacesOf = (
  manifest: IncidentManifest,
  objects: readonly { metadata: { namespace?: string } }[],
): Set<string> =>
  new Set([manifest.namespace, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])]);

const objectReads = (
  folder: IncidentFolder,
): Pick<IncidentSource, 'listObjects' | 'listEvents' | 'describeObject'> => {
  const events = async (): Promise<{ all: IncidentEvent[]; partial: boolean }> => {
    const all = await folder.events();
    return { all: all ?? [], partial: all === undefined };
  };
  const selectorsFor = async (kind: string | undefined, namespace: string | undefined) => {
    const objects = await folder.objects();
    const kinds = new Map(objects.map((object) => [kindKey(object.kind), object.kind]));
    const asked = kind === undefined ? undefined : (kinds.get(kindKey(kind)) ?? kind);
    return [
      { asked, known: new Set(kinds.values()) },
      { asked: namespace, known: namespacesOf(await folder.manifest(), objects) },
    ];
  };

  return {
    listObjects: async ({ kind, namespace, nameContains, limit }: ObjectQuery) => {
      const found = (await folder.objects()).filter(
        (object) =>
          (kind === undefined || kindKey(object.kind) === kindKey(kind)) &&
          (namespace === undefined || object.metadata.namespace === namespace) &&
          contains(object.metadata.name, nameContains),
      );
      const selectors = selectorsOf(await selectorsFor(kind, namespace));
      return page([], { ...selectors, ...limited(found, limit) });
    },
    listEvents: async ({ namespace, nameContains, limit }: ObjectQuery) => {
      const { all, partial } = await events();
      if (partial) throw new SourceFailure('SOURCE_FAILED', 'events.json is missing');
      const found = all.filter(
        ({ object }) =>
          (namespace === undefined || object.namespace === namespace) && contains(object.name, nameContains),
      );
      const selectors = selectorsOf(await selectorsFor(undefined, namespace));
      return page([], { ...selectors, ...limited(found, limit) });
    },
    describeObject: async ({ kind, name, namespace }) => {
      const objects = await folder.objects();
      const matches = (object: { kind: string; name: string; namespace?: string }) =>
        kindKey(object.kind) === kindKey(kind) &&
        object.name === name &&
        (namespace === undefined || (object.namespace ?? namespace) === namespace);
      const found = objects.filter(({ kind: own, metadata }) => matches({ ...metadata, kind: own }));
      const { all, partial } = await events();
      const selectors = selectorsOf([
        ...(await selectorsFor(kind, namespace)),
        {
          asked: name,
          known: new Set(
            objects
              .filter((object) => kindKey(object.kind) === kindKey(kind))
              .map(({ metadata }) => metadata.name),
          ),
        },
      ]);
      return {
        ...page(found.slice(0, 1), { ...selectors, partial }),
        events: all.filter(({ object }) => matches(object)),
      };
    },
  };
};

const isSampled = ({ logSampling }: IncidentManifest, { service, level }: LogQuery): boolean =>
  logSampling !== undefined &&
  (service === undefined || logSampling.services.includes(service)) &&
  logSampling.levels.some((thinned) => LOG_LEVELS.indexOf(thinned) >= levelIndex(level));

const levelIndex = (level: LogLevel | undefined): number =>
  level === undefined ? 0 : LOG_LEVELS.indexOf(level);

const signalReads = (
  folder: IncidentFolder,
): Pick<IncidentSource, 'searchLogs' | 'listMetrics' | 'queryMetric'> => ({
  searchLogs: async (query: LogQuery) => {
    const [manifest, lines] = [await folder.manifest(), await folder.logs()];
    const isInside = inWindow(query.window);
    const found = lines.filter(
      (line) =>
        (query.service === undefined || line.service === query.service) &&
        LOG_LEVELS.indexOf(line.level) >= levelIndex(query.level) &&
        contains(line.message, query.contains) &&
        isInside(atMs(line)),
    );
    found.sort((a, b) => atMs(a) - atMs(b));
    if (query.order === 'newest') found.reverse();
    const known = new Set([...manifest.services, ...lines.map(({ service }) => service)]);
    return page(found, {
      ...selectorsOf([{ asked: query.service, known }]),
      sampled: isSampled(manifest, query),
    });
  },
  listMetrics: async ({ service, nameContains }) => {
    const metrics = await folder.metrics();
    const found = metrics.filter(
      ({ name, labels }) =>
        (service === undefined || labels['service'] === service) && contains(name, nameContains),
    );
    const known = new Set([
      ...(await serviceNames(folder)),
      ...metrics.flatMap(({ labels }) => labels['service'] ?? []),
    ]);
    return page(found, selectorsOf([{ asked: service, known }]));
  },
  queryMetric: async ({ name, service, labels = {}, window }) => {
    const metrics = await folder.metrics();
    const isInside = inWindow(window);
    const wanted = { ...labels, ...(service === undefined ? {} : { service }) };
    const named = metrics.filter((series) => series.name === name);
    const found = named
      .filter((series) => Object.entries(wanted).every(([label, value]) => series.labels[label] === value))
      .map((series) => ({
        ...series,
        points: series.points.filter(([at]) => isInside(at * 1_000)),
      }));
    const labelSelectors = Object.entries(wanted).map(([label, value]) => ({
      asked: value,
      known: new Set(named.flatMap((series) => series.labels[label] ?? [])),
    }));
    const selectors = selectorsOf([
      { asked: name, known: new Set(metrics.map((series) => series.name)) },
      ...labelSelectors,
    ]);
    // Each label may be known by itself while no series carries them together: that is no known series either.
    const known = selectors.selectorKnown === true && found.length > 0;
    return page(
      found.filter(({ points }) => points.length > 0),
      { ...selectors, selectorKnown: known },
    );
  },
});

const topologyReads = (folder: IncidentFolder): Pick<IncidentSource, 'activeAlerts' | 'dependencies'> => ({
  activeAlerts: async ({ service, includeResolved }) => {
    const alerts = await folder.alerts();
    const found = alerts.filter(
      (alert) =>
        (includeResolved || alert.endsAt === undefined) &&
        (service === undefined || (alert.service ?? alert.labels['service']) === service),
    );
    const known = new Set([
      ...(await serviceNames(folder)),
      ...alerts.flatMap((alert) => alert.service ?? []),
    ]);
    return page(found, selectorsOf([{ asked: service, known }]));
  },
  dependencies: async ({ service }) => {
    const all = await folder.dependencies();
    const found = all.filter(({ from, to }) => service === undefined || from === service || to === service);
    const known = new Set([...(await serviceNames(folder)), ...all.flatMap(({ from, to }) => [from, to])]);
    return page(found, selectorsOf([{ asked: service, known }]));
  },
});

/** Serves a recorded folder (format version 1) under a configured name. Files are read at first use and kept. */
export const incidentFolderSource = (name: string, dir: string): IncidentSource => {
  const folder = openIncidentFolder(dir);
  return {
    name,
    extent: async () => {
      const { window, services } = await folder.manifest();
      return { window, services };
    },
    ...objectReads(folder),
    ...signalReads(folder),
    ...topologyReads(folder),
  };
};
