import { loki, PASSWORD, paths, stopAll, type Row } from '../../test/loki-stack';

afterEach(stopAll);

describe('search_logs over Loki', () => {
  it('finds lines of all services from a level on, in their order, as templates with counts', async () => {
    const { ask, double } = await loki();
    const { entry, body } = await ask('search_logs', { level: 'ERROR' });
    expect(body.rows.map(({ service, level }) => `${String(service)} ${String(level)}`)).toEqual([
      'ledger ERROR',
      'orders ERROR',
      'pay ERROR',
      'orders ERROR',
    ]);
    expect(body.summary.patterns[0]).toEqual({
      pattern: 'ERROR order # failed: connection refused',
      example: 'ERROR order 17 failed: connection refused',
      level: 'ERROR',
      service: 'orders',
      count: 2,
      firstAt: '2026-05-01T10:10:00.250Z',
      lastAt: '2026-05-01T10:11:00.000Z',
    });
    expect(entry).toMatchObject({ matched: 4, limitHit: false, selectorKnown: null });
    expect(paths(double)).toEqual(['labels', 'query_range']);
  });

  it('narrows by service, text without regard to case, and time, whose end is left out', async () => {
    const { ask, double } = await loki();
    const { entry, body } = await ask('search_logs', {
      service: 'orders',
      contains: 'CONNECTION REFUSED',
      from: '2026-05-01T10:10:00Z',
      to: '2026-05-01T10:11:00Z',
      order: 'newest',
    });
    expect(body.rows).toHaveLength(1);
    expect(entry).toMatchObject({
      selectorKnown: true,
      window: { from: '2026-05-01T10:10:00Z', to: '2026-05-01T10:11:00Z' },
      scope: { service: 'orders', filter: 'contains=CONNECTION REFUSED' },
    });
    expect(double.requests.at(-1)?.query.get('direction')).toBe('backward');
  });

  it('a text with signs of a query language finds itself', async () => {
    const { ask } = await loki();
    const found = await ask('search_logs', { contains: '"Timeout (17s) of bank"' });
    expect(found.body.rows).toHaveLength(1);
    const hostile = await ask('search_logs', { contains: '"} |= "' });
    expect(hostile.entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', matched: 0 });
  });

  it('shows no secret, and a secret cannot be found by its beginning', async () => {
    const { ask } = await loki();
    expect((await ask('search_logs', { service: 'orders' })).entry.projection.inline).not.toContain(PASSWORD);
    expect((await ask('search_logs', { contains: 'password=amb' })).body.rows).toEqual([]);
  });

  it('a service that is not there is unknown, one that was silent is not', async () => {
    const { ask, double } = await loki();
    const misspelt = await ask('search_logs', { service: 'order' });
    expect(misspelt.entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: false });
    expect(misspelt.body.suggestions).toEqual(['orders']);
    expect(paths(double)).not.toContain('query_range');
    const silent = await ask('search_logs', { service: 'pay', from: '2026-05-01T10:20:00Z' });
    expect(silent.entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: true, matched: 0 });
  });

  it('more lines than are read are told as a limit, and their number is not known', async () => {
    const lines = Array.from(
      { length: 900 },
      (_, at) => [`2026-05-01T10:00:00.${String(at).padStart(3, '0')}Z`, `ERROR ${at}`] as const,
    );
    const { ask } = await loki({ streams: [{ labels: { app: 'busy' }, lines }] }, { linesMax: 100 });
    const { entry, body } = await ask('search_logs', { service: 'busy', level: 'ERROR' });
    expect(entry).toMatchObject({ limitHit: true, matched: null, evidenceStatus: 'EVIDENCE_FOUND' });
    expect(body.summary.patterns[0]).toMatchObject({ count: 100 });
    const none = await ask('search_logs', { service: 'busy', level: 'FATAL' });
    expect(none.entry).toMatchObject({ limitHit: false, matched: 0 });
  });

  it.each([1_024, 1_500, 4_000, 32_768])(
    'totals and what was left out are within %i bytes',
    async (budget) => {
      const lines = Array.from(
        { length: 600 },
        (_, at) =>
          [`2026-05-01T10:00:00.${String(at).padStart(3, '0')}Z`, `ERROR ${'x'.repeat(at)}`] as const,
      );
      const { ask } = await loki({ streams: [{ labels: { app: 'long', namespace: 'shop' }, lines }] });
      for (const [tool, args] of [
        ['search_logs', { limit: 200 }],
        ['loki_search', { labels: { namespace: 'shop' }, limit: 200 }],
        ['loki_labels', {}],
      ] as const) {
        const { entry, body } = await ask(tool, args, budget);
        expect(entry.projection.bytes).toBeLessThanOrEqual(budget);
        expect(body).toMatchObject({
          tool,
          matched: entry.matched,
          returned: entry.returned,
          truncated: entry.truncated,
        });
      }
    },
  );

  it('takes the level from the label that holds it, where one is named', async () => {
    const streams = [
      {
        labels: { app: 'a', severity: 'Error' },
        lines: [['2026-05-01T10:00:00Z', 'no word of it']] as const,
      },
      {
        labels: { app: 'a', severity: 'info' },
        lines: [['2026-05-01T10:00:01Z', 'ERROR is only said']] as const,
      },
    ];
    const { ask } = await loki({ streams }, { levelLabel: 'severity' });
    const { body } = await ask('search_logs', { level: 'WARN' });
    expect(body.rows).toMatchObject([{ level: 'ERROR', message: 'no word of it' }]);
  });
});

