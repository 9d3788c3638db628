import type { Json } from '@inquest/contracts/canonical-json';
import type { IncidentObject } from '../incident-format';
import type { JsonObject } from '../tool';

const asRecord = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const asArray = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** What `kubectl get pods` shows: readiness, restarts, and why a container waits or ended. */
const podStatus = (status: Record<string, unknown>): JsonObject => {
  const containers = asArray(status['containerStatuses']).map(asRecord);
  const reasons = containers.flatMap((container) => {
    const state = asRecord(container['state']);
    const reason = asRecord(state['waiting'])['reason'] ?? asRecord(state['terminated'])['reason'];
    return typeof reason === 'string' ? [reason] : [];
  });
  const ready = containers.filter((container) => container['ready'] === true).length;
  const restarts = containers.reduce((sum, container) => sum + Number(container['restartCount'] ?? 0), 0);
  return {
    ...(containers.length > 0 ? { ready: `${ready}/${containers.length}`, restarts } : {}),
    ...(reasons.length > 0 ? { reasons: [...new Set(reasons)] } : {}),
  };
};

const scalarsOf = (record: Record<string, unknown>): JsonObject =>
  Object.fromEntries(Object.entries(record).filter((entry): entry is [string, string] => isScalar(entry[1])));

/** `80->8080/TCP`, or `80/TCP` where both are the same: what is offered, and where it is sent to. */
const portsOf = (spec: Record<string, unknown>): string =>
  asArray(spec['ports'])
    .map(asRecord)
    .flatMap(({ port, targetPort = port, protocol = 'TCP' }) =>
      typeof port === 'number'
        ? [`${port === targetPort ? '' : `${port}->`}${String(targetPort)}/${String(protocol)}`]
        : [],
    )
    .join(', ');

/** One line about an object: identity, labels, owner, and the plain members of its status. */
export const objectRow = (object: IncidentObject): Json => {
  const { kind, metadata } = object;
  const fullStatus = asRecord(object.status);
  const status = { ...scalarsOf(fullStatus), ...podStatus(fullStatus) };
  const owner = metadata.ownerReferences?.[0];
  const ports = kind === 'Service' ? portsOf(asRecord(object.spec)) : '';
  const { replicas, nodeName } = asRecord(object.spec);
  return {
    kind,
    name: metadata.name,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    ...(metadata.labels && Object.keys(metadata.labels).length > 0 ? { labels: metadata.labels } : {}),
    ...(owner ? { owner: `${owner.kind}/${owner.name}` } : {}),
    ...(metadata.creationTimestamp ? { createdAt: metadata.creationTimestamp } : {}),
    ...(typeof replicas === 'number' ? { desiredReplicas: replicas } : {}),
    ...(kind === 'Pod' && typeof nodeName === 'string' ? { nodeName } : {}),
    ...(ports === '' ? {} : { ports }),
    ...(Object.keys(status).length > 0 ? { status } : {}),
  };
};
