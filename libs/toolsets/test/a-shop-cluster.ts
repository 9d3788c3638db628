import type { KubernetesObject } from './kubernetes-double';

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  namespace: string | undefined,
  rest: Record<string, unknown> = {},
  metadata: Record<string, unknown> = {},
): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    uid: `5f0c1e9a-${name}`,
    resourceVersion: '48101',
    creationTimestamp: '2026-05-01T08:00:00Z',
    managedFields: [
      {
        manager: 'kubectl',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:spec': {} },
      },
    ],
    ...metadata,
  },
  ...rest,
});

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
export const DATABASE_PASSWORD = 'amber-lighthouse-72';
export const SECRET_DATA = Buffer.from(DATABASE_PASSWORD).toString('base64');

type PodState = {
  ready: boolean;
  restarts?: number;
  waiting?: string;
  terminated?: string;
  phase?: string;
  node?: string;
};

export const podOf = (
  namespace: string,
  app: string,
  suffix: string,
  { ready, restarts = 0, waiting, terminated, phase = 'Running', node = 'node-a' }: PodState,
  more: { labels?: Record<string, string>; containers?: Record<string, unknown>[]; volumes?: unknown[] } = {},
): KubernetesObject =>
  object(
    'v1',
    'Pod',
    `${app}-${suffix}`,
    namespace,
    {
      spec: {
        nodeName: node,
        containers: more.containers ?? [
          {
            name: app,
            image: `registry.example.org/${app}:v3`,
            ports: [{ name: 'http', containerPort: 8080, protocol: 'TCP' }],
            resources: { requests: { cpu: '250m', memory: '256Mi' }, limits: { memory: '512Mi' } },
            env: [
              { name: 'DATABASE_HOST', value: 'orders-db-0.orders-db.shop.svc.cluster.local:5432' },
              { name: 'DATABASE_PASSWORD', value: DATABASE_PASSWORD },
              { name: 'SIGNING', value: 'Zk29fQm4xYtW81bNcVqP70Ld' },
              { name: 'API_TOKEN', valueFrom: { secretKeyRef: { name: 'orders-db', key: 'token' } } },
            ],
          },
        ],
        tolerations: [
          {
            key: 'node.kubernetes.io/not-ready',
            operator: 'Exists',
            effect: 'NoExecute',
            tolerationSeconds: 300,
          },
        ],
        ...(more.volumes ? { volumes: more.volumes } : {}),
      },
      status: {
        phase,
        podIP: '10.1.0.7',
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          {
            type: 'Ready',
            status: ready ? 'True' : 'False',
            ...(ready ? {} : { reason: 'ContainersNotReady' }),
          },
        ],
        containerStatuses: [
          {
            name: app,
            ready,
            restartCount: restarts,
            image: `registry.example.org/${app}:v3`,
            state: waiting
              ? { waiting: { reason: waiting } }
              : { running: { startedAt: '2026-05-01T08:00:09Z' } },
            lastState: terminated ? { terminated: { reason: terminated, exitCode: 137 } } : {},
          },
        ],
      },
    },
    {
      labels: { app, ...more.labels },
      annotations: { [LAST_APPLIED]: `{"password":"${DATABASE_PASSWORD}"}`, 'example.org/team': 'orders' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${app}-7d`, uid: 'x', controller: true },
      ],
    },
  );

const service = (namespace: string, name: string, spec: Record<string, unknown>): KubernetesObject =>
  object('v1', 'Service', name, namespace, {
    spec: { type: 'ClusterIP', clusterIP: '10.96.0.9', ...spec },
    status: { loadBalancer: {} },
  });

export const sliceOf = (
  namespace: string,
  name: string,
  endpoints: { address: string; ready: boolean; pod: string }[],
  port = 8080,
): KubernetesObject =>
  object(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    `${name}-x7k2p`,
    namespace,
    {
      addressType: 'IPv4',
      endpoints: endpoints.map(({ address, ready, pod }) => ({
        addresses: [address],
        conditions: { ready, serving: ready, terminating: false },
        targetRef: { kind: 'Pod', namespace, name: pod },
      })),
      ports: [{ name: '', port, protocol: 'TCP' }],
    },
    { labels: { 'kubernetes.io/service-name': name } },
  );

type EventOptions = { count?: number; lastTimestamp?: string | null; more?: Record<string, unknown> };

export const eventAbout = (
  namespace: string,
  kind: string,
  name: string,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
  { count = 1, lastTimestamp = '2026-05-01T10:00:00Z', more = {} }: EventOptions = {},
): KubernetesObject =>
  object('v1', 'Event', `${name}.${reason.toLowerCase()}`, namespace, {
    involvedObject: { kind, name, ...(kind === 'Node' ? {} : { namespace }), apiVersion: 'v1' },
    reason,
    message,
    type,
    count,
    source: { component: 'kubelet' },
    firstTimestamp: '2026-05-01T09:50:00Z',
    lastTimestamp,
    ...more,
  });

const node = (name: string, ready: boolean, more: Record<string, unknown> = {}): KubernetesObject =>
  object('v1', 'Node', name, undefined, {
    spec: more['spec'] ?? {},
    status: {
      capacity: { cpu: '4', memory: '8Gi', pods: '110' },
      allocatable: { cpu: '1', memory: '1Gi', pods: '110' },
      conditions: [
        { type: 'MemoryPressure', status: ready ? 'False' : 'True', reason: 'KubeletHasInsufficientMemory' },
        {
          type: 'Ready',
          status: ready ? 'True' : 'False',
          reason: ready ? 'KubeletReady' : 'KubeletNotReady',
        },
      ],
      nodeInfo: { kubeletVersion: 'v1.31.2' },
    },
  });

/** Two namespaces of a shop: orders crash, payments has a selector that fits nothing, a quota is full, a node is ill. */
export const SHOP: readonly KubernetesObject[] = [
  ...['shop', 'bank', 'kube-system'].map((name) =>
    object('v1', 'Namespace', name, undefined, { status: { phase: 'Active' } }),
  ),
  node('node-a', true),
  node('node-b', false, {
    spec: {
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }],
    },
  }),
  object('apps/v1', 'Deployment', 'orders', 'shop', {
    spec: { replicas: 2, selector: { matchLabels: { app: 'orders' } } },
    status: { replicas: 2, unavailableReplicas: 1 },
  }),
  podOf('shop', 'orders', '7d-aaaaa', { ready: true }),
  podOf('shop', 'orders', '7d-bbbbb', {
    ready: false,
    restarts: 7,
    waiting: 'CrashLoopBackOff',
    terminated: 'OOMKilled',
    node: 'node-b',
  }),
  podOf(
    'shop',
    'pay',
    '5c-ccccc',
    { ready: true },
    { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'pay-data' } }] },
  ),
  podOf('bank', 'ledger', '9f-ddddd', { ready: true }),
  service('shop', 'orders', {
    selector: { app: 'orders' },
    ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }],
  }),
  service('shop', 'pay', {
    selector: { app: 'payments' },
    ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
  }),
  service('shop', 'mail', { type: 'ExternalName', externalName: 'smtp.example.org' }),
  sliceOf('shop', 'orders', [
    { address: '10.1.0.7', ready: true, pod: 'orders-7d-aaaaa' },
    { address: '10.1.0.8', ready: false, pod: 'orders-7d-bbbbb' },
  ]),
  sliceOf('shop', 'pay', []),
  object('v1', 'PersistentVolumeClaim', 'pay-data', 'shop', {
    spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'] },
    status: { phase: 'Bound', capacity: { storage: '1Gi' } },
  }),
  object('v1', 'ResourceQuota', 'limits', 'shop', {
    spec: { hard: { pods: '3', 'requests.cpu': '2' } },
    status: { hard: { pods: '3', 'requests.cpu': '2' }, used: { pods: '3', 'requests.cpu': '750m' } },
  }),
  object('v1', 'ConfigMap', 'orders', 'shop', {
    data: { 'log.level': 'info', 'db.password': DATABASE_PASSWORD },
  }),
  object('v1', 'Secret', 'orders-db', 'shop', { type: 'Opaque', data: { password: SECRET_DATA } }),
  eventAbout(
    'shop',
    'Pod',
    'orders-7d-bbbbb',
    'Warning',
    'BackOff',
    'Back-off restarting failed container orders',
    { count: 31 },
  ),
  eventAbout('shop', 'Pod', 'orders-7d-aaaaa', 'Normal', 'Pulled', 'Container image already present', {
    lastTimestamp: '2026-05-01T10:05:00Z',
  }),
  eventAbout(
    'shop',
    'ReplicaSet',
    'orders-7d',
    'Warning',
    'FailedCreate',
    'exceeded quota: limits, requested: pods=1, used: pods=3, limited: pods=3',
    {
      lastTimestamp: null,
      more: {
        eventTime: '2026-05-01T10:01:00.123456Z',
        series: { count: 4, lastObservedTime: '2026-05-01T10:02:00.000000Z' },
      },
    },
  ),
  eventAbout(
    'default',
    'Node',
    'node-b',
    'Warning',
    'NodeHasInsufficientMemory',
    'Node node-b status is now: NodeHasInsufficientMemory',
  ),
];

export const SHOP_LOGS: Readonly<Record<string, string>> = {
  'shop/orders-7d-aaaaa/orders': [
    '2026-05-01T10:00:01.000000000Z INFO listening on 8080',
    '2026-05-01T10:00:02.000000000Z ERROR request 4711 failed: connection refused',
    '2026-05-01T10:00:03.000000000Z ERROR request 4712 failed: connection refused',
    `2026-05-01T10:00:04.000000000Z WARN retry with password=${DATABASE_PASSWORD}`,
  ].join('\n'),
  'shop/orders-7d-bbbbb/orders/previous': '2026-05-01T09:59:59.000000000Z FATAL out of memory\n',
};
