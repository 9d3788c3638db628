import { suggestNames } from '../suggest-names';

/** One kind of object of the Kubernetes API: what it is called, and where it is read. */
export type Resource = {
  kind: string;
  plural: string;
  /** `/api/v1` for the core group, `/apis/<group>/<version>` for every other. */
  root: string;
  isNamespaced: boolean;
  /** What `kubectl` takes for it as well. */
  short?: string;
  /** Listed where no kind is named: what runs, what it stands on, and what limits it. */
  isOverview?: boolean;
};

const core = (kind: string, plural: string, more: Partial<Resource> = {}): Resource => ({
  kind,
  plural,
  root: '/api/v1',
  isNamespaced: true,
  ...more,
});
const grouped = (root: string, kind: string, plural: string, more: Partial<Resource> = {}): Resource => ({
  kind,
  plural,
  root: `/apis/${root}`,
  isNamespaced: true,
  ...more,
});

/** Every kind that can be read, in the order in which an overview shows them. Secrets are not among them. */
export const RESOURCES: readonly Resource[] = [
  core('Node', 'nodes', { isNamespaced: false, short: 'no', isOverview: true }),
  core('Service', 'services', { short: 'svc', isOverview: true }),
  grouped('apps/v1', 'Deployment', 'deployments', { short: 'deploy', isOverview: true }),
  grouped('apps/v1', 'StatefulSet', 'statefulsets', { short: 'sts', isOverview: true }),
  grouped('apps/v1', 'DaemonSet', 'daemonsets', { short: 'ds', isOverview: true }),
  core('ResourceQuota', 'resourcequotas', { short: 'quota', isOverview: true }),
  core('PersistentVolumeClaim', 'persistentvolumeclaims', { short: 'pvc', isOverview: true }),
  core('PersistentVolume', 'persistentvolumes', { isNamespaced: false, short: 'pv', isOverview: true }),
  grouped('networking.k8s.io/v1', 'Ingress', 'ingresses', { short: 'ing', isOverview: true }),
  grouped('autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', {
    short: 'hpa',
    isOverview: true,
  }),
  grouped('batch/v1', 'Job', 'jobs', { isOverview: true }),
  core('Pod', 'pods', { short: 'po', isOverview: true }),
  core('Namespace', 'namespaces', { isNamespaced: false, short: 'ns' }),
  core('LimitRange', 'limitranges', { short: 'limits' }),
  core('Endpoints', 'endpoints', { short: 'ep' }),
  core('ConfigMap', 'configmaps', { short: 'cm' }),
  core('ServiceAccount', 'serviceaccounts', { short: 'sa' }),
  core('ReplicationController', 'replicationcontrollers', { short: 'rc' }),
  core('Event', 'events', { short: 'ev' }),
  grouped('apps/v1', 'ReplicaSet', 'replicasets', { short: 'rs' }),
  grouped('batch/v1', 'CronJob', 'cronjobs', { short: 'cj' }),
  grouped('networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', { short: 'netpol' }),
  grouped('discovery.k8s.io/v1', 'EndpointSlice', 'endpointslices'),
  grouped('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', { short: 'pdb' }),
  grouped('storage.k8s.io/v1', 'StorageClass', 'storageclasses', { isNamespaced: false, short: 'sc' }),
];

const matches = ({ kind, plural, short }: Resource, asked: string): boolean =>
  [kind.toLowerCase(), plural, short].includes(asked);

/** `pod`, `Pods`, `po` and `Pod` mean the same. */
export const resourceOf = (asked: string): Resource | undefined =>
  RESOURCES.find((resource) => matches(resource, asked.toLowerCase()));

/** Kinds that hold credentials: no right is asked for them, and no request is sent. */
export const isSecretKind = (asked: string): boolean => /^secrets?$/i.test(asked);

/** For a part of the toolset that always reads the same kind. */
export const resourceNamed = (kind: string): Resource => {
  const found = resourceOf(kind);
  if (found === undefined) throw new Error(`no resource ${kind}`);
  return found;
};

export const kindsNear = (asked: string): string[] =>
  suggestNames(
    asked,
    RESOURCES.map(({ kind }) => kind),
  );

/** What the API allows as a name, or as a value in a selector; anything else names nothing, and `..` would be another path. */
export const isObjectName = (name: string): boolean =>
  /^[A-Za-z0-9](?:[A-Za-z0-9._:-]{0,251}[A-Za-z0-9])?$/.test(name);

const segment = (name: string): string => {
  if (!isObjectName(name)) throw new Error('no name of an object');
  return encodeURIComponent(name);
};

/** The documented path of a list, or of one object of it. */
export const pathOf = (
  { root, plural, isNamespaced }: Resource,
  { namespace, name, subresource }: { namespace?: string; name?: string; subresource?: 'log' },
): string =>
  [
    root,
    ...(isNamespaced && namespace !== undefined ? ['namespaces', segment(namespace)] : []),
    plural,
    ...(name === undefined ? [] : [segment(name)]),
    ...(subresource === undefined ? [] : [subresource]),
  ].join('/');
