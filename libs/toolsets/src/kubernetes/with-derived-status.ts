import type { IncidentObject } from '../incident-format';
import { placesOf, type ClusterScope } from './cluster-scope';
import { withEndpoints, withReadiness, withUsers } from './derived-status';
import { isForbidden } from './kubernetes-failure';
import { readList } from './read-list';
import { readLists } from './read-lists';
import { resourceNamed } from './resources';

const isOfKind = ({ kind }: IncidentObject, wanted: string): boolean => kind === wanted;

/** Addresses behind the services of a list, where they may be read: without them a service says nothing of them. */
export const servicesWithEndpoints = async (
  scope: ClusterScope,
  objects: readonly IncidentObject[],
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<{ objects: IncidentObject[]; isDenied: boolean }> => {
  if (!objects.some((object) => isOfKind(object, 'Service')))
    return { objects: [...objects], isDenied: false };
  const slice = resourceNamed('EndpointSlice');
  const lists = placesOf(scope, slice, namespace).map((place) => ({ resource: slice, namespace: place }));
  try {
    const slices = await readLists(scope, lists, {}, signal);
    // Half of the addresses would show a service without any that has some.
    if (slices.hasMore || slices.isDenied || slices.isAbsent)
      return { objects: [...objects], isDenied: slices.isDenied };
    return {
      objects: objects.map((object) =>
        isOfKind(object, 'Service')
          ? withEndpoints(
              object,
              slices.items.filter(({ metadata }) => metadata.namespace === object.metadata.namespace),
            )
          : object,
      ),
      isDenied: false,
    };
  } catch (error) {
    if (isForbidden(error)) return { objects: [...objects], isDenied: true };
    throw error;
  }
};

/** What of an object's state a list would not show, without another request. */
export const derived = (object: IncidentObject): IncidentObject =>
  isOfKind(object, 'Node') ? withReadiness(object) : object;

/** An object with what its neighbours tell of it: who is behind a service, who uses a claim. */
export const withDerivedStatus = async (scope: ClusterScope, object: IncidentObject, signal: AbortSignal) => {
  const { namespace } = object.metadata;
  if (isOfKind(object, 'Service')) {
    const { objects, isDenied } = await servicesWithEndpoints(scope, [object], namespace, signal);
    return { object: objects[0] ?? object, isDenied };
  }
  if (!isOfKind(object, 'PersistentVolumeClaim')) return { object: derived(object), isDenied: false };
  try {
    const pods = await readList(scope.api, resourceNamed('Pod'), { namespace }, signal, 4);
    return { object: withUsers(object, pods.items), isDenied: false };
  } catch (error) {
    if (isForbidden(error)) return { object, isDenied: true };
    throw error;
  }
};
