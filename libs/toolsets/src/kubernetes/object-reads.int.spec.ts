import { SourceFailure } from '../incident-source';
import { DATABASE_PASSWORD, podOf, SECRET_DATA, SHOP, sliceOf } from '../../test/a-shop-cluster';
import { KubernetesDouble } from '../../test/kubernetes-double';
import { kubernetesApi } from './kubernetes-api';
import { objectReads } from './object-reads';

const EVENTS = { eventsKeptMs: 3_600_000, nowMs: () => Date.parse('2026-05-01T10:30:00Z') };

type Options = Parameters<typeof KubernetesDouble.start>[0];

const { signal } = new AbortController();
const started: KubernetesDouble[] = [];
afterEach(() => Promise.all(started.splice(0).map((double) => double.stop())));

const cluster = async (options: Partial<Options> = {}, namespaces: string[] | null = null) => {
  const double = await KubernetesDouble.start({ objects: SHOP, token: 'reader', ...options });
  started.push(double);
  const api = kubernetesApi({
    server: double.url,
    authorize: async (request) => {
      request.headers = { ...request.headers, authorization: 'Bearer reader' } as typeof request.headers;
    },
  });
  return { double, source: objectReads({ api, namespaces, ...EVENTS }) };
};

describe('objects of a live cluster', () => {
  it('are listed over all namespaces, with the state that a list can show', async () => {
    const { source } = await cluster();
    const page = await source.listObjects({ limit: 250 }, signal);
    const named = (kind: string, name: string) =>
      page.items.find((object) => object.kind === kind && object.metadata.name === name);
    expect(new Set(page.items.map(({ kind }) => kind))).toEqual(
      new Set(['Node', 'Service', 'Deployment', 'ResourceQuota', 'PersistentVolumeClaim', 'Pod']),
    );
    expect(page).toMatchObject({ matched: 12, limitHit: false, partial: false, permissionFiltered: false });
    expect(named('Service', 'orders')?.status).toMatchObject({
      endpoints: '10.1.0.7:8080',
      endpointsNotReady: 1,
    });
    expect(named('Service', 'pay')?.status).toMatchObject({ endpoints: 'none' });
    expect(named('Service', 'mail')?.status).not.toHaveProperty('endpoints');
    expect(named('Node', 'node-b')?.status).toMatchObject({ ready: false, unschedulable: true });
  });

  it.each(['Pod', 'pods', 'po'])('are listed by kind as %s, namespace and part of the name', async (kind) => {
    const { source, double } = await cluster();
    const page = await source.listObjects(
      { kind, namespace: 'shop', nameContains: 'ORDERS', limit: 9 },
      signal,
    );
    expect(page.items.map(({ metadata }) => metadata.name)).toEqual(['orders-7d-bbbbb', 'orders-7d-aaaaa']);
    expect(page).toMatchObject({ matched: 2, selectorKnown: true });
    expect(double.requests.map(({ path }) => path)).toEqual([
      '/api/v1/namespaces/shop',
      '/api/v1/namespaces/shop/pods',
    ]);
  });

  it('are described with the events about them, who is behind them and who uses them', async () => {
    const { source } = await cluster();
    const pod = await source.describeObject(
      { kind: 'Pod', name: 'orders-7d-bbbbb', namespace: 'shop' },
      signal,
    );
    expect(pod.events).toEqual([
      {
        time: '2026-05-01T10:00:00.000Z',
        type: 'Warning',
        reason: 'BackOff',
        object: { kind: 'Pod', name: 'orders-7d-bbbbb', namespace: 'shop' },
        message: 'Back-off restarting failed container orders',
        count: 31,
      },
    ]);
    const claim = await source.describeObject({ kind: 'pvc', name: 'pay-data' }, signal);
    expect(claim.items[0]?.status).toMatchObject({ usedBy: 'pay-5c-ccccc' });
    const node = await source.describeObject({ kind: 'Node', name: 'node-b' }, signal);
    expect(node.events.map(({ reason }) => reason)).toEqual(['NodeHasInsufficientMemory']);
  });

  it('come without secrets, managed fields and what was last applied, and say so', async () => {
    const { source } = await cluster();
    const all = [
      await source.listObjects({ limit: 250 }, signal),
      await source.describeObject({ kind: 'Pod', name: 'orders-7d-aaaaa' }, signal),
      await source.describeObject({ kind: 'ConfigMap', name: 'orders' }, signal),
    ];
    const text = JSON.stringify(all);
    for (const secret of [
      DATABASE_PASSWORD,
      SECRET_DATA,
      'Zk29fQm4xYtW81bNcVqP70Ld',
      'fieldsV1',
      'last-applied-config',
    ])
      expect(text).not.toContain(secret);
    expect(text).toContain('orders-db-0.orders-db.shop.svc.cluster.local:5432');
    expect(all[1]?.items[0]).toMatchObject({
      hidden: expect.arrayContaining([{ what: 'values of env that look like secrets', count: 2 }]) as unknown,
    });
  });

  it('events come with warnings first, new and old forms of time alike', async () => {
    const { source } = await cluster();
    const page = await source.listEvents({ namespace: 'shop', limit: 9 }, signal);
    expect(page.items.map(({ reason, count, time }) => [reason, count, time])).toEqual([
      ['FailedCreate', 4, '2026-05-01T10:02:00.000Z'],
      ['BackOff', 31, '2026-05-01T10:00:00.000Z'],
      ['Pulled', 1, '2026-05-01T10:05:00.000Z'],
    ]);
  });
});

