import type { User } from '@kubernetes/client-node' with { 'resolution-mode': 'import' };
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { SourceFailure } from '../incident-source';
import type { ClusterAccess } from './cluster-access';
import type { KubernetesConfig } from './config';

/** Where a pod finds the credential of its service account, and the API. */
export type ServiceAccount = { dir: string; server: string };
const OWN_ACCOUNT: ServiceAccount = {
  dir: '/var/run/secrets/kubernetes.io/serviceaccount',
  server: 'https://kubernetes.default.svc',
};

/** Read again and again: a cluster renews tokens in place. */
const fromFile = (tokenFile: string) => ({ name: 'tokenFile', config: { tokenFile } });

const inCluster = ({ dir, server }: ServiceAccount) => ({
  clusters: [{ name: 'own', server, caFile: `${dir}/ca.crt`, skipTLSVerify: false }],
  users: [{ name: 'own', authProvider: fromFile(`${dir}/token`) }],
  contexts: [{ name: 'own', cluster: 'own', user: 'own' }],
  currentContext: 'own',
});

const Kubeconfig = z.looseObject({
  users: z
    .array(
      z.looseObject({
        name: z.string(),
        user: z.looseObject({ tokenFile: z.string().optional() }).nullish(),
      }),
    )
    .nullish(),
});

/** The client reads every member of a kubeconfig's user but `tokenFile`, and would ask as nobody. */
const withTokenFiles = (users: readonly User[], file: string): User[] => {
  const config = Kubeconfig.parse(parse(readFileSync(file, 'utf8')));
  return users.map((user) => {
    const tokenFile = config.users?.find(({ name }) => name === user.name)?.user?.tokenFile;
    return tokenFile === undefined || user.token !== undefined
      ? user
      : { ...user, authProvider: fromFile(resolve(dirname(file), tokenFile)) };
  });
};

/** A file ends with a line end that a header may not hold. */
const trimAuthorization = (options: RequestOptions): void => {
  const headers = options.headers as Record<string, unknown> | undefined;
  const authorization = headers?.['Authorization'];
  if (headers && typeof authorization === 'string') headers['Authorization'] = authorization.trim();
};

const loaded = async ({ kubeconfig }: KubernetesConfig, account: ServiceAccount): Promise<ClusterAccess> => {
  // The client is large and an ES module: it is loaded when a cluster is first asked.
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromOptions(inCluster(account));
  else {
    config.loadFromFile(kubeconfig.file);
    config.users = withTokenFiles(config.users, kubeconfig.file);
  }
  if (kubeconfig?.context !== undefined) {
    if (config.getContextObject(kubeconfig.context) === null) throw new Error('no such context');
    config.setCurrentContext(kubeconfig.context);
  }
  const server = config.getCurrentCluster()?.server;
  if (server === undefined) throw new Error('no current cluster');
  return {
    server,
    authorize: async (options) => {
      await config.applyToHTTPSOptions(options);
      trimAuthorization(options);
    },
  };
};

/**
 * Address and credentials as the Kubernetes client finds them: certificates, tokens, token files and the plug-ins that a
 * kubeconfig names. Loaded once, when first asked; a failure is not remembered, since the file may be there next time.
 *
 * @throws SourceFailure with one line that holds no content of the file
 */
export const clientAccess = (
  config: KubernetesConfig,
  account: ServiceAccount = OWN_ACCOUNT,
): (() => Promise<ClusterAccess>) => {
  let access: Promise<ClusterAccess> | undefined;
  return () => {
    access ??= loaded(config, account).catch((cause: unknown) => {
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
