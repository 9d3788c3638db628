import type { MadeApp, MadeCluster } from './made-cluster';

/** One way in which a cluster fails, as its components word it; other names and numbers than the recorded cases have. */
export type MadeFault = { cause: string; object: string; what: string; make: (cluster: MadeCluster) => void };

const CALLS: Record<string, string[]> = {
  'ts-ui-dashboard': ['ts-gateway-service'],
  'ts-gateway-service': ['ts-order-service', 'ts-travel-service', 'ts-user-service'],
  'ts-travel-service': ['ts-route-service', 'ts-station-service', 'ts-order-service'],
  'ts-route-service': ['ts-station-service'],
  'ts-order-service': ['tsdb-mysql'],
  'ts-station-service': ['tsdb-mysql'],
  'ts-user-service': ['tsdb-mysql'],
  'tsdb-mysql': [],
};
const PORTS: Record<string, number> = { 'ts-ui-dashboard': 8080, 'tsdb-mysql': 3306 };

const app = (name: string, index: number): MadeApp => {
  const port = PORTS[name] ?? 12_000 + 31 * (index + 1);
  return {
    name,
    port,
    image: name === 'tsdb-mysql' ? 'docker.io/library/mysql:8.0' : `registry.example/tickets/${name}:1.4`,
    calls: CALLS[name] ?? [],
    node: index % 2 === 0 ? 'pool-a-1' : 'pool-a-2',
    replicas: 1,
    hasPod: true,
    hasService: true,
    podStatus: 'Running',
    ready: true,
    restarts: 0,
    state: ['State:          Running', '  Started:      Tue, 07 Apr 2026 10:17:00 +0000'],
    env: (CALLS[name] ?? []).map((to) => [
      `${to.toUpperCase().replaceAll('-', '_')}_ADDR`,
      `${to}:${PORTS[to] ?? portOf(to)}`,
    ]),
    probes: {
      Readiness: `tcp-socket :${port} delay=60s timeout=5s period=10s #success=1 #failure=3`,
      Liveness: `tcp-socket :${port} delay=90s timeout=5s period=10s #success=1 #failure=3`,
    },
    sidecars: [],
    nodeSelector: null,
    claim: name === 'tsdb-mysql' ? 'data-tsdb-mysql' : null,
    selector: `app=${name}`,
    servicePort: port,
    targetPort: port,
    protocol: 'TCP',
    podEvents: [],
    setEvents: [],
    deploymentEvents: [],
    logs: [],
    connects: true,
  };
};
const NAMES = Object.keys(CALLS);
export const portOf = (name: string): number => PORTS[name] ?? 12_000 + 31 * (NAMES.indexOf(name) + 1);

/** A cluster that is well; `others` more services stand about in it. */
export const soundCluster = (others = 0): MadeCluster => ({
  namespace: 'tickets',
  apps: [
    ...NAMES.map(app),
    ...Array.from({ length: others }, (_, index) => app(`ts-other${index}-service`, index + 20)),
  ],
  nodes: ['control-1', 'pool-a-1', 'pool-a-2'].map((name, index) => ({
    name,
    isControl: index === 0,
    taints: index === 0 ? 'node-role.kubernetes.io/control-plane:NoSchedule' : '<none>',
    unschedulable: false,
    labels: index === 0 ? [] : ['disktype=hdd'],
    ready: ['True', 'KubeletReady', 'kubelet is posting ready status'],
    stopped: [],
    events: [],
  })),
  claims: [
    {
      name: 'data-tsdb-mysql',
      usedBy: 'tsdb-mysql-6f8d9c7b5d-x7k2q',
      status: 'Bound',
      storageClass: 'local',
      modes: 'RWO',
      volume: 'pv-mysql',
      requested: '5Gi',
      selector: null,
      events: [],
    },
  ],
  volumes: [
    {
      name: 'pv-mysql',
      storageClass: 'local',
      modes: 'RWO',
      capacity: '10Gi',
      labels: 'tier=gold',
      status: 'Bound',
      claim: 'tickets/data-tsdb-mysql',
    },
  ],
  quotas: [],
  staleEvents: [],
  alerts: [],
});

