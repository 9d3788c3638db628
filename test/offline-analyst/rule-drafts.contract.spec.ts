import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Snapshot } from '@inquest/contracts/service-facts';
import { incidentFolderSource } from '@inquest/toolsets/incident-folder-source';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { guarded, investigate, judged } from './investigation-loop';

const WINDOW = { from: '2026-03-02T10:00:00.000Z', to: '2026-03-02T10:10:00.000Z' };
const at = (minutes: number) => new Date(Date.parse(WINDOW.from) + minutes * 60_000).toISOString();

type Parts = {
  objects?: object[];
  events?: object[];
  logs?: object[];
  metrics?: object[];
  alerts?: object[];
};

const meta = (name: string, rest: object = {}) => ({
  name,
  namespace: 'shop',
  labels: { app: name.split('-')[0] },
  ...rest,
});
const pod = (status: object, spec: object = {}) => ({
  kind: 'Pod',
  metadata: meta('cart-7c9f6d5b8-x2x4q', { labels: { app: 'cart' } }),
  spec,
  status,
});
const waiting = (reason: string, message = '', restartCount = 3) => ({
  phase: 'Running',
  containerStatuses: [{ name: 'cart', ready: false, restartCount, state: { waiting: { reason, message } } }],
});
const event = (
  kind: string,
  name: string,
  reason: string,
  message: string,
  minutes = 4,
  type = 'Warning',
) => ({
  time: at(minutes),
  type,
  reason,
  object: { kind, name, namespace: 'shop' },
  message,
  count: 4,
});
const podEvent = (reason: string, message: string) => event('Pod', 'cart-7c9f6d5b8-x2x4q', reason, message);
const lines = (service: string, message: string, count = 30, level = 'ERROR') =>
  Array.from({ length: count }, (_, n) => ({ time: at(3 + (6.8 * n) / count), service, level, message }));
const metric = (name: string, unit: string, labels: object, valueAt: (n: number) => number) => ({
  name,
  unit,
  labels,
  stepSeconds: 10,
  points: Array.from({ length: 60 }, (_, n) => [Date.parse(WINDOW.from) / 1_000 + n * 10, valueAt(n)]),
});
const ALERT = {
  name: 'CartDown',
  severity: 'critical',
  service: 'cart',
  startsAt: at(4),
  summary: 'cart is down',
  labels: {},
};

