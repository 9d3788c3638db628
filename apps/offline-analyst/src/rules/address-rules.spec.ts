import { event, pod, viewOf, type Source } from '../../test/investigation';
import { rankedHypotheses } from '../diagnosis/diagnose';

const caller = (env: Record<string, string>): NonNullable<Source['described']>[number] => ({
  object: {
    kind: 'Pod',
    metadata: { name: 'web-7c9f6d5b8-x2x4q', namespace: 'shop', labels: { app: 'web' } },
    spec: {
      containers: [{ name: 'main', env: Object.entries(env).map(([name, value]) => ({ name, value })) }],
    },
    status: { phase: 'Running' },
  },
});
const service = (name: string, ports: string) => ({ kind: 'Service', name, namespace: 'shop', ports });
const SERVICES = [service('cart', '7070/TCP'), service('stock', '8080->9090/TCP'), service('db', '3306/TCP')];
const failing = (message: string) => [{ service: 'web', message }];

const first = (source: Source): string => {
  const [best] = rankedHypotheses(viewOf(source));
  return best ? `${best.object} ${best.cause}` : '-';
};

describe('addresses among the settings of a caller', () => {
  it.each<[string, Source, string]>([
    [
      'names nobody has',
      {
        described: [caller({ CART: 'http[:]//crat:7070' })],
        objects: SERVICES,
        logs: failing('lookup crat on 10.0.0.2:53: no such host'),
      },
      'Service/web SERVICE_ENV_VAR_ADDRESS_MISMATCH',
    ],
    [
      'a name that a client cannot connect to, without saying why',
      {
        described: [caller({ CACHE: 'cahce:6379' })],
        objects: SERVICES,
        logs: failing('RedisConnectionException: UnableToConnect on cahce:6379/Interactive'),
      },
      'Service/web SERVICE_ENV_VAR_ADDRESS_MISMATCH',
    ],
    [
      'a port that is not offered',
      {
        described: [caller({ CART: 'cart:7071' })],
        objects: SERVICES,
        logs: failing('dial tcp 10.1.1.1:7071: i/o timeout'),
      },
      'Service/web SERVICE_ENV_VAR_ADDRESS_MISMATCH',
    ],
    [
      'the port behind the one that is offered',
      {
        described: [caller({ STOCK: 'stock:9090' })],
        objects: SERVICES,
        logs: failing('dial tcp 10.1.1.2:9090: connection refused'),
      },
      'Service/stock SERVICE_PORT_MAPPING_MISMATCH',
    ],
    [
      'the address of another than its name says',
      {
        described: [caller({ STOCK_ADDR: 'cart:7070' })],
        objects: SERVICES,
        logs: failing('rpc error: code = Unavailable'),
      },
      'Service/web SERVICE_ENV_VAR_ADDRESS_MISMATCH',
    ],
    [
      'a port of the database, in a variable of its own',
      {
        described: [caller({ DB_HOST: 'db', DB_PORT: '3307' })],
        objects: [...SERVICES, pod('db-0')],
        dependencies: [['web', 'db']],
        logs: failing("Can't connect to MySQL server on 'db:3307' (111)"),
      },
      'Service/web DATABASE_INVALID_PORT',
    ],
  ])('%s', (_, source, expected) => expect(first(source)).toBe(expected));

  it('that are right are no cause', () => {
    const described = [
      caller({ CART_ADDR: 'cart:7070', STOCK_ADDR: 'stock:8080', DB_HOST: 'db', DB_PORT: '3306' }),
    ];
    expect(first({ described, objects: SERVICES, logs: failing('connection refused') })).not.toMatch(
      /ADDRESS|PORT/,
    );
  });
});