export const of = (cluster: MadeCluster, name: string): MadeApp => {
  const found = cluster.apps.find((one) => one.name === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found;
};
/** Its pod does not serve, and its callers say so. */
export const down = (cluster: MadeCluster, name: string, over: Partial<MadeApp> = {}): MadeApp => {
  const it = Object.assign(of(cluster, name), { ready: false, connects: false }, over);
  for (const caller of cluster.apps.filter(({ calls }) => calls.includes(name)))
    caller.logs.push(
      `ERROR o.s.web.client.RestTemplate: I/O error on GET request for "http://${name}:${it.port}/api/v1": Connection refused (Connection refused); nested exception is java.net.ConnectException: Connection refused`,
    );
  return it;
};
export const crashed = (exitCode: number, reason = 'Error'): string[] => [
  'State:          Waiting',
  '  Reason:       CrashLoopBackOff',
  'Last State:     Terminated',
  `  Reason:       ${reason}`,
  `  Exit Code:    ${exitCode}`,
];
export const waits = (reason: string): string[] => ['State:          Waiting', `  Reason:       ${reason}`];
export const pending = (cluster: MadeCluster, name: string, why: string): MadeApp =>
  down(cluster, name, {
    podStatus: 'Pending',
    state: [],
    podEvents: [
      [
        'Warning',
        'FailedScheduling',
        `0/3 nodes are available: ${why}. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.`,
      ],
    ],
  });
export const CONTROL = '1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }';
export const pulling = (cluster: MadeCluster, name: string, image: string, why: string): void => {
  down(cluster, name, {
    image,
    podStatus: 'ImagePullBackOff',
    state: waits('ImagePullBackOff'),
    podEvents: [
      ['Warning', 'Failed', `Failed to pull image "${image}": ${why}`],
      ['Warning', 'Failed', 'Error: ErrImagePull'],
      ['Normal', 'BackOff', `Back-off pulling image "${image}"`],
    ],
  });
};
export const refusedBy = (cluster: MadeCluster, name: string, message: string): void => {
  down(cluster, name, {
    hasPod: false,
    setEvents: [
      ['Warning', 'FailedCreate', `Error creating: pods "${name}-6f8d9c7b5d-" is forbidden: ${message}`, 12],
    ],
  });
};
export const probed = (
  cluster: MadeCluster,
  name: string,
  kind: 'Liveness' | 'Readiness',
  { text, message, exitCode }: { text: string; message: string; exitCode?: number },
): void => {
  const isKilled = kind === 'Liveness';
  const it = down(cluster, name, {
    restarts: isKilled ? 4 : 0,
    podStatus: isKilled ? 'CrashLoopBackOff' : 'Running',
    ...(isKilled ? { state: crashed(exitCode ?? 143) } : {}),
    podEvents: [
      ['Warning', 'Unhealthy', `${kind} probe failed: ${message}`, 9],
      ...(isKilled
        ? [
            ['Normal', 'Killing', 'Container main failed liveness probe, will be restarted', 3] as [
              'Normal',
              string,
              string,
              number,
            ],
          ]
        : []),
    ],
  });
  it.probes = { ...it.probes, [kind]: text };
};
export const unbound = (
  cluster: MadeCluster,
  claim: Partial<MadeCluster['claims'][number]>,
  volume: Partial<MadeCluster['volumes'][number]> = {},
): void => {
  pending(cluster, 'tsdb-mysql', 'pod has unbound immediate PersistentVolumeClaims');
  Object.assign(
    cluster.claims[0] ?? {},
    {
      status: 'Pending',
      volume: '',
      events: [
        [
          'Normal',
          'FailedBinding',
          'no persistent volumes available for this claim and no storage class is set',
          8,
        ],
      ],
    },
    claim,
  );
  Object.assign(cluster.volumes[0] ?? {}, { status: 'Available', claim: '' }, volume);
};
export const stopped = (cluster: MadeCluster, node: string, service: string, message?: string): void => {
  const it = cluster.nodes.find(({ name }) => name === node);
  if (!it) throw new Error(`there is no node ${node}`);
  it.stopped.push(service);
  if (message === undefined) return;
  it.ready =
    service === 'kubelet' ? ['Unknown', 'NodeStatusUnknown', message] : ['False', 'KubeletNotReady', message];
  it.events.push(['Normal', 'NodeNotReady', `Node ${node} status is now: NodeNotReady`]);
};
export const slow = (name: string, before: number, now: number) => ({
  type: 'Service' as const,
  name,
  evidence: [
    `LATENCY_DEGRADATION [Slow Response] | ${name}-p90latency: Normal=${before}ms -> Current=${now}ms (+900.0%)`,
  ],
});
export const fault = (cause: string, object: string, what: string, make: MadeFault['make']): MadeFault => ({
  cause,
  object,
  what,
  make,
});
export const ORDER = 'app/ts-order-service';
export const JDBC =
  'com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure. The last packet sent successfully to the server was 0 milliseconds ago.';
