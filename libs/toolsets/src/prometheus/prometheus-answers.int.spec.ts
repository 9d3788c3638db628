import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ToolCallId } from '@inquest/contracts/ids';
import { createRedactor } from '@inquest/redaction/redactor';
import { incidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { environmentOf } from '../sources/environment';
import { PrometheusConfig } from './config';
import { KnownNames } from './known-names';
import { type PrometheusApi } from './prometheus-api';
import { openPrometheus } from './prometheus-toolset';

const NOW = Date.parse('2026-05-01T12:00:00Z');
type Answers = (path: string, query: URLSearchParams) => unknown;

/** What the real server cannot be brought to say: answers of its kin, and answers at a moment that a test picks. */
describe('an HTTP API of Prometheus', () => {
  let server: Server | undefined;
  const serve = async (answers: Answers): Promise<string> => {
    const made = createServer((request, response) => {
      const url = new URL(request.url ?? '/', 'http://x');
      void Promise.resolve(answers(url.pathname, url.searchParams)).then((data) => {
        const body =
          data !== null && typeof data === 'object' && 'status' in data ? data : { status: 'success', data };
        response.end(JSON.stringify(body));
      });
    });
    server = made;
    await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
  };
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
    server = undefined;
  });

  const environment = (url: string, config: object = {}) =>
    environmentOf(
      'prod',
      [
        openPrometheus(PrometheusConfig.parse({ url, ...config }), {
          source: 'prod',
          instance: 'prometheus',
          env: {},
          lookbackMs: 3_600_000,
          nowMs: () => NOW,
        }),
      ],
      { lookbackMs: 3_600_000, nowMs: () => NOW },
    );
  const call = async (on: ReturnType<typeof environment>, tool: string, args: object) => {
    const { tools } = await on.tools(new AbortController().signal);
    const entry = await runTool(
      {
        toolCallId: 'c1' as ToolCallId,
        providerId: null,
        tool,
        argumentsText: JSON.stringify(args),
        source: 'prod',
        asOf: new Date(NOW).toISOString(),
        projectionBytesMax: 32_768,
      },
      {
        tools: toolsByName(tools),
        sources: incidentSources(on.incident ? [on.incident] : []),
        redactor: createRedactor('r'),
        signal: new AbortController().signal,
      },
    );
    return { ...entry, shown: JSON.parse(entry.projection.inline ?? 'null') as Record<string, unknown> };
  };
  const endpointless = (
    names: (range: { start: number; end: number }, signal: AbortSignal) => Promise<string[]>,
  ) =>
    ({
      labels: async (
        _: string,
        __: string[],
        range: { start: number; end: number },
        signal: AbortSignal,
      ) => ({
        data: await names(range, signal),
        partial: false,
      }),
    }) as unknown as PrometheusApi;

  it('is asked anew for the names of another time', async () => {
    const known = new KnownNames(endpointless(({ end }) => Promise.resolve(end < 100 ? ['old'] : ['new'])));
    const { signal } = new AbortController();
    expect(await known.judge('new', { start: 0, end: 50 }, signal)).toMatchObject({ selectorKnown: false });
    expect(await known.judge('new', { start: 0, end: 500 }, signal)).toMatchObject({ selectorKnown: true });
  });

  it('serves one run its names where another, that asked for the same, is cancelled', async () => {
    const first = new AbortController();
    const known = new KnownNames(
      endpointless(
        (_, signal) =>
          new Promise((resolve, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason as Error));
            setImmediate(() => resolve(['up']));
          }),
      ),
    );
    const range = { start: 0, end: 1 };
    const cancelled = known.judge('up', range, first.signal);
    const other = known.judge('up', range, new AbortController().signal);
    first.abort(new Error('cancelled'));
    await expect(cancelled).rejects.toThrow('cancelled');
    await expect(other).resolves.toMatchObject({ selectorKnown: true });
  });

  const shop: Answers = (path, query) => {
    if (path.endsWith('/__name__/values')) return ['errors', 'up'];
    if (path.endsWith('/service/values')) {
      const [match] = query.getAll('match[]');
      return match?.includes('=~') && !match.includes('cart') ? [] : ['cart', 'search'];
    }
    if (path.endsWith('/values')) return [];
    return { resultType: (query.get('query') ?? '').endsWith(']') ? 'matrix' : 'vector', result: [] };
  };

  it.each([
    ['a range of a misspelt metric', 'error[5m]', false, ['errors']],
    ['a range of a metric that says nothing', 'errors[5m]', true, []],
    ['a misspelt value in other quotes', "errors{service='card'}", false, ['cart']],
    ['a misspelt value in back quotes', 'errors{service=`card`}', false, ['cart']],
    ['a pattern that fits no value', 'errors{service=~"kart.*"}', false, []],
    ['a pattern that fits one', 'errors{service=~"cart|x"}', true, []],
  ])('an empty answer to %s', async (_, query, selectorKnown, suggestions) => {
    const entry = await call(environment(await serve(shop)), 'prometheus_query', { query });
    expect(entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown });
    expect(entry.shown['suggestions'] ?? []).toEqual(suggestions);
  });

  it('that leaves out a part of its stores is told as partial, as VictoriaMetrics says it', async () => {
    const url = await serve((path) =>
      path.endsWith('/query')
        ? { status: 'success', isPartial: true, data: { resultType: 'vector', result: [] } }
        : ['up'],
    );
    expect(await call(environment(url), 'prometheus_query', { query: 'up' })).toMatchObject({
      partial: true,
    });
  });

  it('knows nothing of the time to come', async () => {
    const url = await serve((path) =>
      path.endsWith('range') ? { resultType: 'matrix', result: [] } : ['up'],
    );
    const entry = await call(environment(url), 'prometheus_query_range', {
      query: 'up',
      from: '2026-05-01T11:00:00Z',
      to: '2026-05-01T13:00:00Z',
    });
    expect(entry.window).toEqual({ from: '2026-05-01T11:00:00.000Z', to: '2026-05-01T12:00:00.000Z' });
    expect(
      await call(environment(url), 'prometheus_query', { query: 'up', time: '2026-05-01T13:00:00Z' }),
    ).toMatchObject({ errorClass: 'BAD_ARGUMENTS' });
  });

  it('shows how much of a range it holds, not only what is shown of it', async () => {
    const values = Array.from({ length: 100 }, (_, i) => [NOW / 1_000 - 1_000 + i * 10, i < 50 ? '1' : '9']);
    const url = await serve(() => ({
      resultType: 'matrix',
      result: [{ metric: { __name__: 'up', a: 'b' }, values }],
    }));
    const { shown } = await call(environment(url), 'prometheus_query', { query: 'up[20m]' });
    expect(shown['series'] ?? shown['rows']).toMatchObject([
      { pointsTotal: 100, statistics: { min: 1, max: 9 } },
    ]);
  });

  it('shared by several systems tells alerts, services and names of its own system alone', async () => {
    const asked: string[] = [];
    const alert = (alertname: string, cluster?: string) => ({
      labels: { alertname, service: 'cart', ...(cluster ? { cluster } : {}) },
      annotations: {},
      state: 'firing',
      activeAt: '2026-05-01T11:00:00Z',
    });
    const url = await serve((path, query) => {
      if (path.endsWith('/alerts'))
        return { alerts: [alert('Ours', 'eu'), alert('Theirs', 'us'), alert('Global')] };
      asked.push(...query.getAll('match[]'));
      return path.endsWith('range') ? { resultType: 'matrix', result: [] } : ['up'];
    });
    const on = environment(url, { matchers: { cluster: 'eu' } });
    const { shown } = await call(on, 'active_alerts', {});
    expect((shown['rows'] as { name: string }[]).map(({ name }) => name).sort()).toEqual(['Global', 'Ours']);
    await call(on, 'query_metric', { name: 'up', service: 'cart' });
    expect(asked.length).toBeGreaterThan(0);
    expect(new Set(asked)).toEqual(new Set(['{cluster="eu"}']));
  });

  it('that does not answer a check in time is a finding, not a failure of the check', async () => {
    const on = environment(await serve(() => new Promise(() => undefined)));
    const checked = await on.check(AbortSignal.timeout(200));
    expect(checked).toEqual([
      {
        name: 'prometheus',
        check: { ok: false, detail: expect.any(String) as string, remedy: expect.any(String) as string },
      },
    ]);
  });
});
