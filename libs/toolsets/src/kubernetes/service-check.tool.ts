import { z } from 'zod';
import type { IncidentObject } from '../incident-format';
import { scopeOf } from '../incident/incident-tool';
import type { ReadOnlyTool } from '../tool';
import type { ClusterScope } from './cluster-scope';
import { clusterTool, NameArgument, NamespaceArgument, oneObject } from './cluster-tool';
import { endpointsOf } from './derived-status';
import { record } from './json-fields';
import { isForbidden, isNotFound } from './kubernetes-failure';
import { readList, type Listed } from './read-list';
import { resourceNamed } from './resources';
import { servicePath } from './service-path';

const SLICE = resourceNamed('EndpointSlice');
const POD = resourceNamed('Pod');

/** The addresses behind one service, or null where they may not be read. */
const slicesOf = async (
  { api }: ClusterScope,
  place: { namespace: string | undefined; name: string },
  signal: AbortSignal,
): Promise<Listed | null> => {
  const labelSelector = `kubernetes.io/service-name=${place.name}`;
  try {
    return await readList(api, SLICE, { namespace: place.namespace, labelSelector }, signal);
  } catch (error) {
    if (isForbidden(error) || isNotFound(error)) return null;
    throw error;
  }
};

/** The pods that a service selects; where there is none, the others of its namespace show which labels there are. */
const podsOf = async (
  { api }: ClusterScope,
  service: IncidentObject,
  signal: AbortSignal,
): Promise<{ pods: IncidentObject[]; isWhole: boolean }> => {
  const { namespace } = service.metadata;
  const selector = Object.entries(record(record(service.spec)['selector']));
  if (selector.length === 0) return { pods: [], isWhole: true };
  const labelSelector = selector.map(([key, value]) => `${key}=${String(value)}`).join(',');
  const selected = await readList(api, POD, { namespace, labelSelector }, signal);
  if (selected.items.length > 0) return { pods: selected.items, isWhole: !selected.hasMore };
  const others = await readList(api, POD, { namespace }, signal, 1);
  return { pods: others.items, isWhole: true };
};

export const serviceCheck = (scope: ClusterScope): ReadOnlyTool =>
  clusterTool(
    {
      name: 'kubernetes_service_check',
      description:
        'Follows the way from one service to its containers: selector, matching pods, which of them are ready and why not, target ports against declared ports, and endpoints. ' +
        'findings names what is broken (TARGET_PORT_IS_NOT_DECLARED only may be: a container can listen on a port that it does not declare). Use it where callers get no connection to a service. It reads the configuration and connects to nothing.',
      parameters: z.strictObject({
        service: NameArgument.describe('Exact name of the service object.'),
        namespace: NamespaceArgument.optional(),
      }),
    },
    async ({ service: name, namespace }, { signal }) => {
      const { object: service, standing } = await oneObject(scope, 'Service', { namespace, name }, signal);
      const base = {
        kind: 'OBJECT' as const,
        events: [],
        window: null,
        dataSpan: null,
        sampled: false,
        ...standing,
        untrustedPaths: ['/object/labelsOfPods'],
      };
      if (service === null) {
        const scoped = scopeOf({ service: name, namespace });
        return { ...base, object: null, scope: scoped, limitHit: false, partial: false };
      }
      const place = { namespace: service.metadata.namespace, name };
      const { pods, isWhole } = await podsOf(scope, service, signal);
      const slices = await slicesOf(scope, place, signal);
      const endpoints = slices === null || slices.hasMore ? null : slices.items.flatMap(endpointsOf);
      return {
        ...base,
        object: servicePath(service, pods, endpoints).object,
        scope: scopeOf({ service: name, namespace: place.namespace }),
        limitHit: !isWhole,
        partial: !isWhole,
        permissionFiltered: standing.permissionFiltered || slices === null,
      };
    },
  );
