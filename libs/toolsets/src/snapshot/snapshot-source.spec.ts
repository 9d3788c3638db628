import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRedactor } from '@inquest/redaction/redactor';
import type { ToolCallId } from '@inquest/contracts/ids';
import { INCIDENT_TOOLSET_TOOLS } from '../incident/incident-toolset';
import { objectRow } from '../incident/object-row';
import type { SourceFailure } from '../incident-source';
import { incidentSources, openIncidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { snapshotSource } from './snapshot-source';

const POD = `Name:             web-1
Namespace:        shop
Node:             node-a/10.0.0.1
Labels:           app=web
                  tier=front
Status:           Running
Controlled By:  ReplicaSet/web
Containers:
  main:
    Image:          registry.example/web:1
    Port:           8080/TCP
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       Error
      Exit Code:    2
    Ready:          False
    Restart Count:  4
    Limits:
      memory:  64Mi
    Liveness:     http-get http://:8081/healthz delay=5s timeout=1s period=10s #success=1 #failure=3
    Environment:
      CART_ADDR:  cart:7070
Conditions:
  Type    Status
  Ready   False
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference)
    ClaimName:  web-data
Node-Selectors:  disk=fast
Tolerations:     node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
Events:
  Type     Reason   Age                 From     Message
  ----     ------   ----                ----     -------
  Warning  BackOff  26s (x11 over 2m)   kubelet  Back-off restarting failed container: main
`;
const SERVICE = `Name:              web
Namespace:         shop
Labels:            <none>
Selector:          app=other
Type:              ClusterIP
Port:              http  80/TCP
TargetPort:        8080/TCP
Endpoints:         <none>
Events:            <none>
`;
const NODE = `Name:               node-a
Labels:             kubernetes.io/os=linux
CreationTimestamp:  Mon, 11 Aug 2025 15:48:43 +0800
Taints:             team=ml:NoSchedule
Unschedulable:      false
Conditions:
  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason              Message
  ----             ------  -----------------                 ------------------                ------              -------
  MemoryPressure   False   Sat, 10 Jan 2026 16:45:06 +0800   Mon, 11 Aug 2025 15:48:43 +0800   KubeletHasMemory    kubelet has sufficient memory
  Ready            True    Sat, 10 Jan 2026 16:45:06 +0800   Mon, 11 Aug 2025 15:48:44 +0800   KubeletReady        kubelet is posting ready status
Events:              <none>
`;
const CLAIM = `Name:          web-data
Namespace:     shop
StorageClass:
Status:        Pending
Volume:
Access Modes:
Used By:       web-1
Events:        <none>
`;
const MANIFEST = `apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: web-data
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
`;

const get = (resource: string, rest: object = {}) =>
  `GetResources:${JSON.stringify({ resource_type: resource, name: '', namespace: 'shop', ...rest })}`;
const describeKey = (resource: string, name: string) =>
  `DescribeResource:${JSON.stringify({ resource_type: resource, name, namespace: 'shop' })}`;

const CACHE = {
  collection_timestamp: '2026-01-10T16:47:26.000000',
  [get('pods')]:
    'NAME    READY   STATUS             RESTARTS   AGE\nweb-1   0/1     CrashLoopBackOff   4          2m\n',
  [get('pods', { show_labels: true })]: 'NAME    LABELS\nweb-1   a=b\n',
  [get('services')]:
    'NAME   TYPE        CLUSTER-IP\nweb    ClusterIP   10.1.1.1\ncart   ClusterIP   10.1.1.2\n',
  [get('nodes')]: 'NAME     STATUS   ROLES\nnode-a   Ready    <none>\n',
  [get('persistentvolumeclaims')]: 'NAME       STATUS\nweb-data   Pending\n',
  [get('jobs')]: '',
  [get('ingresses')]: 'Error: /bin/sh: 1: Syntax error',
  [describeKey('pods', 'web-1')]: POD,
  [describeKey('services', 'web')]: SERVICE,
  [describeKey('services', 'gone')]: 'Error from server (NotFound): services "gone" not found',
  [describeKey('nodes', 'node-a')]: NODE,
  [describeKey('persistentvolumeclaims', 'web-data')]: CLAIM,
  'GetAppYAML:{"app_name":"web"}': MANIFEST,
  'GetAlerts:{}': {
    alerts: [
      {
        type: 'Service',
        name: 'web',
        time_range: '2026-01-10 16:40:00 ~ 2026-01-10 16:47:00',
        evidence: ['LATENCY_DEGRADATION [Slow Response] | Normal=18ms'],
      },
    ],
  },
  'GetErrorLogs:{"namespace":"shop","service_name":"web"}': {
    patterns: [{ count: 9, sample: '2026-01-10T16:45:41.902478842+08:00 dial tcp: connection refused' }],
  },
  'GetErrorLogs:{"namespace":"shop","service_name":"cart"}': {},
  'GetServiceDependencies:{"service_name":"web"}':
    '[Service]: web\n[Upstream (Called By)]: gate\n[Downstream (Calls)]:\nweb\n├── cart\n│   └── store   <-- (Database)\n└── mail\n',
  'CheckNodeServiceStatus:{"node_name":"node-a","service_name":"kube-proxy"}':
    'Service: kube-proxy\nStatus: x\n     Active: inactive (dead) since Fri\n',
  'CheckServiceConnectivity:{"namespace":"shop","service_name":"web","port":80}': 'Connection Failed',
};

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'snapshot-'));
  writeFileSync(join(dir, 'tool_cache.json'), JSON.stringify(CACHE));
});
afterAll(() => rmSync(dir, { recursive: true }));

