import type { ConnectionCheck, OpenToolset, Toolset } from '../sources/toolset';
import { clientAccess } from './client-access';
import type { ClusterAccess } from './cluster-access';
import type { ClusterScope } from './cluster-scope';
import type { KubernetesConfig } from './config';
import { record, text } from './json-fields';
import { kubernetesApi, type KubernetesApi } from './kubernetes-api';
import { isForbidden, KubernetesFailure } from './kubernetes-failure';
import { nodeCheck } from './node-check.tool';
import { objectManifest } from './object-manifest.tool';
import { objectReads } from './object-reads';
import { podLogs } from './pod-logs.tool';
import { quotaCheck } from './quota-check.tool';
import { readList } from './read-list';
import { resourceNamed } from './resources';
import { serviceCheck } from './service-check.tool';

/** Loads the credential with the first request, so that opening a toolset reads no file. */
const lazyApi = (open: () => Promise<ClusterAccess>): KubernetesApi => ({
  getJson: async (...args) => kubernetesApi(await open()).getJson(...args),
  getText: async (...args) => kubernetesApi(await open()).getText(...args),
});

const REMEDIES = {
  ACCESS_DENIED: 'check the credential, and apply deploy/kubernetes-reader.yaml',
  SOURCE_FAILED: 'check the address of the cluster, the kubeconfig and its context',
  RESULT_UNUSABLE: 'check that the address is that of a Kubernetes API',
} as const;

/** What can be seen of each namespace, so that a missing right is known before a question needs it. */
const checkOf = async ({ api, namespaces }: ClusterScope, signal: AbortSignal): Promise<ConnectionCheck> => {
  const version = text(record(await api.getJson('/version', {}, signal))['gitVersion']) ?? 'unknown version';
  const pods = resourceNamed('Pod');
  const denied: string[] = [];
  for (const namespace of namespaces ?? [undefined]) {
    try {
      await readList(api, pods, { namespace }, signal, 1);
    } catch (error) {
      if (!isForbidden(error)) throw error;
      denied.push(namespace ?? 'all namespaces');
    }
  }
  const reach = namespaces === null ? 'all namespaces' : `${namespaces.length} namespaces`;
  return denied.length === 0
    ? { ok: true, detail: `Kubernetes ${version}, ${reach}`, remedy: null }
    : {
        ok: false,
        detail: `Kubernetes ${version}; no right to list pods in ${denied.join(', ')}`,
        remedy: REMEDIES.ACCESS_DENIED,
      };
};

/** The tools of one cluster, whichever way it is reached. */
export const clusterToolset = (name: string, scope: ClusterScope): Toolset => {
  const tools = [podLogs, objectManifest, quotaCheck, nodeCheck, serviceCheck].map((tool) => tool(scope));
  return {
    name,
    tools: () => Promise.resolve(tools),
    incident: objectReads(scope),
    check: async (signal) => {
      try {
        return await checkOf(scope, signal);
      } catch (error) {
        signal.throwIfAborted();
        const errorClass = error instanceof KubernetesFailure ? error.errorClass : 'SOURCE_FAILED';
        const status =
          error instanceof KubernetesFailure && error.status !== null ? ` (${error.status})` : '';
        return { ok: false, detail: `the cluster cannot be asked${status}`, remedy: REMEDIES[errorClass] };
      }
    },
    close: () => Promise.resolve(),
  };
};

export const openKubernetes: OpenToolset<KubernetesConfig> = (config, { instance, nowMs = Date.now }) =>
  clusterToolset(instance, {
    api: lazyApi(clientAccess(config)),
    namespaces: config.namespaces ?? null,
    eventsKeptMs: config.eventsKeptMinutes * 60_000,
    nowMs,
  });
