import type { IncidentObject } from '../incident-format';
import { SourceFailure } from '../incident-source';
import { placesOf, type ClusterScope } from './cluster-scope';
import { isForbidden, isNotFound } from './kubernetes-failure';
import { readList, readObject } from './read-list';
import { inTurn } from './read-lists';
import type { Resource } from './resources';

const found = async (
  { api }: ClusterScope,
  resource: Resource,
  place: { namespace: string | undefined; name: string },
  signal: AbortSignal,
): Promise<IncidentObject[] | 'DENIED'> => {
  try {
    // Without a namespace the API finds an object of that name in all of them by one list.
    if (resource.isNamespaced && place.namespace === undefined) {
      const fieldSelector = `metadata.name=${place.name}`;
      return (await readList(api, resource, { fieldSelector }, signal, 1)).items;
    }
    return [await readObject(api, resource, place, signal)];
  } catch (error) {
    if (isForbidden(error)) return 'DENIED';
    if (isNotFound(error)) return [];
    throw error;
  }
};

/** The object in each namespace where it is, so that a name that two share is told. */
export const findObjects = async (
  scope: ClusterScope,
  resource: Resource,
  { namespace, name }: { namespace?: string; name: string },
  signal: AbortSignal,
): Promise<{ objects: IncidentObject[]; isDenied: boolean }> => {
  const answers = await inTurn(
    placesOf(scope, resource, namespace),
    (place, both) => found(scope, resource, { namespace: place, name }, both),
    signal,
  );
  const isDenied = answers.includes('DENIED');
  const objects = answers.flatMap((answer) => (answer === 'DENIED' ? [] : answer));
  if (objects.length === 0 && isDenied && answers.every((answer) => answer === 'DENIED'))
    throw new SourceFailure('ACCESS_DENIED', `no right to read ${resource.plural}`);
  return { objects, isDenied };
};
