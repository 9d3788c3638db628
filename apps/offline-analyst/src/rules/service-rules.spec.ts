import { minute, viewOf, type Source } from '../../test/investigation';
import { diagnose, rankedHypotheses } from '../diagnosis/diagnose';

const flat = (value: number) => Array.from({ length: 20 }, () => value);
const climb = (from: number, to: number) =>
  Array.from({ length: 20 }, (_, n) => Math.round(from + ((to - from) * n) / 19));
const series = (name: string, service: string, values: number[], rest: object = {}) => ({
  name,
  labels: { service },
  values,
  ...rest,
});

const LEAK: Source = {
  dependencies: [
    ['web', 'orders'],
    ['orders', 'postgres'],
  ],
  alerts: [
    {
      name: 'OrdersFail',
      severity: 'critical',
      service: 'orders',
      startsAt: minute(4),
      summary: 'orders fail',
      labels: {},
    },
  ],
  logs: [
    {
      service: 'orders',
      message: 'POST /orders failed: timeout exceeded when trying to connect',
      from: minute(4),
    },
    {
      service: 'web',
      message: 'upstream orders answered 503 to POST /orders',
      level: 'WARN',
      from: minute(4),
    },
  ],
  series: [
    series('db_pool_in_use', 'orders', climb(0, 10)),
    series('db_pool_size', 'orders', flat(10)),
    {
      name: 'pg_connections',
      labels: { service: 'postgres', client: 'orders', state: 'idle_in_transaction' },
      values: climb(0, 9),
    },
  ],
  objects: [
    {
      kind: 'PostgresSession',
      name: 'session-7',
      labels: { service: 'postgres', client: 'orders' },
      status: { state: 'idle in transaction', client: 'orders', lastQuery: 'SELECT * FROM stock FOR UPDATE' },
    },
  ],
};

describe('the connection pool rule', () => {
  it('identifies leaked transactions by log, metric and session state', () => {
    const view = viewOf(LEAK);
    const diagnosis = diagnose(view, rankedHypotheses(view));
    expect(diagnosis.status).toBe('ROOT_CAUSE_IDENTIFIED');
    expect(diagnosis.best).toMatchObject({
      cause: 'DATABASE_CONNECTION_POOL_EXHAUSTED_BY_LEAKED_TRANSACTIONS',
      object: 'Service/orders',
    });
  });

  it('does not speak of a leak where sessions are merely busy', () => {
    const view = viewOf({ ...LEAK, objects: [], series: LEAK.series?.slice(0, 2) });
    const [best] = rankedHypotheses(view);
    expect(best).toMatchObject({ cause: 'DATABASE_CONNECTION_POOL_EXHAUSTED', object: 'Service/orders' });
  });

  it('is silent about a pool that is used and not exhausted', () => {
    const view = viewOf({
      series: [series('db_pool_in_use', 'orders', climb(0, 8)), series('db_pool_size', 'orders', flat(10))],
    });
    expect(rankedHypotheses(view)).toEqual([]);
  });
});

describe('rules over logs and metrics', () => {
  it.each<[string, string, Source]>([
    [
      'DATABASE_INVALID_CREDENTIALS',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'FATAL: password authentication failed for user "shop"' }] },
    ],
    [
      'DATABASE_CONNECTION_LIMIT_REACHED',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'FATAL: sorry, too many clients already' }] },
    ],
    [
      'DATABASE_READ_ONLY',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'ERROR: cannot execute INSERT in a read-only transaction' }] },
    ],
    [
      'DATABASE_DEADLOCKS',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'ERROR: deadlock detected' }] },
    ],
    [
      'DATABASE_LOCK_CONTENTION',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'Lock wait timeout exceeded; try restarting transaction' }] },
    ],
    [
      'SERVICE_DNS_RESOLUTION_FAILURE',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'getaddrinfo ENOTFOUND stok' }] },
    ],
    [
      'TLS_CERTIFICATE_EXPIRED',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'x509: certificate has expired or is not yet valid' }] },
    ],
    [
      'TLS_CERTIFICATE_NOT_TRUSTED',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'x509: certificate signed by unknown authority' }] },
    ],
    [
      'DISK_FULL',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'write /var/data/log: no space left on device' }] },
    ],
    [
      'NATS_STORE_TROUBLE',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'nats: maximum bytes exceeded' }] },
    ],
    [
      'MISSING_CONFIGURATION',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'required environment variable STOCK_URL is not set' }] },
    ],
    [
      'DISK_FULL',
      'Service/db',
      {
        series: [
          series('disk_used_percent', 'db', climb(80, 99), {
            unit: '%',
            changes: [{ at: minute(5), before: 82, after: 98 }],
          }),
        ],
      },
    ],
    [
      'POD_CPU_OVERLOAD',
      'Service/orders',
      {
        series: [
          series('cpu_percent', 'orders', flat(97), {
            unit: '%',
            changes: [{ at: minute(2), before: 30, after: 97 }],
          }),
        ],
      },
    ],
    [
      'MESSAGE_QUEUE_LAG',
      'Service/mailer',
      {
        series: [
          {
            name: 'consumer_lag',
            labels: { service: 'broker', consumer: 'mailer' },
            values: climb(0, 5_000),
            changes: [{ at: minute(3), before: 10, after: 4_000 }],
          },
        ],
      },
    ],
    [
      'DEPENDENCY_UNREACHABLE',
      'Service/stock',
      {
        dependencies: [['orders', 'stock']],
        logs: [{ service: 'orders', message: 'upstream stock: connect ECONNREFUSED' }],
      },
    ],
    [
      'SERVICE_FAILING',
      'Service/orders',
      { logs: [{ service: 'orders', message: 'cannot compute the total' }] },
    ],
  ])('%s lies in %s', (cause, object, source) => {
    expect(rankedHypotheses(viewOf(source))[0]).toMatchObject({ cause, object });
  });

  it.each<[string, Source]>([
    [
      'a peak of CPU that passed',
      { series: [series('cpu_percent', 'orders', [...flat(20), 99, ...flat(20)], { unit: '%' })] },
    ],
    ['load of the shared host', { series: [series('host_cpu_percent', 'host', flat(97), { unit: '%' })] }],
    [
      'information that mentions a failure',
      { logs: [{ service: 'orders', level: 'INFO', message: 'no space left on device was fixed' }] },
    ],
    ['a backlog of a few messages', { series: [series('consumer_lag', 'broker', climb(0, 12))] }],
  ])('takes %s for no cause', (_, source) => {
    expect(rankedHypotheses(viewOf(source))).toEqual([]);
  });
});

