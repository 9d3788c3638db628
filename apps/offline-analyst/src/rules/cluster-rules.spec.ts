import { event, pod, viewOf, type Source } from '../../test/investigation';
import { rankedHypotheses } from '../diagnosis/diagnose';

const POD = 'cart-7c9f6d5b8-x2x4q';
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

describe('the rules find what is wrong around the pods', () => {
  it.each<[cause: string, object: string, source: Source]>([
    [
      'KUBE_PROXY_UNAVAILABLE',
      'Node/worker-1',
      {
        described: [
          {
            object: {
              kind: 'Node',
              metadata: { name: 'worker-1' },
              status: {
                conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }],
                services: [
                  { name: 'kubelet', active: 'active (running)' },
                  { name: 'kube-proxy', active: 'inactive (dead)' },
                ],
              },
            },
          },
        ],
      },
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
              status: { conditions: [{ type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown' }] },
            },
          },
        ],
        // What a node said of itself while it was well.
        events: [
          event('Node', 'worker-1', 'NodeHasNoDiskPressure', 'status is now: NodeHasNoDiskPressure', {
            type: 'Normal',
          }),
          event('Node', 'worker-1', 'NodeNotReady', 'status is now: NodeNotReady', { type: 'Normal' }),
        ],
      },
    ],
    [
      'NAMESPACE_SERVICE_QUOTA_EXCEEDED',
      'Namespace/shop',
      {
        dependencies: [
          ['web', 'cart'],
          ['web', 'mail'],
        ],
        objects: [{ kind: 'Service', name: 'cart', namespace: 'shop' }],
        described: [
          {
            object: {
              kind: 'ResourceQuota',
              metadata: { name: 'limits', namespace: 'shop' },
              status: { hard: { services: '1' }, used: { services: '1' } },
            },
          },
        ],
      },
    ],
    [
      'SERVICE_PROTOCOL_MISMATCH',
      'Service/cart',
      {
        described: [
          {
            object: {
              kind: 'Service',
              metadata: { name: 'cart', namespace: 'shop' },
              spec: { selector: { app: 'cart' }, ports: [{ port: 80, targetPort: 80, protocol: 'UDP' }] },
            },
          },
          {
            object: {
              kind: 'Pod',
              metadata: { name: POD, namespace: 'shop', labels: { app: 'cart' } },
              spec: { containers: [{ name: 'cart', ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
              status: { phase: 'Running' },
            },
          },
        ],
      },
    ],
    [
      'SERVICE_ENV_VAR_ADDRESS_MISMATCH',
      'Service/web',
      {
        objects: [{ kind: 'Service', name: 'cart', namespace: 'shop' }],
        logs: [{ service: 'web', message: 'dial tcp: lookup carts on 10.0.0.10:53: no such host' }],
        described: [
          {
            object: {
              kind: 'Pod',
              metadata: { name: 'web-7c9f6d5b8-x2x4q', namespace: 'shop', labels: { app: 'web' } },
              spec: { containers: [{ name: 'web', env: [{ name: 'CART_ADDR', value: 'carts:7070' }] }] },
              status: { phase: 'Running' },
            },
          },
        ],
      },
    ],
    [
      'TAINT_TOLERATION_MISMATCH',
      'Service/cart',
      // The selector fits a node: what keeps the pod from it is that node's taint.
      unschedulable(
        "1 node(s) had untolerated taint {team: ml}, 2 node(s) didn't match Pod's node affinity/selector",
        {
          objects: [{ kind: 'Node', name: 'worker-1', labels: { disk: 'fast' } }],
          described: [
            {
              object: {
                kind: 'Pod',
                metadata: { name: POD, namespace: 'shop' },
                spec: { nodeSelector: { disk: 'fast' } },
                status: { phase: 'Pending' },
              },
            },
          ],
        },
      ),
    ],
    [
      'NODE_AFFINITY_MISMATCH',
      'Service/cart',
      unschedulable("1 node(s) were unschedulable, 2 node(s) didn't match Pod's node affinity/selector", {
        objects: [
          { kind: 'Node', name: 'first', labels: { 'node-role.kubernetes.io/control-plane': 'true' } },
        ],
        described: [
          {
            object: {
              kind: 'Pod',
              metadata: { name: POD, namespace: 'shop' },
              spec: { nodeName: null },
              status: { phase: 'Pending' },
            },
          },
        ],
      }),
    ],
  ])('%s', (cause, object, source) => {
    const [best] = rankedHypotheses(viewOf(source));
    expect(best).toMatchObject({ cause, object });
    expect(best?.findings.length).toBeGreaterThan(0);
  });
});

describe('the rules find nothing in', () => {
  it('a probe that failed once while the pod started', () => {
    const failed = event('Pod', POD, 'Unhealthy', 'Readiness probe failed: timeout', { count: 1 });
    expect(rankedHypotheses(viewOf({ objects: [pod(POD)], events: [failed] }))).toEqual([]);
    const lasting = { ...failed, count: 9 };
    expect(rankedHypotheses(viewOf({ objects: [pod(POD)], events: [lasting] }))).toHaveLength(1);
  });

  it('a full quota, as long as nothing is missing', () => {
    const view = viewOf({
      dependencies: [['web', 'cart']],
      objects: [
        { kind: 'Service', name: 'cart', namespace: 'shop' },
        { kind: 'Service', name: 'web', namespace: 'shop' },
      ],
      described: [
        {
          object: {
            kind: 'ResourceQuota',
            metadata: { name: 'limits', namespace: 'shop' },
            status: { hard: { services: '2' }, used: { services: '2' } },
          },
        },
      ],
    });
    expect(rankedHypotheses(view)).toEqual([]);
  });

  it('the name service, for names that resolve by now', () => {
    const logs = [
      { service: 'web', message: 'dial tcp: lookup cart on 10.0.0.10:53: no such host' },
      { service: 'web', message: 'dial tcp 10.1.2.3:7070: connect: connection refused' },
    ];
    const causes = (source: Source) => rankedHypotheses(viewOf(source)).map(({ cause }) => cause);
    const objects = [{ kind: 'Service', name: 'cart', namespace: 'shop' }];
    expect(causes({ logs, objects })).not.toContain('SERVICE_DNS_RESOLUTION_FAILURE');
    expect(causes({ logs: logs.slice(0, 1), objects })).toContain('SERVICE_DNS_RESOLUTION_FAILURE');
  });
});
