import type { Json } from '@inquest/contracts/canonical-json';
import type { IncidentObject } from '../incident-format';
import type { JsonObject } from '../tool';
import { list, record, text } from './json-fields';

/** One address behind a service. */
export type Endpoint = { address: string; pod: string | undefined; isReady: boolean; ports: number[] };

/** What an EndpointSlice says of a service; a condition that is missing reads as ready, as the API has it. */
export const endpointsOf = (slice: IncidentObject): Endpoint[] => {
  const ports = list(slice['ports']).flatMap((port) => {
    const { port: number } = record(port);
    return typeof number === 'number' ? [number] : [];
  });
  return list(slice['endpoints']).flatMap((item) => {
    const endpoint = record(item);
    const isReady = record(endpoint['conditions'])['ready'] !== false;
    const target = record(endpoint['targetRef']);
    const pod = target['kind'] === 'Pod' ? text(target['name']) : undefined;
    return list(endpoint['addresses']).map((address) => ({ address: String(address), pod, isReady, ports }));
  });
};

export const serviceOfSlice = (slice: IncidentObject): string | undefined =>
  slice.metadata.labels?.['kubernetes.io/service-name'];

const SHOWN_MAX = 20;
const addressText = ({ address, ports }: Endpoint): string =>
  ports.length === 0 ? address : ports.map((port) => `${address}:${port}`).join(', ');

const withStatus = (object: IncidentObject, more: JsonObject): IncidentObject => ({
  ...object,
  status: { ...record(object.status), ...more },
});

/** A name of another host has no endpoints by nature, and saying so would read as a fault. */
const hasEndpoints = (service: IncidentObject): boolean => record(service.spec)['type'] !== 'ExternalName';

/** `status.endpoints`: the ready addresses as one text, or `none`. */
export const withEndpoints = (service: IncidentObject, slices: readonly IncidentObject[]): IncidentObject => {
  if (!hasEndpoints(service)) return service;
  const all = slices.filter((slice) => serviceOfSlice(slice) === service.metadata.name).flatMap(endpointsOf);
  const ready = all.filter(({ isReady }) => isReady);
  const more = ready.length > SHOWN_MAX ? ` and ${ready.length - SHOWN_MAX} more` : '';
  return withStatus(service, {
    endpoints: ready.length === 0 ? 'none' : ready.slice(0, SHOWN_MAX).map(addressText).join(', ') + more,
    ...(all.length > ready.length ? { endpointsNotReady: all.length - ready.length } : {}),
  });
};

/** `status.ready`, which a list can show, of the condition that holds it. */
export const withReadiness = (node: IncidentObject): IncidentObject => {
  const ready = list(record(node.status)['conditions'])
    .map(record)
    .find(({ type }) => type === 'Ready');
  return withStatus(node, {
    ...(ready === undefined ? {} : { ready: ready['status'] === 'True' }),
    ...(record(node.spec)['unschedulable'] === true ? { unschedulable: true } : {}),
  });
};

export const claimsOf = (pod: IncidentObject): string[] =>
  list(record(pod.spec)['volumes']).flatMap(
    (volume: Json) => text(record(record(volume)['persistentVolumeClaim'])['claimName']) ?? [],
  );

/** `status.usedBy`: the pods that mount a claim. */
export const withUsers = (claim: IncidentObject, pods: readonly IncidentObject[]): IncidentObject => {
  const users = pods.filter((pod) => claimsOf(pod).includes(claim.metadata.name));
  const names = users.map(({ metadata }) => metadata.name).slice(0, SHOWN_MAX);
  return names.length === 0 ? claim : withStatus(claim, { usedBy: names.join(', ') });
};
