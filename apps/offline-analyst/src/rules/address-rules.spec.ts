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
