import type { Json } from '@inquest/contracts/canonical-json';
import type { IncidentObject } from '../incident-format';
import type { JsonObject } from '../tool';
import type { Endpoint } from './derived-status';
import { list, present, record, text } from './json-fields';

/** What breaks the way from a service to a container, from the front to the back. */
export type ServiceFinding =
  | 'SERVICE_HAS_NO_SELECTOR'
  | 'NO_POD_MATCHES_SELECTOR'
  | 'NO_POD_IS_READY'
  | 'SOME_PODS_ARE_NOT_READY'
  | 'NAMED_TARGET_PORT_IS_UNKNOWN'
  | 'TARGET_PORT_IS_NOT_DECLARED'
  | 'NO_READY_ENDPOINT'
  | 'ENDPOINTS_ARE_NOT_KNOWN'
  | 'PATH_IS_WHOLE';

const SHOWN_MAX = 20;

/** Those that run as long as the pod does, sidecars that are written as init containers among them. */
const containersOf = (pod: IncidentObject) => [
  ...list(record(pod.spec)['containers']).map(record),
  ...list(record(pod.spec)['initContainers'])
    .map(record)
    .filter(({ restartPolicy }) => restartPolicy === 'Always'),
];

type DeclaredPort = { container: string; name: string | undefined; port: number };

const declaredPorts = (pods: readonly IncidentObject[]): DeclaredPort[] => {
  const ports = pods.flatMap((pod) =>
    containersOf(pod).flatMap((container) =>
      list(container['ports']).flatMap((item): DeclaredPort[] => {
        const { name, containerPort } = record(item);
        return typeof containerPort === 'number'
          ? [{ container: text(container['name']) ?? '', name: text(name), port: containerPort }]
          : [];
      }),
    ),
  );
  const keyOf = ({ container, name, port }: DeclaredPort) => `${container}/${name ?? ''}/${port}`;
  return [...new Map(ports.map((port) => [keyOf(port), port])).values()];
};

export const isPodReady = (pod: IncidentObject): boolean =>
  list(record(pod.status)['conditions'])
    .map(record)
    .some(({ type, status }) => type === 'Ready' && status === 'True');

/** Why a pod is not ready, in the words of its containers. */
const whyNot = (pod: IncidentObject): string => {
  const reasons = list(record(pod.status)['containerStatuses']).flatMap((container) => {
    const { waiting, terminated } = record(record(container)['state']);
    return text(record(waiting)['reason']) ?? text(record(terminated)['reason']) ?? [];
  });
  return reasons.length > 0
    ? [...new Set(reasons)].join(', ')
    : (text(record(pod.status)['phase']) ?? 'unknown');
};

type PortCheck = { row: JsonObject; finding: ServiceFinding | null };

/** A named port must be declared by a container; a number need not be, and mostly is where it is right. */
const checkPort = (item: Json, declared: readonly DeclaredPort[]): PortCheck => {
  const { name, port, targetPort, protocol } = record(item);
  const target = targetPort ?? port;
  const found = declared.find((each) =>
    typeof target === 'string' ? each.name === target : each.port === target,
  );
  const row = present({
    name,
    port,
    targetPort: target,
    protocol,
    container: found?.container,
    containerPort: found?.port,
  });
  if (found || declared.length === 0) return { row, finding: null };
  return {
    row,
    finding: typeof target === 'string' ? 'NAMED_TARGET_PORT_IS_UNKNOWN' : 'TARGET_PORT_IS_NOT_DECLARED',
  };
};

/** Label values of the namespace's pods that a selector's keys could have meant. */
const labelsNear = (selector: JsonObject, pods: readonly IncidentObject[]): JsonObject => {
  const values = (key: string) => [...new Set(pods.flatMap(({ metadata }) => metadata.labels?.[key] ?? []))];
  return Object.fromEntries(
    Object.keys(selector).map((key) => [key, values(key).sort().slice(0, SHOWN_MAX)]),
  );
};

export const selectsPod = (selector: JsonObject, { metadata }: IncidentObject): boolean =>
  Object.entries(selector).every(([key, value]) => metadata.labels?.[key] === value);

/**
 * The way from a service to its containers: selector, pods, readiness, ports, endpoints. Pure: the shell reads what it takes.
 *
 * @param pods all pods of the service's namespace
 */
export const servicePath = (
  service: IncidentObject,
  pods: readonly IncidentObject[],
  endpoints: readonly Endpoint[] | null,
): { object: JsonObject; findings: ServiceFinding[] } => {
  const spec = record(service.spec);
  const selector = record(spec['selector']);
  const hasSelector = Object.keys(selector).length > 0;
  const matched = hasSelector ? pods.filter((pod) => selectsPod(selector, pod)) : [];
  const unready = matched.filter((pod) => !isPodReady(pod));
  const declared = declaredPorts(matched);
  const ports = list(spec['ports']).map((port) => checkPort(port, declared));
  const readyEndpoints = endpoints?.filter(({ isReady }) => isReady) ?? null;
  const candidates: (ServiceFinding | false | null)[] = [
    !hasSelector && 'SERVICE_HAS_NO_SELECTOR',
    hasSelector && matched.length === 0 && 'NO_POD_MATCHES_SELECTOR',
    matched.length > 0 && unready.length === matched.length && 'NO_POD_IS_READY',
    unready.length > 0 && unready.length < matched.length && 'SOME_PODS_ARE_NOT_READY',
    ...ports.map(({ finding }) => finding),
    endpoints === null && 'ENDPOINTS_ARE_NOT_KNOWN',
    readyEndpoints !== null &&
      readyEndpoints.length === 0 &&
      spec['type'] !== 'ExternalName' &&
      'NO_READY_ENDPOINT',
  ];
  const broken = [...new Set(candidates.filter((finding) => finding !== null && finding !== false))];
  const findings: ServiceFinding[] = broken.length > 0 ? broken : ['PATH_IS_WHOLE'];
  const object = present({
    kind: 'Service',
    metadata: present({ name: service.metadata.name, namespace: service.metadata.namespace }),
    findings,
    type: spec['type'],
    externalName: spec['externalName'],
    selector,
    ports: ports.map(({ row }) => row),
    pods: {
      matched: matched.length,
      ready: matched.length - unready.length,
      notReady: unready.slice(0, SHOWN_MAX).map((pod) => ({ name: pod.metadata.name, why: whyNot(pod) })),
    },
    labelsOfPods: hasSelector && matched.length === 0 ? labelsNear(selector, pods) : undefined,
    declaredPorts: declared
      .slice(0, SHOWN_MAX)
      .map(({ container, name, port }) => present({ container, name, port })),
    endpoints:
      endpoints === null || readyEndpoints === null
        ? undefined
        : {
            ready: readyEndpoints.length,
            notReady: endpoints.length - readyEndpoints.length,
            addresses: readyEndpoints
              .slice(0, SHOWN_MAX)
              .map(({ address, pod, ports: numbers }) => present({ address, pod, ports: numbers })),
          },
  });
  return { object, findings };
};