const signal = new AbortController().signal;
const source = () => snapshotSource('recorded', dir);
const window = { from: '2026-01-10T00:00:00Z', to: '2026-01-11T00:00:00Z' };
const failed = (call: Promise<unknown>) =>
  expect(call.catch((error: unknown) => (error as SourceFailure).errorClass)).resolves.toBe('SOURCE_FAILED');

describe('a recorded cluster as a source', () => {
  it('shows pods as objects, with why their containers do not run', async () => {
    const { items, events } = await source().describeObject({ kind: 'pod', name: 'web-1' }, signal);
    expect(items[0]).toMatchObject({
      kind: 'Pod',
      metadata: {
        name: 'web-1',
        namespace: 'shop',
        labels: { app: 'web', tier: 'front' },
        ownerReferences: [{ kind: 'ReplicaSet', name: 'web' }],
      },
      spec: {
        nodeName: 'node-a',
        nodeSelector: { disk: 'fast' },
        containers: [
          {
            ports: [{ containerPort: 8080, protocol: 'TCP' }],
            env: [{ name: 'CART_ADDR', value: 'cart:7070' }],
            resources: { limits: { memory: '64Mi' } },
            livenessProbe: { httpGet: { port: 8081, path: '/healthz', scheme: 'HTTP' }, failureThreshold: 3 },
          },
        ],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'web-data' } }],
      },
      status: {
        phase: 'Running',
        containerStatuses: [
          {
            ready: false,
            restartCount: 4,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { reason: 'Error', exitCode: 2 } },
          },
        ],
      },
    });
    // 26 seconds before the recording, which was made at +08:00.
    expect(events).toEqual([
      {
        time: '2026-01-10T08:47:00.000Z',
        type: 'Warning',
        reason: 'BackOff',
        object: { kind: 'Pod', name: 'web-1', namespace: 'shop' },
        message: 'Back-off restarting failed container: main',
        count: 11,
      },
    ]);
  });

  it('adds what was checked of services and nodes, and what a manifest asks for', async () => {
    const of = async (kind: string, name: string) =>
      (await source().describeObject({ kind, name }, signal)).items[0];
    expect(await of('Service', 'web')).toMatchObject({
      spec: {
        selector: { app: 'other' },
        ports: [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 8080 }],
      },
      status: { endpoints: 'none', connectivity: 'failed on port 80' },
    });
    expect(await of('Node', 'node-a')).toMatchObject({
      spec: { taints: [{ key: 'team', value: 'ml', effect: 'NoSchedule' }] },
      status: { ready: true, stoppedServices: 'kube-proxy', conditions: [{}, { reason: 'KubeletReady' }] },
    });
    expect(await of('PersistentVolumeClaim', 'web-data')).toMatchObject({
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Pending', usedBy: 'web-1' },
    });
  });

  it('lists each object once, whole where it was described', async () => {
    const { items, matched, partial } = await source().listObjects({ limit: 3 }, signal);
    // The list of ingresses had failed: this is not all.
    expect({ matched, partial }).toEqual({ matched: 5, partial: true });
    expect(items.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      'Pod/web-1',
      'Service/web',
      'Service/cart',
    ]);
    expect(items[2]).toMatchObject({ metadata: { namespace: 'shop' }, status: { TYPE: 'ClusterIP' } });
  });

  it('reads alerts, edges and the errors that were sampled', async () => {
    const { items: alerts } = await source().activeAlerts({ includeResolved: false }, signal);
    expect(alerts).toMatchObject([
      { name: 'LATENCY_DEGRADATION', service: 'web', startsAt: '2026-01-10T08:40:00.000Z' },
    ]);
    const { items: edges } = await source().dependencies({}, signal);
    expect(edges.map(({ from, to }) => `${from}>${to}`)).toEqual([
      'gate>web',
      'web>cart',
      'cart>store',
      'web>mail',
    ]);
    const query = { level: 'ERROR' as const, window, order: 'newest' as const };
    const { items: lines, sampled, matched } = await source().searchLogs(query, signal);
    expect(lines).toEqual([
      {
        time: '2026-01-10T08:45:41.902Z',
        service: 'web',
        level: 'ERROR',
        message: 'dial tcp: connection refused',
      },
    ]);
    expect({ sampled, matched }).toEqual({ sampled: true, matched: null });
  });

  it('says nothing where the recording says nothing', async () => {
    expect((await source().listObjects({ kind: 'Job', limit: 9 }, signal)).matched).toBe(0);
    const quiet = { service: 'cart', level: 'ERROR' as const, window, order: 'newest' as const };
    expect((await source().searchLogs(quiet, signal)).matched).toBe(0);
    const gone = await source().describeObject({ kind: 'Service', name: 'gone' }, signal);
    expect(gone.items).toEqual([]);
    const unknown = await source().describeObject({ kind: 'Service', name: 'wep' }, signal);
    expect(unknown).toMatchObject({ items: [], selectorKnown: false, suggestions: ['web'] });
  });
});