describe('what a mesh adds to a pod', () => {
  const POD = 'cart-7c9f6d5b8-x2x4q';
  const meshed = (probe: object) => ({
    object: {
      kind: 'Pod',
      metadata: { name: POD, namespace: 'shop', labels: { app: 'cart' } },
      spec: {
        containers: [
          { name: 'main', ports: [{ containerPort: 7070 }], ...probe },
          {
            name: 'istio-proxy',
            ports: [{ containerPort: 15090 }],
            readinessProbe: { httpGet: { port: 15021 } },
          },
        ],
      },
      status: { phase: 'Running', containerStatuses: [{ ready: false, restartCount: 0 }] },
    },
  });

  it('is not taken for a wrong port of a probe', () => {
    const events = [
      event('Pod', POD, 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
    ];
    for (const probe of [{}, { readinessProbe: { httpGet: { port: 15020 } } }])
      expect(first({ described: [meshed(probe)], events })).not.toContain('INCORRECT_PORT');
  });
});

describe('an image that is denied', () => {
  const failed = event(
    'Pod',
    'cart-7c9f6d5b8-x2x4q',
    'Failed',
    'Failed to pull image "hub.example/shop/crat:1": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
  );
  const objects = [
    pod('cart-7c9f6d5b8-x2x4q', { phase: 'Pending', reasons: ['ErrImagePull'] }),
    pod('web-7c9f6d5b8-x2x4q'),
  ];
  const pulled = (image: string) =>
    event('Pod', 'web-7c9f6d5b8-x2x4q', 'Pulled', `Container image "${image}" already present on machine`, {
      type: 'Normal',
    });

  it('has a wrong name where others come from the same place', () => {
    expect(first({ objects, events: [failed, pulled('hub.example/shop/web:1')] })).toBe(
      'Service/cart INCORRECT_IMAGE_REFERENCE',
    );
  });

  it('may want credentials where nobody else comes from there', () => {
    const found = rankedHypotheses(viewOf({ objects, events: [failed, pulled('hub.example/other/web:1')] }));
    expect(found.map(({ cause }) => cause)).toEqual(
      expect.arrayContaining(['MISSING_IMAGE_PULL_SECRET', 'INCORRECT_IMAGE_REFERENCE']),
    );
  });
});

describe('a probe that gets no answer in time', () => {
  const POD = 'cart-7c9f6d5b8-x2x4q';
  const timedOut = (message: string) => [
    event('Pod', POD, 'Unhealthy', `Liveness probe failed: ${message}`, { count: 9 }),
    event('Pod', POD, 'Killing', 'Container main failed liveness probe, will be restarted', {
      type: 'Normal',
    }),
  ];
  const probed = (livenessProbe: object, readinessProbe: object) => ({
    object: {
      kind: 'Pod',
      metadata: { name: POD, namespace: 'shop', labels: { app: 'cart' } },
      spec: {
        containers: [{ name: 'main', ports: [{ containerPort: 7070 }], livenessProbe, readinessProbe }],
      },
      status: { phase: 'Running', containerStatuses: [{ ready: false, restartCount: 3 }] },
    },
  });
  const hasty = { initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 1 };

  it.each<[string, object, object, string, string]>([
    [
      'asks by gRPC what answers by HTTP',
      { grpc: { port: 7070 } },
      { httpGet: { port: 7070 } },
      'timeout: failed to connect service "10.1.1.1:7070" within 1s: context deadline exceeded',
      'LIVENESS_PROBE_INCORRECT_PROTOCOL',
    ],
    [
      'asks a port that nobody declares',
      { grpc: { port: 7071 } },
      { grpc: { port: 7070 } },
      'timeout: failed to connect service "10.1.1.1:7071" within 1s: context deadline exceeded',
      'LIVENESS_PROBE_INCORRECT_PORT',
    ],
    [
      'gives no time to start',
      { tcpSocket: { port: 7070 }, ...hasty },
      { tcpSocket: { port: 7070 } },
      'dial tcp 10.1.1.1:7070: connect: connection refused',
      'LIVENESS_PROBE_INCORRECT_TIMING',
    ],
    [
      'gives time, and nobody listens',
      { tcpSocket: { port: 7070 }, initialDelaySeconds: 60 },
      { tcpSocket: { port: 7070 } },
      'dial tcp 10.1.1.1:7070: connect: connection refused',
      'LIVENESS_PROBE_FAILING',
    ],
  ])('%s', (_, liveness, readiness, message, cause) =>
    expect(first({ described: [probed(liveness, readiness)], events: timedOut(message) })).toBe(
      `Service/cart ${cause}`,
    ),
  );
});

describe('events of what is gone', () => {
  const events = [
    event('Pod', 'cart-7c9f6d5b8-old42', 'FailedScheduling', '0/3 nodes are available: 3 Insufficient cpu.'),
  ];

  it('tell nothing about now, where the pods were listed', () => {
    expect(first({ objects: [pod('cart-7c9f6d5b8-x2x4q')], events })).toBe('-');
  });

  it('count where nobody listed them', () => {
    expect(first({ events })).toContain('CPU_CAPACITY_MISMATCH');
  });
});
