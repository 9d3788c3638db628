import { event, pod, viewOf, type Source } from '../../test/investigation';
import { diagnose, rankedHypotheses } from '../diagnosis/diagnose';

const POD = 'cart-7c9f6d5b8-x2x4q';
const pulling = (message: string): Source => ({
  objects: [pod(POD, { phase: 'Pending', ready: '0/1', reasons: ['ImagePullBackOff'] })],
  events: [event('Pod', POD, 'Failed', `Failed to pull image "registry.example/cart:9": ${message}`)],
});
const unschedulable = (why: string, rest: Source = {}): Source => ({
  objects: [pod(POD, { phase: 'Pending' }), ...(rest.objects ?? [])],
  events: [
    event(
      'Pod',
      POD,
      'FailedScheduling',
      `0/4 nodes are available: 1 node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }, ${why}. preemption: 0/4 nodes are available.`,
    ),
  ],
  described: rest.described,
});
const probe = (kind: string, message: string, rest: Source = {}): Source => ({
  objects: [pod(POD, { phase: 'Running', ready: '0/1', restarts: 4 })],
  events: [event('Pod', POD, 'Unhealthy', `${kind} probe failed: ${message}`), ...(rest.events ?? [])],
  described: rest.described,
});
const creating = (message: string): Source => ({
  objects: [{ kind: 'ReplicaSet', name: 'cart-7c9f6d5b8', namespace: 'shop', status: {} }],
  events: [
    event(
      'ReplicaSet',
      'cart-7c9f6d5b8',
      'FailedCreate',
      `Error creating: pods "cart-7c9f6d5b8-abcde" is forbidden: ${message}`,
    ),
  ],
});
const claim = (
  spec: object,
  volumes: object[],
  message = 'no persistent volumes available for this claim and no storage class is set',
): Source => ({
  described: [
    {
      object: {
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'cart-data', namespace: 'shop' },
        spec,
        status: { phase: 'Pending' },
      },
    },
    ...volumes.map((volume, index) => ({
      object: {
        kind: 'PersistentVolume',
        metadata: { name: `pv-${index}`, labels: { disk: 'ssd' } },
        status: { phase: 'Available' },
        spec: volume,
      },
    })),
  ],
  events: [event('PersistentVolumeClaim', 'cart-data', 'FailedBinding', message)],
});
const PLAIN_CLAIM = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'local',
  resources: { requests: { storage: '1Gi' } },
};
const PLAIN_VOLUME = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'local',
  capacity: { storage: '5Gi' },
};
const service = (spec: object, podSpec: object = {}): Source => ({
  described: [
    { object: { kind: 'Service', metadata: { name: 'cart', namespace: 'shop' }, spec } },
    {
      object: {
        kind: 'Pod',
        metadata: { name: POD, namespace: 'shop', labels: { app: 'cart' } },
        spec: podSpec,
        status: { phase: 'Running' },
      },
    },
  ],
});
const container = (object: object) => ({ containers: [object] });