describe('weighing hypotheses', () => {
  it('puts the failing dependency before the callers that complain about it', () => {
    const view = viewOf({
      dependencies: [
        ['web', 'orders'],
        ['orders', 'stock'],
      ],
      logs: [
        { service: 'web', message: 'upstream orders answered 500' },
        { service: 'orders', message: 'upstream stock answered 500' },
        { service: 'stock', message: 'write failed: no space left on device' },
      ],
    });
    const diagnosis = diagnose(view, rankedHypotheses(view));
    expect(diagnosis.best).toMatchObject({ cause: 'DISK_FULL', object: 'Service/stock' });
    expect(diagnosis.alternatives).toEqual([]);
  });

  it('forgets what was over long before the end', () => {
    const view = viewOf({
      logs: [
        { service: 'orders', message: 'no space left on device', from: minute(1), to: minute(1.5), count: 4 },
      ],
    });
    expect(diagnose(view, rankedHypotheses(view)).status).toBe('NO_FAULT_FOUND');
  });

  it('calls one sort of evidence a lead and no cause', () => {
    const view = viewOf({ logs: [{ service: 'orders', message: 'deadlock detected' }] });
    expect(diagnose(view, rankedHypotheses(view)).status).toBe('INCONCLUSIVE');
  });

  it('calls a change before the errors a probable cause, not an identified one', () => {
    const view = viewOf({
      events: [
        {
          time: minute(3),
          type: 'Normal',
          reason: 'Deploying',
          object: { kind: 'Service', name: 'orders' },
          message: 'replacing orders 1 by 2',
          count: 1,
        },
      ],
      logs: [{ service: 'orders', message: 'TypeError: total is undefined', from: minute(3.2) }],
      series: [
        series('http_error_ratio', 'orders', climb(0, 1), {
          unit: 'ratio',
          changes: [{ at: minute(3.3), before: 0, after: 0.8 }],
        }),
      ],
    });
    const diagnosis = diagnose(view, rankedHypotheses(view));
    expect(diagnosis).toMatchObject({ status: 'PROBABLE_CAUSE', best: { cause: 'FAULTY_RELEASE' } });
  });

  it('leaves the question open between two equally strong places', () => {
    const logs = ['orders', 'mailer'].map((service) => ({ service, message: 'no space left on device' }));
    const view = viewOf({ logs });
    const diagnosis = diagnose(view, rankedHypotheses(view));
    expect(diagnosis.status).toBe('INCONCLUSIVE');
    expect(diagnosis.alternatives).toHaveLength(1);
  });

  it('says that trouble without a hypothesis is inconclusive', () => {
    const view = viewOf({
      alerts: [
        { name: 'Slow', severity: 'critical', service: 'web', startsAt: minute(2), summary: '', labels: {} },
      ],
    });
    expect(diagnose(view, rankedHypotheses(view))).toMatchObject({ status: 'INCONCLUSIVE', best: null });
  });

  it('says nothing about nothing', () => {
    const view = viewOf({});
    expect(diagnose(view, rankedHypotheses(view)).status).toBe('INCONCLUSIVE');
  });
});
