import { fields, instantMs, isFields, list, number, strings, text, type Fields } from './fields';
import { at, type Place } from './place';
import type { SystemEvent, SystemObject } from './view';

/** Owner references, or the `Kind/name` of a list's line. */
const ownersOf = (object: Fields, metadata: Fields): SystemObject['owners'] => {
  const [kind, name] = (text(object.owner) ?? '').split('/', 2);
  if (kind && name) return [{ kind, name }];
  return list(metadata.ownerReferences).flatMap((owner) => {
    const { kind: ownerKind, name: ownerName } = fields(owner);
    return typeof ownerKind === 'string' && typeof ownerName === 'string'
      ? [{ kind: ownerKind, name: ownerName }]
      : [];
  });
};

/** `80->8080/TCP, 443/TCP` of the line of a service. */
const portsOf = (row: Fields): { port: number; targetPort: number | string; protocol: string }[] =>
  (text(row.ports) ?? '').split(/,\s*/).flatMap((part) => {
    const [, port, target = '', protocol = 'TCP'] = /^(?:(\d+)->)?([\w-]+)\/(\w+)$/.exec(part) ?? [];
    const targetPort = /^\d+$/.test(target) ? Number(target) : target;
    const own = port === undefined ? targetPort : Number(port);
    return typeof own === 'number' ? [{ port: own, targetPort, protocol }] : [];
  });

/** A Kubernetes- or host-shaped object, whole or as the line of a list. */
export const readObject = (value: unknown, place: Place, described: boolean): SystemObject[] => {
  const object = fields(value);
  const metadata = fields(object.metadata);
  const kind = text(object.kind);
  const name = text(metadata.name) ?? text(object.name);
  if (kind === null || name === null) return [];
  const status = isFields(object.status) ? object.status : { phase: object.status ?? object.phase };
  const namespace = text(metadata.namespace) ?? text(object.namespace);
  const labels = strings(metadata.labels ?? object.labels);
  const owners = ownersOf(object, metadata);
  const replicas = number(object.desiredReplicas);
  const nodeName = text(object.nodeName);
  const ports = kind === 'Service' ? portsOf(object) : [];
  const row = {
    ...(replicas === null ? {} : { replicas }),
    ...(nodeName === null ? {} : { nodeName }),
    ...(ports.length === 0 ? {} : { ports }),
  };
  const spec = isFields(object.spec) ? object.spec : row;
  return [{ place, kind, name, namespace, labels, owners, spec, status, described, alsoAt: [] }];
};

/** `about` is the object whose description holds the event. */
export const readEvent = (value: unknown, place: Place, about?: SystemObject): SystemEvent[] => {
  const event = fields(value);
  const object = fields(event.object ?? event.involvedObject ?? about);
  const [reason, message] = [text(event.reason), text(event.message)];
  if (reason === null || message === null) return [];
  return [
    {
      place,
      timeMs: instantMs(event.time ?? event.lastTimestamp ?? event.lastSeen) ?? 0,
      type: text(event.type) ?? 'Normal',
      reason,
      object: {
        kind: text(object.kind) ?? '',
        name: text(object.name) ?? '',
        namespace: text(object.namespace),
      },
      message,
      count: number(event.count) ?? 1,
    },
  ];
};

const isEvent = (row: Fields): boolean =>
  text(row.reason) !== null && text(row.message) !== null && row.metadata === undefined;

/** Rows of a list of objects; events are listed by the same tool. */
export const readRow = (value: unknown, place: Place): { objects: SystemObject[]; events: SystemEvent[] } => {
  const row = fields(value);
  return isEvent(row)
    ? { objects: [], events: readEvent(row, place) }
    : { objects: readObject(row, place, row.spec !== undefined), events: [] };
};

export const readDescription = (document: Fields, place: Place) => {
  const objects = isFields(document.object) ? readObject(document.object, at(place, 'object'), true) : [];
  const inner = list(document.events);
  const events = inner.flatMap((event, index) => readEvent(event, at(place, 'events', index), objects[0]));
  return { objects, events };
};