describe('what nobody recorded is a failure and never an empty answer', () => {
  it.each<[string, (s: ReturnType<typeof source>) => Promise<unknown>]>([
    ['metrics', (s) => s.listMetrics({}, signal)],
    ['one metric', (s) => s.queryMetric({ name: 'up', window }, signal)],
    ['a kind that was not listed', (s) => s.listObjects({ kind: 'CronJob', limit: 9 }, signal)],
    ['a kind whose list failed', (s) => s.listObjects({ kind: 'Ingress', limit: 9 }, signal)],
    [
      'an object that is listed and not described',
      (s) => s.describeObject({ kind: 'Service', name: 'cart' }, signal),
    ],
    ['a kind that was never described', (s) => s.describeObject({ kind: 'Secret', name: 'x' }, signal)],
    [
      'lines below the level ERROR',
      (s) => s.searchLogs({ service: 'cart', level: 'WARN', window, order: 'newest' }, signal),
    ],
    [
      'logs of another service',
      (s) => s.searchLogs({ service: 'mail', level: 'ERROR', window, order: 'newest' }, signal),
    ],
    ['events of another namespace', (s) => s.listEvents({ namespace: 'kube-system', limit: 9 }, signal)],
    [
      'events of an object without any, as there is no list',
      (s) => s.listEvents({ nameContains: 'node-a', limit: 9 }, signal),
    ],
    ['edges of another service', (s) => s.dependencies({ service: 'bank' }, signal)],
  ])('%s', async (_, call) => {
    await failed(call(source()));
  });

  it('through a tool, too: an error that cannot be cited as absence', async () => {
    const entry = await runTool(
      {
        toolCallId: 'call_1' as ToolCallId,
        providerId: null,
        tool: 'list_metrics',
        argumentsText: '{}',
        source: 'recorded',
        asOf: '2026-01-10T09:00:00.000Z',
        projectionBytesMax: 32_768,
      },
      {
        tools: toolsByName(INCIDENT_TOOLSET_TOOLS),
        sources: incidentSources([source()]),
        redactor: createRedactor('snapshot'),
        signal,
      },
    );
    expect(entry).toMatchObject({ evidenceStatus: 'ERROR', errorClass: 'SOURCE_FAILED' });
  });

  it('and a recording that cannot be read is one as well', async () => {
    await failed(snapshotSource('absent', join(dir, 'absent')).dependencies({}, signal));
    const broken = mkdtempSync(join(tmpdir(), 'snapshot-'));
    writeFileSync(join(broken, 'tool_cache.json'), '[');
    const call = snapshotSource('broken', broken).dependencies({}, signal);
    await expect(call).rejects.toMatchObject({ errorClass: 'RESULT_UNUSABLE' });
    rmSync(broken, { recursive: true });
  });
});