describe('the rules find how Kubernetes fails', () => {
  it.each<[string, string, Source]>([
    [
      'IMAGE_REGISTRY_DNS_FAILURE',
      'Service/cart',
      pulling('dial tcp: lookup registry.example on 10.0.0.2:53: no such host'),
    ],
    ['MISSING_IMAGE_PULL_SECRET', 'Service/cart', pulling('failed to authorize: 401 Unauthorized')],
    ['INCORRECT_IMAGE_REFERENCE', 'Service/cart', pulling('manifest unknown: manifest unknown')],
    [
      'OOM_KILLED',
      'Service/cart',
      { objects: [pod(POD, { phase: 'Running', ready: '0/1', restarts: 6, reasons: ['OOMKilled'] })] },
    ],
    [
      'MISSING_SECRET_BINDING',
      'Service/cart',
      {
        objects: [pod(POD, { phase: 'Pending', reasons: ['CreateContainerConfigError'] })],
        events: [event('Pod', POD, 'Failed', 'Error: secret "cart-db" not found')],
      },
    ],
    [
      'MISSING_CONFIGURATION',
      'Service/cart',
      {
        objects: [pod(POD, { phase: 'Pending', reasons: ['CreateContainerConfigError'] })],
        events: [event('Pod', POD, 'Failed', 'Error: configmap "cart-settings" not found')],
      },
    ],
    [
      'VOLUME_MOUNT_PERMISSION_DENIED',
      'Service/cart',
      {
        objects: [pod(POD, { phase: 'Running', reasons: ['CrashLoopBackOff'], restarts: 5 })],
        logs: [{ service: 'cart', message: "Can't open the append-only dir: Permission denied" }],
      },
    ],
    [
      'CONTAINER_CRASH_LOOP',
      'Service/cart',
      {
        objects: [pod(POD, { phase: 'Running', reasons: ['CrashLoopBackOff'], restarts: 5 })],
        events: [event('Pod', POD, 'BackOff', 'Back-off restarting failed container cart in pod cart')],
      },
    ],
    [
      'TAINT_TOLERATION_MISMATCH',
      'Service/cart',
      unschedulable('3 node(s) had untolerated taint {dedicated: batch}'),
    ],
    ['NODE_CORDON_MISMATCH', 'Service/cart', unschedulable('3 node(s) were unschedulable')],
    ['CPU_CAPACITY_MISMATCH', 'Service/cart', unschedulable('3 Insufficient cpu')],
    ['MEMORY_CAPACITY_MISMATCH', 'Service/cart', unschedulable('1 Insufficient cpu, 3 Insufficient memory')],
    [
      'POD_ANTI_AFFINITY_CONFLICT',
      'Service/cart',
      unschedulable("3 node(s) didn't match pod anti-affinity rules"),
    ],
    [
      'NODE_SELECTOR_MISMATCH',
      'Service/cart',
      unschedulable("3 node(s) didn't match Pod's node affinity/selector"),
    ],
    [
      'NODE_AFFINITY_MISMATCH',
      'Service/cart',
      unschedulable("3 node(s) didn't match Pod's node affinity/selector", {
        described: [
          {
            object: {
              kind: 'Pod',
              metadata: { name: POD, namespace: 'shop' },
              spec: { affinity: { nodeAffinity: {} } },
              status: { phase: 'Pending' },
            },
          },
        ],
      }),
    ],
    [
      'LIVENESS_PROBE_INCORRECT_PORT',
      'Service/cart',
      probe(
        'Liveness',
        'Get "http://10.1.1.7:9999/healthz": dial tcp 10.1.1.7:9999: connect: connection refused',
      ),
    ],
    [
      'READINESS_PROBE_INCORRECT_PROTOCOL',
      'Service/cart',
      probe(
        'Readiness',
        'Get "http://10.1.1.7:8080/": net/http: HTTP/1.x transport connection broken: malformed HTTP response',
      ),
    ],
    [
      'LIVENESS_PROBE_INCORRECT_TIMING',
      'Service/cart',
      probe('Liveness', 'command timed out: context deadline exceeded'),
    ],
    [
      'READINESS_PROBE_INCORRECT_PORT',
      'Service/cart',
      probe('Readiness', 'timeout', {
        described: [
          {
            object: {
              kind: 'Pod',
              metadata: { name: POD, namespace: 'shop' },
              spec: container({
                ports: [{ containerPort: 8080 }],
                readinessProbe: { tcpSocket: { port: 8081 } },
              }),
              status: {},
            },
          },
        ],
      }),
    ],
    [
      'NAMESPACE_POD_QUOTA_EXCEEDED',
      'Namespace/shop',
      creating('exceeded quota: objects, requested: pods=1, used: pods=10, limited: pods=10'),
    ],
    [
      'NAMESPACE_CPU_QUOTA_EXCEEDED',
      'Namespace/shop',
      creating(
        'exceeded quota: compute, requested: requests.cpu=1, used: requests.cpu=4, limited: requests.cpu=4',
      ),
    ],
    [
      'NAMESPACE_MEMORY_QUOTA_EXCEEDED',
      'Namespace/shop',
      creating(
        'exceeded quota: compute, requested: limits.memory=1Gi, used: limits.memory=4Gi, limited: limits.memory=4Gi',
      ),
    ],
    [
      'MISSING_SERVICE_ACCOUNT',
      'Service/cart',
      creating('error looking up service account shop/cart: serviceaccount "cart" not found'),
    ],
    [
      'PVC_STORAGE_CLASS_MISMATCH',
      'Service/cart-data',
      claim({ ...PLAIN_CLAIM, storageClassName: 'fast' }, [PLAIN_VOLUME]),
    ],
    [
      'PVC_ACCESS_MODE_MISMATCH',
      'Service/cart-data',
      claim({ ...PLAIN_CLAIM, accessModes: ['ReadWriteMany'] }, [PLAIN_VOLUME]),
    ],
    [
      'PVC_CAPACITY_MISMATCH',
      'Service/cart-data',
      claim({ ...PLAIN_CLAIM, resources: { requests: { storage: '20Gi' } } }, [PLAIN_VOLUME]),
    ],
    [
      'PVC_SELECTOR_MISMATCH',
      'Service/cart-data',
      claim({ ...PLAIN_CLAIM, selector: { matchLabels: { disk: 'nvme' } } }, [PLAIN_VOLUME]),
    ],
    [
      'PV_BINDING_OCCUPIED',
      'Service/cart-data',
      claim(PLAIN_CLAIM, [{ ...PLAIN_VOLUME, claimRef: { name: 'other-data' } }]),
    ],
    [
      'SERVICE_SELECTOR_MISMATCH',
      'Service/cart',
      service({ selector: { app: 'carts' }, ports: [{ port: 80 }] }),
    ],
    [
      'SERVICE_PORT_MAPPING_MISMATCH',
      'Service/cart',
      service(
        { selector: { app: 'cart' }, ports: [{ port: 80, targetPort: 8081 }] },
        container({ ports: [{ containerPort: 8080 }] }),
      ),
    ],
    [
      'DEPLOYMENT_ZERO_REPLICAS',
      'Service/cart',
      { objects: [{ kind: 'Deployment', name: 'cart', namespace: 'shop', desiredReplicas: 0, status: {} }] },
    ],
    [
      'KUBELET_UNAVAILABLE',
      'Node/worker-1',
      {
        described: [
          {
            object: {
              kind: 'Node',
              metadata: { name: 'worker-1' },
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
          },
        ],
      },
    ],
    [
      'CONTAINERD_UNAVAILABLE',
      'Node/worker-1',
      {
        described: [
          {
            object: {
              kind: 'Node',
              metadata: { name: 'worker-1' },
              status: {
                conditions: [
                  {
                    type: 'Ready',
                    status: 'False',
                    reason: 'KubeletNotReady',
                    message: 'container runtime is down',
                  },
                ],
              },
            },
          },
        ],
      },
    ],
  ])('%s', (cause, object, source) => {
    const [best] = rankedHypotheses(viewOf(source));
    expect(best).toMatchObject({ cause, object });
    expect(best?.findings.length).toBeGreaterThan(0);
  });

  it('takes a service account that was missing for a moment for no fault, once the pod exists', () => {
    const { events } = creating('serviceaccount "cart" not found');
    const view = viewOf({
      events: events?.map((e) => ({ ...e, object: { kind: 'ReplicaSet', name: 'cart' } })),
      objects: [pod(POD)],
    });
    expect(rankedHypotheses(view)).toEqual([]);
  });

  it('finds nothing in a namespace where everything runs', () => {
    const healthy = viewOf({
      alerts: [],
      objects: [
        pod(POD),
        {
          kind: 'Deployment',
          name: 'cart',
          namespace: 'shop',
          desiredReplicas: 1,
          status: { readyReplicas: 1 },
        },
      ],
      events: [event('Pod', POD, 'Started', 'Started container cart', { type: 'Normal' })],
    });
    expect(rankedHypotheses(healthy)).toEqual([]);
    expect(diagnose(healthy, []).status).toBe('NO_FAULT_FOUND');
  });
});
