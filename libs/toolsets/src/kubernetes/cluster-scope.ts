import type { KubernetesApi } from './kubernetes-api';
import type { Resource } from './resources';

/** What a configured cluster may be asked about. */
export type ClusterScope = {
  api: KubernetesApi;
  /** The namespaces that may be read; null: all that the credential can. */
  namespaces: readonly string[] | null;
  /** For how long the cluster keeps events: what is older is gone, and its absence proves nothing. */
  eventsKeptMs: number;
  nowMs: () => number;
};

/** The lists that hold what is asked for: one per namespace, or one for the whole cluster. */
export const placesOf = (
  { namespaces }: ClusterScope,
  resource: Resource,
  namespace: string | undefined,
): (string | undefined)[] => {
  if (!resource.isNamespaced) return [undefined];
  if (namespace !== undefined) return [namespace];
  return namespaces === null ? [undefined] : [...namespaces];
};