describe('what a cluster forgets', () => {
  it('events are asked for as far back as they are kept, whatever the source is asked', async () => {
    const { source } = await cluster();
    const page = await source.listEvents({ namespace: 'bank', limit: 9 }, signal);
    expect(page).toMatchObject({
      items: [],
      window: { from: '2026-05-01T09:30:00.000Z', to: '2026-05-01T10:30:00.000Z' },
    });
  });
});

describe('what does not exist is told as unknown, with what is near', () => {
  it.each<[string, { kind: string; name: string; namespace?: string }, string[]]>([
    ['a kind', { kind: 'Deploymnt', name: 'orders' }, ['Deployment']],
    ['a namespace', { kind: 'Pod', name: 'orders', namespace: 'shopp' }, ['shop']],
    ['a name', { kind: 'Deployment', name: 'order', namespace: 'shop' }, ['orders']],
    ['a name that would be another path', { kind: 'Pod', name: '../../nodes', namespace: 'shop' }, []],
    ['a namespace that would be another path', { kind: 'Pod', name: 'orders', namespace: '..' }, []],
  ])('%s', async (_, query, near) => {
    const { source } = await cluster();
    const page = await source.describeObject(query, signal);
    expect(page).toMatchObject({ items: [], selectorKnown: false, events: [] });
    expect(page.suggestions).toEqual(expect.arrayContaining(near));
  });

  it('also of lists, though the API answers an empty list for a namespace that is not there', async () => {
    const { source } = await cluster();
    const query = { kind: 'Pod', namespace: 'shopp', limit: 9 };
    expect(await source.listObjects(query, signal)).toMatchObject({
      items: [],
      selectorKnown: false,
      suggestions: ['shop'],
    });
    expect(await source.listEvents(query, signal)).toMatchObject({ items: [], selectorKnown: false });
    const empty = await source.listObjects({ kind: 'Job', namespace: 'shop', limit: 9 }, signal);
    expect(empty).toMatchObject({ items: [], matched: 0, selectorKnown: true });
  });

  it('a kind that this cluster does not serve is no kind without objects', async () => {
    const { source } = await cluster({ unserved: ['autoscaling/v2'] });
    const page = await source.listObjects({ kind: 'hpa', limit: 9 }, signal);
    expect(page).toMatchObject({ items: [], selectorKnown: false });
    expect((await source.listObjects({ limit: 250 }, signal)).matched).toBe(12);
  });
});