const CASES: [cause: string, parts: Parts][] = [
  [
    'INCORRECT_IMAGE_REFERENCE',
    {
      objects: [pod({ ...waiting('ImagePullBackOff'), phase: 'Pending' })],
      events: [podEvent('Failed', 'Failed to pull image "registry.example/cart:9": manifest unknown')],
    },
  ],
  [
    'MISSING_IMAGE_PULL_SECRET',
    {
      objects: [pod({ ...waiting('ErrImagePull'), phase: 'Pending' })],
      events: [podEvent('Failed', 'Failed to pull image "registry.example/cart:9": 401 Unauthorized')],
    },
  ],
  [
    'OOM_KILLED',
    {
      objects: [
        pod({
          phase: 'Running',
          containerStatuses: [
            {
              name: 'cart',
              ready: false,
              restartCount: 6,
              state: { waiting: { reason: 'CrashLoopBackOff' } },
              lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } },
            },
          ],
        }),
      ],
      events: [podEvent('BackOff', 'Back-off restarting failed container cart')],
    },
  ],
  [
    'MISSING_CONFIGURATION',
    {
      objects: [pod(waiting('CreateContainerConfigError', 'configmap "cart-settings" not found'))],
      events: [podEvent('Failed', 'Error: configmap "cart-settings" not found')],
    },
  ],
  [
    'MISSING_SECRET_BINDING',
    {
      objects: [pod(waiting('CreateContainerConfigError', 'secret "cart-db" not found'))],
      events: [podEvent('Failed', 'Error: secret "cart-db" not found')],
    },
  ],
  [
    'TAINT_TOLERATION_MISMATCH',
    {
      objects: [
        pod({ phase: 'Pending' }),
        {
          kind: 'Node',
          metadata: { name: 'worker-1', labels: {} },
          spec: { taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }] },
          status: { conditions: [{ type: 'Ready', status: 'True' }] },
        },
      ],
      events: [
        podEvent(
          'FailedScheduling',
          '0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, 3 node(s) had untolerated taint {dedicated: batch}. preemption: 0/4 nodes are available.',
        ),
      ],
    },
  ],
  [
    'CPU_CAPACITY_MISMATCH',
    {
      objects: [pod({ phase: 'Pending' })],
      events: [podEvent('FailedScheduling', '0/3 nodes are available: 3 Insufficient cpu.')],
    },
  ],
  [
    'LIVENESS_PROBE_INCORRECT_PORT',
    {
      objects: [
        pod(waiting('CrashLoopBackOff'), {
          containers: [
            {
              name: 'cart',
              ports: [{ containerPort: 8080 }],
              livenessProbe: { httpGet: { port: 9999, path: '/' } },
            },
          ],
        }),
      ],
      events: [
        podEvent(
          'Unhealthy',
          'Liveness probe failed: Get "http://10.1.1.7:9999/": dial tcp 10.1.1.7:9999: connect: connection refused',
        ),
        podEvent('Killing', 'Container cart failed liveness probe, will be restarted'),
      ],
    },
  ],
  [
    'NAMESPACE_POD_QUOTA_EXCEEDED',
    {
      objects: [
        {
          kind: 'ReplicaSet',
          metadata: meta('cart-7c9f6d5b8'),
          spec: { replicas: 2 },
          status: { replicas: 1 },
        },
      ],
      events: [
        event(
          'ReplicaSet',
          'cart-7c9f6d5b8',
          'FailedCreate',
          'Error creating: pods "cart-7c9f6d5b8-abcde" is forbidden: exceeded quota: objects, requested: pods=1, used: pods=10, limited: pods=10',
        ),
      ],
    },
  ],
  [
    'PVC_STORAGE_CLASS_MISMATCH',
    {
      objects: [
        pod(
          { phase: 'Pending' },
          { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'cart-data' } }] },
        ),
        {
          kind: 'PersistentVolumeClaim',
          metadata: meta('cart-data'),
          spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'] },
          status: { phase: 'Pending' },
        },
      ],
      events: [
        event(
          'PersistentVolumeClaim',
          'cart-data',
          'ProvisioningFailed',
          'storageclass.storage.k8s.io "fast" not found',
        ),
      ],
    },
  ],
  [
    'SERVICE_SELECTOR_MISMATCH',
    {
      objects: [
        pod({ phase: 'Running' }),
        {
          kind: 'Service',
          metadata: meta('cart'),
          spec: { selector: { app: 'carts' }, ports: [{ port: 80 }] },
          status: {},
        },
      ],
    },
  ],
  [
    'DEPLOYMENT_ZERO_REPLICAS',
    { objects: [{ kind: 'Deployment', metadata: meta('cart'), spec: { replicas: 0 }, status: {} }] },
  ],
  [
    'KUBELET_UNAVAILABLE',
    {
      objects: [
        {
          kind: 'Node',
          metadata: { name: 'worker-1', labels: {} },
          spec: {},
          status: {
            conditions: [
              {
                type: 'Ready',
                status: 'Unknown',
                reason: 'NodeStatusUnknown',
                message: 'Kubelet stopped posting node status.',
              },
            ],
          },
        },
      ],
      events: [event('Node', 'worker-1', 'NodeNotReady', 'Node worker-1 status is now: NodeNotReady', 4)],
    },
  ],
  [
    'DATABASE_INVALID_CREDENTIALS',
    { logs: lines('cart', 'FATAL: password authentication failed for user "shop"') },
  ],
  [
    'DATABASE_CONNECTION_LIMIT_REACHED',
    {
      logs: lines('cart', 'FATAL: sorry, too many clients already'),
      metrics: [
        metric('pg_connections', 'connections', { service: 'postgres' }, (n) => Math.min(100, 40 + n * 3)),
      ],
    },
  ],
  [
    'DISK_FULL',
    {
      logs: lines('cart', 'write /var/lib/cart/wal: no space left on device'),
      metrics: [metric('disk_used_percent', '%', { service: 'cart' }, (n) => (n < 25 ? 81 : 99))],
    },
  ],
  ['TLS_CERTIFICATE_EXPIRED', { logs: lines('cart', 'x509: certificate has expired or is not yet valid') }],
  ['SERVICE_DNS_RESOLUTION_FAILURE', { logs: lines('cart', 'getaddrinfo ENOTFOUND stok.shop.svc') }],
  [
    'MESSAGE_QUEUE_LAG',
    {
      metrics: [
        metric('consumer_lag', 'messages', { service: 'broker', consumer: 'cart' }, (n) =>
          n < 20 ? 5 : n * 90,
        ),
      ],
      logs: lines('cart', 'redelivered message is poison', 12, 'WARN'),
    },
  ],
  [
    'FAULTY_RELEASE',
    {
      events: [event('Deployment', 'cart', 'RolloutStarted', 'cart 1.2 replaces 1.1', 2.9, 'Normal')],
      logs: lines('cart', 'TypeError: total is undefined'),
      metrics: [
        metric('http_error_ratio', 'ratio', { service: 'cart' }, (n) => (n < 18 ? 0 : 0.8 + (n % 3) / 100)),
      ],
    },
  ],
  ['DEPENDENCY_UNREACHABLE', { logs: lines('web', 'upstream cart: connect ECONNREFUSED', 30, 'WARN') }],
];

