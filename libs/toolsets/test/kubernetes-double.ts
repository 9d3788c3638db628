import { createServer as createTlsServer } from 'node:https';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A double of the Kubernetes API: a real HTTP server that answers the documented paths of the API with its documented
 * JSON. It is written from the API's reference and shares nothing with the toolset, whose paths it would else confirm.
 */
export type KubernetesObject = {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string>; [key: string]: unknown };
  [key: string]: unknown;
};

export type Request = {
  method: string;
  path: string;
  query: URLSearchParams;
  authorization: string | undefined;
};

/** What goes wrong: after the head and a part of the body, before any answer, or with an answer of another kind. */
export type Fault =
  'HANG' | 'CUT' | 'NO_JSON' | 'HALF_JSON' | 'HTML' | 'HUGE' | 'BUSY' | 'REDIRECT' | 'RESET' | 'SILENT_BODY';

type Options = {
  /** Serves over TLS, as every cluster does. */
  tls?: { key: string; cert: string };
  objects: readonly KubernetesObject[];
  /** By `namespace/pod/container`, `/previous` for the run before. */
  logs?: Readonly<Record<string, string>>;
  token?: string;
  /** RBAC: whether a request may read; namespace undefined: over the whole cluster. */
  mayRead?: (plural: string, namespace: string | undefined) => boolean;
  /** API groups that this cluster does not serve, e.g. `autoscaling/v2`. */
  unserved?: readonly string[];
  /** A `continue` token is refused from the second page on. */
  tokensExpire?: boolean;
  /** The server makes pages of at most so many items, whatever is asked. */
  pageMax?: number;
};

const KINDS: Readonly<Record<string, readonly [root: string, kind: string]>> = {
  pods: ['/api/v1', 'Pod'],
  services: ['/api/v1', 'Service'],
  endpoints: ['/api/v1', 'Endpoints'],
  nodes: ['/api/v1', 'Node'],
  namespaces: ['/api/v1', 'Namespace'],
  events: ['/api/v1', 'Event'],
  configmaps: ['/api/v1', 'ConfigMap'],
  secrets: ['/api/v1', 'Secret'],
  serviceaccounts: ['/api/v1', 'ServiceAccount'],
  replicationcontrollers: ['/api/v1', 'ReplicationController'],
  resourcequotas: ['/api/v1', 'ResourceQuota'],
  limitranges: ['/api/v1', 'LimitRange'],
  persistentvolumeclaims: ['/api/v1', 'PersistentVolumeClaim'],
  persistentvolumes: ['/api/v1', 'PersistentVolume'],
  deployments: ['/apis/apps/v1', 'Deployment'],
  statefulsets: ['/apis/apps/v1', 'StatefulSet'],
  daemonsets: ['/apis/apps/v1', 'DaemonSet'],
  replicasets: ['/apis/apps/v1', 'ReplicaSet'],
  jobs: ['/apis/batch/v1', 'Job'],
  cronjobs: ['/apis/batch/v1', 'CronJob'],
  ingresses: ['/apis/networking.k8s.io/v1', 'Ingress'],
  networkpolicies: ['/apis/networking.k8s.io/v1', 'NetworkPolicy'],
  horizontalpodautoscalers: ['/apis/autoscaling/v2', 'HorizontalPodAutoscaler'],
  endpointslices: ['/apis/discovery.k8s.io/v1', 'EndpointSlice'],
  poddisruptionbudgets: ['/apis/policy/v1', 'PodDisruptionBudget'],
  storageclasses: ['/apis/storage.k8s.io/v1', 'StorageClass'],
};

const statusBody = (code: number, reason: string, message: string, more: object = {}) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  reason,
  code,
  ...more,
});

const send = (response: ServerResponse, code: number, body: object): void => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

type Place = { root: string; namespace: string | undefined; plural: string; name?: string; sub?: string };

/** `/api/v1/namespaces/shop/pods/web-1/log`; `/api/v1/namespaces/shop` is a namespace itself. */
const placeOf = (path: string): Place | undefined => {
  const [, root = '', rest = ''] = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)\/(.+)$/.exec(path) ?? [];
  const parts = rest.split('/').map(decodeURIComponent);
  if (root === '') return undefined;
  if (parts[0] === 'namespaces' && parts.length > 2)
    return { root, namespace: parts[1], plural: parts[2] ?? '', name: parts[3], sub: parts[4] };
  return { root, namespace: undefined, plural: parts[0] ?? '', name: parts[1], sub: parts[2] };
};

