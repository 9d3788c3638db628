import { suggestNames } from '../suggest-names';
import { placesOf, type ClusterScope } from './cluster-scope';
import type { Standing } from './empty-page';
import { isForbidden, isNotFound } from './kubernetes-failure';
import { readList, readObject } from './read-list';
import { readLists } from './read-lists';
import { isObjectName, resourceNamed, type Resource } from './resources';

const NAMESPACE = resourceNamed('Namespace');
const known: Standing = { selectorKnown: true, suggestions: [], permissionFiltered: false };

const namesOfCluster = async ({ api }: ClusterScope, signal: AbortSignal): Promise<string[]> => {
  try {
    const { items } = await readList(api, NAMESPACE, {}, signal, 2);
    return items.map(({ metadata }) => metadata.name);
  } catch (error) {
    if (isForbidden(error)) return [];
    throw error;
  }
};

/**
 * Whether a namespace is there and may be read. The API answers a list of a namespace that does not exist with an empty
 * list, so that without this a misspelt name would read as an absence.
 */
export const namespaceStanding = async (
  scope: ClusterScope,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Standing> => {
  if (namespace === undefined) return { ...known, selectorKnown: null };
  const { api, namespaces } = scope;
  if (namespaces !== null)
    return namespaces.includes(namespace)
      ? known
      : // There may be such a namespace: it is not told, and its absence is not either.
        { selectorKnown: false, suggestions: suggestNames(namespace, namespaces), permissionFiltered: true };
  const unknown = async (): Promise<Standing> => ({
    selectorKnown: false,
    suggestions: suggestNames(namespace, await namesOfCluster(scope, signal)),
    permissionFiltered: false,
  });
  if (!isObjectName(namespace)) return unknown();
  try {
    await readObject(api, NAMESPACE, { name: namespace }, signal);
    return known;
  } catch (error) {
    if (isNotFound(error)) return unknown();
    // Who may not read namespaces may still read what is in them.
    if (isForbidden(error)) return { ...known, selectorKnown: null };
    throw error;
  }
};

/** Of an object that was not found: the names near to it that there are. */
export const nameStanding = async (
  scope: ClusterScope,
  resource: Resource,
  { namespace, name }: { namespace?: string; name: string },
  isDenied: boolean,
  signal: AbortSignal,
): Promise<Standing> => {
  const lists = placesOf(scope, resource, namespace).map((place) => ({ resource, namespace: place }));
  try {
    const { items } = await readLists(scope, lists, {}, signal);
    const names = items.map(({ metadata }) => metadata.name);
    return {
      selectorKnown: false,
      suggestions: suggestNames(name, names),
      permissionFiltered: isDenied,
    };
  } catch (error) {
    if (isForbidden(error)) return { selectorKnown: false, suggestions: [], permissionFiltered: true };
    throw error;
  }
};