let analyst: Analyst;
let root: string;
beforeAll(async () => {
  analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  root = mkdtempSync(join(tmpdir(), 'inquest-analyst-'));
});
afterAll(async () => {
  rmSync(root, { recursive: true, force: true });
  await analyst.stop();
});

const folder = (
  name: string,
  { objects = [], events = [], logs = [], metrics = [], alerts = [ALERT] }: Parts,
): string => {
  const dir = join(root, name.toLowerCase());
  mkdirSync(dir);
  const write = (file: string, content: unknown) => writeFileSync(join(dir, file), JSON.stringify(content));
  const manifest = {
    format: 1,
    name,
    title: name,
    namespace: 'shop',
    zone: 'Europe/Berlin',
    window: WINDOW,
    recordedAt: WINDOW.to,
  };
  write('incident.json', {
    ...manifest,
    question: 'What is wrong with cart?',
    services: ['web', 'cart', 'postgres', 'broker'],
  });
  write('objects.json', objects);
  write('events.json', events);
  write('metrics.json', metrics);
  write('alerts.json', alerts);
  write('dependencies.json', [{ from: 'web', to: 'cart' }, { from: 'cart', to: 'postgres' }]); // prettier-ignore
  writeFileSync(join(dir, 'logs.ndjson'), logs.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return dir;
};

describe('drafts of every kind of cause pass both guards', () => {
  it.each(CASES)('%s', async (cause, parts) => {
    const source = incidentFolderSource('synthetic', folder(cause, parts));
    const run = await investigate(analyst, source, {
      question: 'What is wrong with cart?',
      zone: 'Europe/Berlin',
    });
    expect(run.draft.candidates?.[0]?.cause).toBe(cause);
    const verdict = guarded(run);
    expect(verdict.kind === 'REJECTED' ? verdict.violations : []).toEqual([]);
    const snapshot = JSON.parse(verdict.kind === 'ACCEPTED' ? verdict.snapshotText : '{}') as Snapshot;
    const refused = (await judged(analyst, snapshot)).filter(({ verdict: one }) => one !== 'SUPPORTED');
    expect(
      refused.map((one) => ({ ...one, text: snapshot.items.find(({ id }) => id === one.itemId)?.text })),
    ).toEqual([]);
  });
});