describe('rights', () => {
  const denied = { errorClass: 'ACCESS_DENIED' };

  it('secrets are refused without a request', async () => {
    const { source, double } = await cluster();
    for (const kind of ['Secret', 'secrets']) {
      await expect(source.listObjects({ kind, limit: 9 }, signal)).rejects.toMatchObject(denied);
      await expect(source.describeObject({ kind, name: 'orders-db' }, signal)).rejects.toMatchObject(denied);
    }
    expect(double.requests).toEqual([]);
  });

  it('a wrong credential is a failure of the source and no empty answer', async () => {
    const { source } = await cluster({ token: 'another' });
    await expect(source.listObjects({ limit: 9 }, signal)).rejects.toMatchObject(denied);
    await expect(source.listEvents({ limit: 9 }, signal)).rejects.toBeInstanceOf(SourceFailure);
  });

  it('of some namespaces only: the rest is told as filtered', async () => {
    const mayRead = (_: string, namespace: string | undefined) => namespace === 'shop';
    const { source } = await cluster({ mayRead }, ['shop', 'bank']);
    const page = await source.listObjects({ kind: 'Pod', limit: 9 }, signal);
    expect(page).toMatchObject({ permissionFiltered: true, matched: 3 });
    await expect(
      source.listObjects({ kind: 'Pod', namespace: 'bank', limit: 9 }, signal),
    ).rejects.toMatchObject(denied);
  });

  it('a namespace outside of the allow-list is neither read nor told', async () => {
    const { source, double } = await cluster({}, ['shop']);
    const page = await source.listObjects({ kind: 'Pod', namespace: 'bank', limit: 9 }, signal);
    expect(page).toMatchObject({ items: [], selectorKnown: false, permissionFiltered: true });
    await source.listObjects({ kind: 'Pod', limit: 9 }, signal);
    expect(double.requests.map(({ path }) => path)).toEqual(['/api/v1/namespaces/shop/pods']);
  });

  it('services say nothing of their endpoints where those may not be read', async () => {
    const { source } = await cluster({ mayRead: (plural) => plural !== 'endpointslices' });
    const page = await source.listObjects({ kind: 'Service', limit: 9 }, signal);
    expect(page.permissionFiltered).toBe(true);
    expect(JSON.stringify(page.items)).not.toContain('endpoints');
  });

  it('nor where they may be read in some namespaces only: none could be shown that are there', async () => {
    const mayRead = (plural: string, namespace: string | undefined) =>
      plural !== 'endpointslices' || namespace === 'bank';
    const { source } = await cluster({ mayRead }, ['shop', 'bank']);
    const page = await source.listObjects({ kind: 'Service', limit: 9 }, signal);
    expect(page.permissionFiltered).toBe(true);
    expect(JSON.stringify(page.items)).not.toContain('"endpoints"');
  });

  it('nothing but reads is ever sent', async () => {
    const { source, double } = await cluster();
    await source.listObjects({ limit: 9 }, signal);
    await source.describeObject({ kind: 'Service', name: 'orders' }, signal);
    expect(new Set(double.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
  });
});

describe('long lists', () => {
  it('show what is in trouble before what is well, so that a limit cuts the healthy', async () => {
    const { source } = await cluster();
    const page = await source.listObjects({ limit: 5 }, signal);
    expect(page.items.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Node node-b',
      'Service pay',
      'Deployment orders',
      'ResourceQuota limits',
      'Pod orders-7d-bbbbb',
    ]);
  });

  const many = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      podOf('shop', 'w', String(at).padStart(5, '0'), { ready: true }),
    );

  it('are read page by page, each page once', async () => {
    const { source, double } = await cluster({ objects: many(700) });
    const page = await source.listObjects({ kind: 'Pod', limit: 20 }, signal);
    expect(page).toMatchObject({ matched: 700, limitHit: true, partial: false });
    expect(double.requests.map(({ query }) => query.get('limit'))).toEqual(['250', '250', '250']);
  });

  it('are read up to a bound, and what is left is counted where the API counts it', async () => {
    const { source, double } = await cluster({ objects: many(100), pageMax: 5 });
    const page = await source.listObjects({ kind: 'Pod', limit: 500 }, signal);
    expect(page).toMatchObject({ matched: 100, limitHit: true });
    expect(page.items).toHaveLength(40);
    expect(double.requests).toHaveLength(8);
    const narrowed = await source.listObjects({ kind: 'Pod', nameContains: 'w-0', limit: 500 }, signal);
    expect(narrowed).toMatchObject({ matched: null, limitHit: true });
  });

  it('of endpoints that are not read to their end say nothing of any service', async () => {
    const slices = Array.from({ length: 30 }, (_, at) => sliceOf('shop', `s${at}`, []));
    const { source } = await cluster({ objects: [...slices, ...SHOP], pageMax: 2 });
    const page = await source.listObjects({ kind: 'Service', limit: 9 }, signal);
    expect(page.items.map(({ metadata }) => metadata.name)).toContain('orders');
    expect(JSON.stringify(page.items)).not.toContain('"endpoints"');
  });

  it('whose snapshot expires are partial, and the token is not tried again', async () => {
    const { source, double } = await cluster({ objects: many(700), tokensExpire: true });
    const page = await source.listObjects({ kind: 'Pod', limit: 500 }, signal);
    expect(page).toMatchObject({ partial: true, limitHit: true, matched: null });
    expect(page.items).toHaveLength(250);
    expect(double.requests).toHaveLength(2);
  });
});
