/** What a recording calls a kind, and what objects call it. */
export const KINDS: Readonly<Record<string, string>> = {
  pods: 'Pod',
  deployments: 'Deployment',
  statefulsets: 'StatefulSet',
  daemonsets: 'DaemonSet',
  services: 'Service',
  nodes: 'Node',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  persistentvolumes: 'PersistentVolume',
  resourcequota: 'ResourceQuota',
  replicasets: 'ReplicaSet',
  endpoints: 'Endpoints',
  ingresses: 'Ingress',
  networkpolicies: 'NetworkPolicy',
  jobs: 'Job',
  storageclasses: 'StorageClass',
  namespaces: 'Namespace',
  serviceaccounts: 'ServiceAccount',
  configmaps: 'ConfigMap',
  secrets: 'Secret',
  rolebindings: 'RoleBinding',
};

const flat = (kind: string): string =>
  kind
    .toLowerCase()
    .replace(/(?<=ss|x|ch)es$|(?<=[^s])s$/, '')
    .replace(/ie$/, 'y');

/** The recording's word for a kind that somebody asks for: `pod`, `Pods` and `Pod` mean the same. */
export const resourceOf = (kind: string): string | undefined =>
  Object.entries(KINDS).find(
    ([resource, name]) => flat(name) === flat(kind) || resource === kind.toLowerCase(),
  )?.[0];

/** `Pod` of `pod`. A kind that is not in the table keeps its word. */
export const kindOf = (word: string): string => {
  const resource = resourceOf(word);
  return resource === undefined ? word.charAt(0).toUpperCase() + word.slice(1) : (KINDS[resource] ?? word);
};