const fieldOf = (object: KubernetesObject, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], object);

/** Equality only, as the API's field selectors are; of labels the same subset. */
const selects = (selector: string | null, valueOf: (key: string) => unknown): boolean =>
  (selector ?? '')
    .split(',')
    .filter(Boolean)
    .every((term) => {
      const [key = '', value = ''] = term.split('=');
      return String(valueOf(key) ?? '') === value;
    });

/** Reads as the API server would, and counts what it is asked. */
export class KubernetesDouble {
  readonly requests: Request[] = [];
  fault: Fault | undefined;
  /** Requests before the fault sets in. */
  faultAfter = 0;

  private constructor(
    private readonly server: Server,
    private readonly options: Options,
  ) {}

  static async start(options: Options): Promise<KubernetesDouble> {
    const server: Server = options.tls ? createTlsServer(options.tls) : createServer();
    const double = new KubernetesDouble(server, options);
    server.on('request', (request, response) => double.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get url(): string {
    return `http${this.options.tls ? 's' : ''}://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://double');
    const { authorization } = request.headers;
    this.requests.push({
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      authorization,
    });
    if (this.fault !== undefined && this.requests.length > this.faultAfter)
      return this.misbehave(response, this.fault);
    if (request.method !== 'GET')
      return send(
        response,
        405,
        statusBody(405, 'MethodNotAllowed', 'the server does not allow this method'),
      );
    if (this.options.token !== undefined && authorization !== `Bearer ${this.options.token}`)
      return send(response, 401, statusBody(401, 'Unauthorized', 'Unauthorized'));
    if (url.pathname === '/version')
      return send(response, 200, { major: '1', minor: '31', gitVersion: 'v1.31.2', platform: 'linux/amd64' });
    const place = placeOf(url.pathname);
    const [root, kind] = KINDS[place?.plural ?? ''] ?? [];
    const isServed =
      root === place?.root && !this.options.unserved?.some((group) => place?.root.endsWith(group));
    if (place === undefined || kind === undefined || !isServed) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' });
      return void response.end('404 page not found\n');
    }
    if (!(this.options.mayRead ?? (() => true))(place.plural, place.namespace))
      return this.forbid(response, place);
    if (place.sub === 'log') return this.log(response, place, url.searchParams);
    if (place.name !== undefined) return this.one(response, place, kind);
    this.list(response, place, kind, url.searchParams);
  }

  private forbid(response: ServerResponse, { root, plural, namespace, name }: Place): void {
    const group = root === '/api/v1' ? '' : (root.split('/')[2] ?? '');
    const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
    const verb = name === undefined ? 'list' : 'get';
    const message =
      `${plural}${name === undefined ? '' : ` "${name}"`} is forbidden: User "system:serviceaccount:inquest:inquest-reader" ` +
      `cannot ${verb} resource "${plural}" in API group "${group}" ${where}`;
    send(response, 403, statusBody(403, 'Forbidden', message, { details: { kind: plural, name, group } }));
  }

  private within({ namespace }: Place, kind: string): KubernetesObject[] {
    return this.options.objects.filter(
      (object) =>
        object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace),
    );
  }

  private one(response: ServerResponse, place: Place, kind: string): void {
    const found = this.within(place, kind).find(({ metadata }) => metadata.name === place.name);
    if (found) return send(response, 200, found);
    const message = `${place.plural} "${place.name}" not found`;
    send(
      response,
      404,
      statusBody(404, 'NotFound', message, { details: { name: place.name, kind: place.plural } }),
    );
  }

  private list(response: ServerResponse, place: Place, kind: string, query: URLSearchParams): void {
    const all = this.within(place, kind).filter(
      (object) =>
        selects(query.get('fieldSelector'), (path) => fieldOf(object, path)) &&
        selects(query.get('labelSelector'), (key) => object.metadata.labels?.[key]),
    );
    const token = query.get('continue');
    if (token !== null && this.options.tokensExpire)
      return send(
        response,
        410,
        statusBody(
          410,
          'Expired',
          'The provided continue parameter is too old to display a consistent list result.',
        ),
      );
    const from = token === null ? 0 : Number(Buffer.from(token, 'base64url').toString());
    const size = Math.min(Number(query.get('limit') ?? 0) || all.length, this.options.pageMax ?? Infinity);
    const rest = all.length - from - size;
    const selected = query.get('fieldSelector') ?? query.get('labelSelector');
    const metadata = {
      resourceVersion: '48213',
      ...(rest > 0 ? { continue: Buffer.from(String(from + size)).toString('base64url') } : {}),
      // The API leaves it out where a selector is used.
      ...(rest > 0 && selected === null ? { remainingItemCount: rest } : {}),
    };
    const items = all.slice(from, from + size).map(({ apiVersion: _, kind: __, ...item }) => item);
    send(response, 200, {
      kind: `${kind}List`,
      apiVersion: place.root.replace(/^\/apis?\//, ''),
      metadata,
      items,
    });
  }

  private log(response: ServerResponse, place: Place, query: URLSearchParams): void {
    const pod = this.within(place, 'Pod').find(({ metadata }) => metadata.name === place.name);
    if (pod === undefined)
      return send(response, 404, statusBody(404, 'NotFound', `pods "${place.name}" not found`));
    const containers = (pod['spec'] as { containers: { name: string }[] }).containers.map(({ name }) => name);
    const container = query.get('container') ?? (containers.length === 1 ? containers[0] : undefined);
    const bad = (message: string) => send(response, 400, statusBody(400, 'BadRequest', message));
    if (container === undefined)
      return bad(
        `a container name must be specified for pod ${place.name}, choose one of: [${containers.join(' ')}]`,
      );
    if (!containers.includes(container))
      return bad(`container ${container} is not valid for pod ${place.name}`);
    const isPrevious = query.get('previous') === 'true';
    const key = [place.namespace, place.name, container, ...(isPrevious ? ['previous'] : [])].join('/');
    const held = this.options.logs?.[key];
    if (held === undefined)
      return bad(
        isPrevious
          ? `previous terminated container "${container}" in pod "${place.name}" not found`
          : `container "${container}" in pod "${place.name}" is waiting to start: ContainerCreating`,
      );
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(logText(held, query));
  }

  private misbehave(response: ServerResponse, fault: Fault): void {
    const json = { 'content-type': 'application/json' };
    switch (fault) {
      case 'HANG':
        return;
      case 'RESET':
        return void response.socket?.destroy();
      case 'CUT':
        response.writeHead(200, { ...json, 'content-length': '5000' });
        return void response.write('{"kind":"PodList","items":[', () => response.socket?.destroy());
      case 'SILENT_BODY':
        response.writeHead(200, json);
        return void response.write('{"kind":"PodList","items":[');
      case 'NO_JSON':
        response.writeHead(200, json);
        return void response.end('not json');
      case 'HALF_JSON':
        response.writeHead(200, json);
        return void response.end('{"kind":"PodList","items":[{"metadata":{}');
      case 'HTML':
        response.writeHead(200, { 'content-type': 'text/html' });
        return void response.end('<html><body>Sign in</body></html>');
      case 'HUGE':
        response.writeHead(200, json);
        return void response.end(
          `{"kind":"PodList","metadata":{},"items":[${'{"metadata":{"name":"x"}},'.repeat(20_000)}{}]}`,
        );
      case 'BUSY':
        response.writeHead(429, { ...json, 'retry-after': '1' });
        return void response.end(
          JSON.stringify(statusBody(429, 'TooManyRequests', 'the server has received too many requests')),
        );
      case 'REDIRECT':
        response.writeHead(302, { location: `${this.url}/api/v1/namespaces` });
        return void response.end();
    }
  }
}

/** Lines bear an instant in front; the API takes it off unless `timestamps` is set. */
const logText = (held: string, query: URLSearchParams): string => {
  const since = query.get('sinceTime');
  const lines = held
    .split('\n')
    .filter((line) => line !== '' && (since === null || line.slice(0, 20) >= since));
  const tail = query.get('tailLines');
  const kept = tail === null ? lines : lines.slice(-Number(tail));
  const shown = query.get('timestamps') === 'true' ? kept : kept.map((line) => line.replace(/^\S+ /, ''));
  const text = shown.map((line) => `${line}\n`).join('');
  const limit = query.get('limitBytes');
  return limit === null ? text : Buffer.from(text).subarray(0, Number(limit)).toString();
};
