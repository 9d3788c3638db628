import { describeWithDebian } from '@inquest/testing/describe-with';
import { execFile, execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SHOP } from '../../test/a-shop-cluster';
import { KubernetesDouble } from '../../test/kubernetes-double';

const BUILT = join(__dirname, '../../dist/kubernetes');

/**
 * The client is an ES module, which jest's own loader cannot require: the built toolset asks from a process of its own, as
 * it does in a service.
 */
const ASK = `
const { clientAccess } = require(${JSON.stringify(join(BUILT, 'client-access.js'))});
const { kubernetesApi } = require(${JSON.stringify(join(BUILT, 'kubernetes-api.js'))});
const [config, account] = process.argv.slice(1).map((text) => JSON.parse(text));
const say = (value) => process.stdout.write(JSON.stringify(value));
clientAccess(config, account)()
  .then((access) => kubernetesApi(access).getJson('/api/v1/namespaces', {}, new AbortController().signal))
  .then(({ items }) => say({ names: items.map(({ metadata }) => metadata.name) }))
  .catch(({ errorClass, message }) => say({ errorClass, message }));
`;

describeWithDebian('openssl', ['openssl'])('a cluster as a kubeconfig names it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
  let double: KubernetesDouble;

  const certificate = (name: string) => {
    const [key, cert] = [join(dir, `${name}.key`), join(dir, `${name}.crt`)];
    const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    const made = [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
    ];
    execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8'), file: cert };
  };

  beforeAll(async () => {
    const { key, cert } = certificate('cluster');
    double = await KubernetesDouble.start({ objects: SHOP, token: 'reader-token', tls: { key, cert } });
    certificate('another');
    writeFileSync(join(dir, 'token'), 'reader-token\n');
  });
  afterAll(async () => {
    await double.stop();
    rmSync(dir, { recursive: true });
  });

  /** Paths are relative to the file, as kubectl takes them. */
  const kubeconfig = (user: object, cluster: object = { 'certificate-authority': 'cluster.crt' }): string => {
    const file = join(dir, 'config');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'shop', cluster: { server: double.url, ...cluster } }],
      users: [
        { name: 'reader', user },
        { name: 'nobody', user: {} },
      ],
      contexts: [
        { name: 'reading', context: { cluster: 'shop', user: 'reader' } },
        { name: 'unknown', context: { cluster: 'shop', user: 'nobody' } },
      ],
      'current-context': 'reading',
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  };
  const askWith = async (...args: object[]): Promise<Record<string, unknown>> => {
    const texts = args.map((arg) => JSON.stringify(arg));
    const { stdout, stderr } = await promisify(execFile)(process.execPath, ['-e', ASK, ...texts]);
    expect(stderr).toBe('');
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  const ask = (file: string, context?: string) => askWith({ kubeconfig: { file, context } });
  const names = { names: ['shop', 'bank', 'kube-system'] };

  it('is asked with a token, over TLS whose certificate it names', async () => {
    expect(await ask(kubeconfig({ token: 'reader-token' }))).toEqual(names);
  });

  it.each([[() => 'token'], [() => join(dir, 'token')]])(
    'is asked with the token of a file',
    async (tokenFile) => {
      expect(await ask(kubeconfig({ tokenFile: tokenFile() }))).toEqual(names);
    },
  );

  it('is asked as the service account of the pod that asks', async () => {
    copyFileSync(join(dir, 'cluster.crt'), join(dir, 'ca.crt'));
    expect(await askWith({ inCluster: true }, { dir, server: double.url })).toEqual(names);
    const failed = { errorClass: 'SOURCE_FAILED', message: 'the Kubernetes API did not answer' };
    expect(await askWith({ inCluster: true }, { dir, server: 'https://127.0.0.1:1' })).toEqual(failed);
  });

  it('sends nothing where there is no service account', async () => {
    const before = double.requests.length;
    const answer = await askWith({ inCluster: true }, { dir: join(dir, 'absent'), server: double.url });
    expect(answer['errorClass']).toBe('ACCESS_DENIED');
    expect(double.requests).toHaveLength(before);
  });

  it('is asked with what a plug-in tells, as the clusters of clouds want it', async () => {
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'reader-token' },
    };
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
      interactiveMode: 'Never',
    };
    expect(await ask(kubeconfig({ exec }))).toEqual(names);
  });

  it.each<[string, object, object | undefined, string | undefined, string]>([
    ['a wrong token', { token: 'other' }, undefined, undefined, 'ACCESS_DENIED'],
    ['a context without a credential', { token: 'reader-token' }, undefined, 'unknown', 'ACCESS_DENIED'],
    ['a context that is not there', { token: 'reader-token' }, undefined, 'gone', 'SOURCE_FAILED'],
    [
      'a certificate of somebody else',
      { token: 'reader-token' },
      { 'certificate-authority': 'another.crt' },
      '',
      'SOURCE_FAILED',
    ],
  ])('%s is a typed failure', async (_, user, cluster, context, errorClass) => {
    const before = double.requests.length;
    const answer = await ask(kubeconfig(user, cluster), context);
    expect(answer['errorClass']).toBe(errorClass);
    expect(JSON.stringify(answer)).not.toContain('reader-token');
    expect(double.requests.length - before).toBeLessThanOrEqual(1);
  });

  it('a file that is not there, or is no kubeconfig, is a typed failure', async () => {
    const failed = { errorClass: 'SOURCE_FAILED', message: 'the kubeconfig cannot be used' };
    expect(await ask(join(dir, 'absent'))).toEqual(failed);
    writeFileSync(join(dir, 'broken'), '{');
    expect(await ask(join(dir, 'broken'))).toEqual(failed);
  });
});
