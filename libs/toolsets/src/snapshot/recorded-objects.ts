import { parseAllDocuments } from 'yaml';
import type { IncidentEvent, IncidentObject } from '../incident-format';
import type { JsonObject } from '../tool';
import { KINDS } from './kinds';
import { nodeServices, serviceConnections } from './recorded-checks';
import { objectOf } from './object-of';
import { printedTable } from './printed-table';
import { describedEvents } from './recorded-events';
import { isFailure, notRecorded, printed, type RecordedAnswers } from './recorded-answers';

/** Kinds that belong to the cluster and to no namespace of it. */
const OF_THE_CLUSTER = new Set(['Node', 'PersistentVolume', 'StorageClass', 'Namespace']);

const record = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

/** Members of `over` win, member by member. */
const merged = (under: JsonObject, over: JsonObject): JsonObject => ({
  ...under,
  ...Object.fromEntries(
    Object.entries(over).map(([key, value]) => {
      const [a, b] = [record(under[key]), record(value)];
      return [key, Object.keys(a).length > 0 && Object.keys(b).length > 0 ? merged(a, b) : value];
    }),
  ),
});

/** The manifests that were applied: what an object asks for also where its description leaves it out. */
const manifestsOf = (answers: RecordedAnswers): Map<string, JsonObject> => {
  const specs = new Map<string, JsonObject>();
  for (const { answer } of answers.of('GetAppYAML')) {
    if (typeof answer !== 'string') continue;
    for (const document of parseAllDocuments(answer)) {
      if ('errors' in document && document.errors.length > 0) continue;
      const manifest = record(document.toJSON());
      const name = record(manifest['metadata'])['name'];
      specs.set(`${String(manifest['kind'])}/${String(name)}`, record(manifest['spec']));
    }
  }
  return specs;
};

type Row = { namespace: string; cells: Record<string, string> };
type Listing = { names: string[]; rows: Row[] };

/** Lists of a whole kind: those that were narrowed by a label or printed wider tell nothing more. */
const callsFor = (answers: RecordedAnswers, resource: string) =>
  answers
    .of('GetResources')
    .filter(
      ({ args }) =>
        args['resource_type'] === resource &&
        args['name'] === '' &&
        Object.keys(args).every((key) => ['resource_type', 'name', 'namespace'].includes(key)),
    );

/** @throws SourceFailure where the kind was never listed */
const listingOf = (answers: RecordedAnswers, resource: string): Listing => {
  const calls = callsFor(answers, resource);
  if (calls.length === 0) throw notRecorded(`a list of ${resource}`);
  const rows = calls.flatMap(({ args, answer }) =>
    printedTable(typeof answer === 'string' ? (printed(answer) ?? '') : '')
      .filter((cells) => cells['NAME'] !== undefined)
      .map((cells) => ({ namespace: String(args['namespace'] ?? ''), cells })),
  );
  return { names: [...new Set(rows.map(({ cells }) => cells['NAME'] ?? ''))], rows };
};

/** Undefined: nobody recorded it; null: the cluster said that there is no such object. */
const descriptionOf = (
  answers: RecordedAnswers,
  resource: string,
  name: string,
): string | null | undefined => {
  const found = answers
    .of('DescribeResource')
    .find(({ args }) => args['resource_type'] === resource && args['name'] === name);
  return found === undefined ? undefined : printed(found.answer);
};

const checksOf = (answers: RecordedAnswers, { kind, metadata: { name } }: IncidentObject): JsonObject => {
  if (kind === 'Node') return nodeServices(answers, name);
  return kind === 'Service' ? serviceConnections(answers, name) : {};
};

/** An object of which only its line in a list was recorded. */
const fromRow = (resource: string, { namespace, cells }: Row): IncidentObject => {
  const { NAME: name = '', AGE: _, ...status } = cells;
  const kind = KINDS[resource] ?? resource;
  const own = OF_THE_CLUSTER.has(kind) || namespace === '' ? {} : { namespace };
  return { kind, metadata: { name, ...own, labels: {} }, spec: {}, status };
};

/** The objects of one recorded cluster. */
export const recordedObjects = (answers: RecordedAnswers, atMs: number) => {
  let manifests: Map<string, JsonObject> | undefined;
  const calls = answers.of('GetResources');
  const namespaces = [
    ...new Set(
      calls.flatMap(({ args }) => (typeof args['namespace'] === 'string' ? [args['namespace']] : [])),
    ),
  ];

  const whole = (resource: string, text: string): IncidentObject => {
    const kind = KINDS[resource] ?? resource;
    const object = objectOf(kind, text);
    manifests ??= manifestsOf(answers);
    const asked = manifests.get(`${kind}/${object.metadata.name}`) ?? {};
    const status = { ...record(object.status), ...checksOf(answers, object) };
    return { ...object, spec: merged(asked, record(object.spec)), status };
  };

  return {
    namespaces,
    isListed: (resource: string): boolean => callsFor(answers, resource).length > 0,
    /** The list was asked for, and the cluster gave an error. */
    hasFailed: (resource: string): boolean =>
      callsFor(answers, resource).some(({ answer }) => typeof answer === 'string' && isFailure(answer)),
    namesOf: (resource: string): string[] => listingOf(answers, resource).names,
    objectsOf: (resource: string): IncidentObject[] =>
      listingOf(answers, resource).rows.map((row) => {
        const text = descriptionOf(answers, resource, row.cells['NAME'] ?? '');
        return text ? whole(resource, text) : fromRow(resource, row);
      }),
    /** Every event at the end of a recorded description. */
    events: (): IncidentEvent[] =>
      answers.of('DescribeResource').flatMap(({ args, answer }) => {
        const [kind, name] = [KINDS[String(args['resource_type'])], String(args['name'])];
        if (kind === undefined || typeof answer !== 'string') return [];
        const namespace = OF_THE_CLUSTER.has(kind) ? undefined : args['namespace'];
        const about = { kind, name, ...(namespace === undefined ? {} : { namespace: String(namespace) }) };
        return describedEvents(answer, about, atMs);
      }),
    /** The whole object and the events about it; null where the cluster says that it does not exist. */
    describe: (
      resource: string,
      name: string,
    ): { object: IncidentObject; events: IncidentEvent[] } | null => {
      const text = descriptionOf(answers, resource, name);
      if (text === undefined) {
        if (!listingOf(answers, resource).names.includes(name)) return null;
        throw notRecorded(`a description of ${resource}/${name}`);
      }
      if (text === null) return null;
      const object = whole(resource, text);
      const { namespace } = object.metadata;
      const about = { kind: object.kind, name, ...(namespace === undefined ? {} : { namespace }) };
      return { object, events: describedEvents(text, about, atMs) };
    },
  };
};
export type RecordedObjects = ReturnType<typeof recordedObjects>;
