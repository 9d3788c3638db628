import type { LokiDouble, LokiFault } from '../../test/loki-double';
import { loki, paths, stopAll } from '../../test/loki-stack';
import { LokiConfig } from './config';

afterEach(stopAll);

describe('a Loki that fails', () => {
  it.each<[LokiFault, string]>([
    ['HANG', 'SOURCE_FAILED'],
    ['RESET', 'SOURCE_FAILED'],
    ['CUT', 'SOURCE_FAILED'],
    ['SILENT_BODY', 'SOURCE_FAILED'],
    ['BUSY', 'SOURCE_FAILED'],
    ['PROXY', 'SOURCE_FAILED'],
    ['REDIRECT', 'SOURCE_FAILED'],
    ['NO_JSON', 'RESULT_UNUSABLE'],
    ['HALF_JSON', 'RESULT_UNUSABLE'],
    ['OTHER_JSON', 'RESULT_UNUSABLE'],
  ])('%s is an error of its kind and no absence, after one request', async (fault, errorClass) => {
    const { ask, double } = await loki();
    double.fault = fault;
    for (const [tool, args] of [
      ['search_logs', { level: 'ERROR' }],
      ['loki_labels', {}],
      ['loki_search', { labels: { namespace: 'shop' } }],
    ] as const) {
      double.requests.length = 0;
      expect((await ask(tool, args)).entry).toMatchObject({
        status: 'READY',
        evidenceStatus: 'ERROR',
        errorClass,
      });
      expect(double.requests).toHaveLength(1);
    }
  });

  it('an answer that is too large is unusable', async () => {
    const { ask, double } = await loki({}, { timeoutMs: 10_000 });
    double.fault = 'HUGE';
    expect((await ask('loki_labels', {})).entry.errorClass).toBe('RESULT_UNUSABLE');
  });

  it('in the middle of a search: names were told, lines are not', async () => {
    const { ask, double } = await loki();
    await ask('search_logs', {});
    for (const fault of ['CUT', 'MATRIX'] as const) {
      double.fault = fault;
      expect((await ask('search_logs', {})).entry.evidenceStatus).toBe('ERROR');
    }
  });

  it('refuses more lines than it allows: the failure is told, and nothing is asked again', async () => {
    const { ask, double } = await loki({ entriesMax: 1_000 });
    expect((await ask('search_logs', {})).entry.errorClass).toBe('SOURCE_FAILED');
    expect(paths(double)).toEqual(['labels', 'query_range']);
  });

  it('is left when the run is cancelled', async () => {
    const { ask, double, run } = await loki({}, { timeoutMs: 10_000 });
    double.fault = 'HANG';
    const asked = ask('search_logs', {});
    run.abort();
    expect((await asked).entry.errorClass).toBe('CANCELLED');
  });

  it('what a cancelled run was about to learn is asked anew by the next', async () => {
    const { double, toolset } = await loki({}, { timeoutMs: 10_000 });
    const window = { from: '2026-05-01T10:00:00Z', to: '2026-05-01T10:30:00Z' };
    const search = (signal: AbortSignal) =>
      toolset.incident?.searchLogs?.({ window, order: 'oldest' }, signal);
    double.fault = 'HANG';
    const cancelled = new AbortController();
    const first = expect(search(cancelled.signal)).rejects.toMatchObject({ name: 'AbortError' });
    cancelled.abort();
    double.fault = undefined;
    expect((await search(new AbortController().signal))?.items).toHaveLength(6);
    await first;
  });
});

describe('inquest doctor', () => {
  it.each<[string, Partial<Parameters<typeof LokiDouble.start>[0]>, object]>([
    ['all is well', {}, { ok: true, detail: 'Loki 3.1.0, 4 labels, services by service_name' }],
    ['it holds nothing', { streams: [] }, { ok: false, detail: 'Loki 3.1.0, without any stream' }],
    [
      'no label names a service',
      { streams: [{ labels: { x: 'y' }, lines: [['2026-05-01T10:00:00Z', 'a']] }] },
      { ok: false },
    ],
    [
      'the tenant is missing',
      { tenant: 'a' },
      { ok: false, remedy: 'check bearerToken or basicAuth, and tenant' },
    ],
  ])('says that %s', async (_, options, expected) => {
    const { toolset } = await loki(options);
    expect(await toolset.check(new AbortController().signal)).toMatchObject(expected);
  });
});

describe('its configuration', () => {
  it.each([
    ['a secret written in place', { bearerToken: 'abc' }],
    ['a tenant that would be another header', { tenant: 'a\r\nX-Admin: 1' }],
    ['a label that is none', { serviceLabels: ['a b'] }],
    ['an unknown member', { tenants: 'a' }],
    ['an empty matcher', { matchers: { cluster: '' } }],
  ])('refuses %s', (_, config) => {
    expect(LokiConfig.safeParse({ url: 'http://loki:3100', ...config }).success).toBe(false);
  });
});