describe('answers that were recorded as text', () => {
  const recorded = (errors: Record<string, unknown>) => {
    const folder = mkdtempSync(join(dir, 'text-'));
    const logs = Object.entries(errors).map(([name, answer]) => [
      `GetErrorLogs:{"namespace":"shop","service_name":"${name}"}`,
      answer,
    ]);
    writeFileSync(
      join(folder, 'tool_cache.json'),
      JSON.stringify({ ...CACHE, ...Object.fromEntries(logs), 'GetAlerts:{}': '{"alerts": []}' }),
    );
    return snapshotSource('text', folder);
  };
  const query = { level: 'ERROR' as const, window, order: 'newest' as const };
  const TEXT = JSON.stringify({ patterns: [{ count: 3, sample: '2026-01-10T08:45:41Z out of memory' }] });

  it('are the documents that they print', async () => {
    const { items, partial } = await recorded({ web: TEXT, cart: '' }).searchLogs(query, signal);
    expect(items.map(({ service, message }) => `${service}: ${message}`)).toEqual(['web: out of memory']);
    expect(partial).toBe(false);
    expect((await recorded({}).activeAlerts({ includeResolved: false }, signal)).items).toEqual([]);
  });

  it('are a part that is missing where one of them is no document, and never an absence', async () => {
    const source_ = recorded({ web: TEXT, cart: 'Error: the pod is gone' });
    expect(await source_.searchLogs(query, signal)).toMatchObject({
      partial: true,
      items: [{ service: 'web' }],
    });
    const asked = source_.searchLogs({ ...query, service: 'cart' }, signal);
    await expect(asked).rejects.toMatchObject({ errorClass: 'RESULT_UNUSABLE' });
  });
});

describe('the lines of a list', () => {
  it('tell of a service what it offers and where it sends that to', async () => {
    const { items } = await source().listObjects({ kind: 'Service', limit: 9 }, signal);
    expect(items.map((item) => (objectRow(item) as { ports?: string }).ports)).toEqual([
      '80->8080/TCP',
      undefined,
    ]);
  });

  it('tell of a pod where it runs', async () => {
    const { items } = await source().listObjects({ kind: 'Pod', limit: 9 }, signal);
    expect(items.map(objectRow)).toMatchObject([{ kind: 'Pod', nodeName: 'node-a' }]);
  });
});

describe('configured folders', () => {
  it('with recorded answers are served from them', async () => {
    const found = openIncidentSources(`recorded=${dir}`).find('recorded');
    expect((await found?.extent(signal))?.services).toEqual(['web', 'cart']);
  });
});