describe('tenants, matchers and credentials', () => {
  it('every request bears the tenant and the token', async () => {
    const { ask, double } = await loki(
      { tenant: 'team-a', token: 'reader' },
      { tenant: 'team-a', bearerToken: { env: 'LOKI_TOKEN' } },
      { LOKI_TOKEN: 'reader' },
    );
    expect((await ask('search_logs', { level: 'ERROR' })).body.rows).toHaveLength(4);
    expect(new Set(double.requests.map(({ tenant }) => tenant))).toEqual(new Set(['team-a']));
    expect(double.requests[0]?.query.get('x-scope-orgid')).toBeNull();
  });

  it('a missing tenant or a wrong token is refused access, and not an absence', async () => {
    const tenantless = await loki({ tenant: 'team-a' });
    expect((await tenantless.ask('search_logs', {})).entry.errorClass).toBe('ACCESS_DENIED');
    const wrong = await loki({ token: 'reader' }, { bearerToken: { env: 'T' } }, { T: 'other' });
    expect((await wrong.ask('loki_labels', {})).entry.errorClass).toBe('ACCESS_DENIED');
    const missing = await loki({ token: 'reader' }, { bearerToken: { env: 'T' } });
    expect((await missing.ask('loki_labels', {})).entry.errorClass).toBe('ACCESS_DENIED');
    expect(missing.double.requests).toEqual([]);
  });

  it('another tenant’s silence is a failure: a source without any stream proves nothing', async () => {
    const { ask } = await loki({ tenant: 'team-a' }, { tenant: 'team-b' });
    expect((await ask('search_logs', { level: 'ERROR' })).entry.errorClass).toBe('SOURCE_FAILED');
  });

  it('matchers bound what is seen, and no argument widens them', async () => {
    const { ask } = await loki({}, { matchers: { cluster: 'eu' } });
    expect((await ask('search_logs', { level: 'ERROR' })).body.rows).toHaveLength(3);
    expect((await ask('loki_labels', { label: 'service_name' })).body.rows).toEqual([
      { value: 'orders' },
      { value: 'pay' },
    ]);
    expect((await ask('search_logs', { service: 'ledger' })).entry.selectorKnown).toBe(false);
  });
});

describe('what the configured matchers leave out is neither read nor told, and nothing is read in its place', () => {
  it.each([
    ['loki_search', { labels: { cluster: 'us' } }],
    ['loki_labels', { labels: { cluster: 'us' } }],
    ['search_logs', { service: 'ledger' }],
  ])('%s of %j', async (tool, args) => {
    // A label that names services may be bound as well, and an old server tells the values of all streams.
    const bound = { cluster: 'eu', ...(tool === 'search_logs' ? { service_name: 'orders' } : {}) };
    const { ask, double } = await loki({ ignoresBounds: true }, { matchers: bound });
    const { entry } = await ask(tool, args);
    expect(entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: false, matched: 0 });
    expect(paths(double)).not.toContain('query_range');
    expect(paths(double)).not.toContain('series');
  });
});

describe('loki_search and loki_labels', () => {
  it('search by any label, several texts, and texts that must not occur', async () => {
    const { ask } = await loki();
    const { entry, body } = await ask('loki_search', {
      labels: { namespace: 'shop' },
      contains: ['failed', 'refused'],
      without: ['order 18'],
    });
    expect(body.rows.map(({ message }) => message)).toEqual(['ERROR order 17 failed: connection refused']);
    expect(entry.scope.filter).toBe('contains=failed & refused, namespace=shop, without=order 18');
  });

  it.each([
    ['a label', { namespce: 'shop' }, 'namespace'],
    ['a value', { namespace: 'shopp' }, 'shop'],
  ])('%s that is not there is unknown, and a near one is named', async (_, labels, near) => {
    const { ask } = await loki();
    const { entry, body } = await ask('loki_search', { labels });
    expect(entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: false });
    expect(body.suggestions).toContain(near);
  });

  it.each<[object, Row[]]>([
    [{}, [{ label: 'cluster' }, { label: 'namespace' }, { label: 'pod' }, { label: 'service_name' }]],
    [{ label: 'namespace' }, [{ value: 'bank' }, { value: 'shop' }]],
    [{ label: 'service_name', labels: { namespace: 'shop' } }, [{ value: 'orders' }, { value: 'pay' }]],
    [
      { labels: { namespace: 'bank' } },
      [{ labels: { cluster: 'us', namespace: 'bank', service_name: 'ledger' } }],
    ],
    [{ contains: 'SPACE' }, [{ label: 'namespace' }]],
  ])('discovers by %j', async (args, rows) => {
    const { ask } = await loki();
    expect((await ask('loki_labels', args)).body.rows).toEqual(rows);
  });

  it.each([
    ['loki_search', { labels: { 'a"} or {b': 'x' } }],
    ['loki_search', { labels: { a: 'x' }, query: '{a="b"}' }],
    ['loki_search', { labels: { a: '' } }],
    ['loki_labels', { label: '../../ready' }],
    [
      'loki_search',
      { labels: { namespace: 'shop' }, from: '2026-05-01T10:20:00Z', to: '2026-05-01T10:00:00Z' },
    ],
  ])('%s refuses %j before any request', async (tool, args) => {
    const { ask, double } = await loki();
    expect((await ask(tool, args)).entry.errorClass).toBe('BAD_ARGUMENTS');
    expect(double.requests).toEqual([]);
  });
});
