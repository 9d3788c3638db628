import type { RequestOptions } from 'node:https';
import { SourceFailure } from '../incident-source';
import type { ClusterAccess } from './cluster-access';
import type { KubernetesConfig } from './config';

/** Where a pod finds the credential of its service account, and the API. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';
const IN_CLUSTER_SERVER = 'https://kubernetes.default.svc';

/** The token is read from its file again and again: the cluster renews it in place. */
const inCluster = (dir: string, server: string) => ({
  clusters: [{ name: 'own', server, caFile: `${dir}/ca.crt`, skipTLSVerify: false }],
  users: [{ name: 'own', authProvider: { name: 'tokenFile', config: { tokenFile: `${dir}/token` } } }],
  contexts: [{ name: 'own', cluster: 'own', user: 'own' }],
  currentContext: 'own',
});

const loaded = async ({ kubeconfig }: KubernetesConfig): Promise<ClusterAccess> => {
  // The client is large and an ES module: it is loaded when a cluster is first asked.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromOptions(inCluster(SERVICE_ACCOUNT, IN_CLUSTER_SERVER));
  else config.loadFromFile(kubeconfig.file);
  if (kubeconfig?.context !== undefined) {
    if (config.getContextObject(kubeconfig.context) === null) throw new Error('no such context');
    config.setCurrentContext(kubeconfig.context);
  }
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('no current cluster');
  return { server, authorize: (options: RequestOptions) => config.applyToHTTPSOptions(options) };
};

/**
 * Address and credentials as the Kubernetes client finds them: certificates, tokens, token files and the plug-ins that a
 * kubeconfig names. Loaded once, when first asked; a failure is not remembered, since the file may be there next time.
 *
 * @throws SourceFailure with one line that holds no content of the file
 */
export const clientAccess = (config: KubernetesConfig): (() => Promise<ClusterAccess>) => {
  let access: Promise<ClusterAccess> | undefined;
  return () => {
    access ??= loaded(config).catch((cause: unknown) => {
      access = undefined;
      throw new SourceFailure(
        'SOURCE_FAILED',
        config.kubeconfig ? 'the kubeconfig cannot be used' : 'there is no service account',
        cause,
      );
    });
    return access;
  };
};
