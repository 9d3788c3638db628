import { describeWithDebian } from '@inquest/testing/describe-with';
import { startPrometheus, type TestServer } from '@inquest/testing/prometheus-server';
import { waitFor } from '@inquest/testing/wait-for';
import { createRedactor } from '@inquest/redaction/redactor';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { ToolCallId } from '@inquest/contracts/ids';
import { incidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { environmentOf, type Environment } from '../sources/environment';
import { PrometheusConfig } from './config';
import { openPrometheus } from './prometheus-toolset';

jest.setTimeout(60_000);

const STEP = 30;
const HOURS = 4;
/** Whole minutes, so that points stand where queries look; long enough ago for whole blocks. */
const END = Math.floor(Date.now() / 60_000) * 60 - 3 * 3_600;
const START = END - HOURS * 3_600;
/** From here on the carts fail. */
const FAULT = END - 1_800;
const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();

const past = (): string => {
  const lines = [
    '# HELP http_errors_ratio Share of requests that fail.',
    '# TYPE http_errors_ratio gauge',
    ...['cart', 'catalog'].flatMap((service) =>
      times().map(
        (at) =>
          `http_errors_ratio{service="${service}",code="500"} ${service === 'cart' && at >= FAULT ? 0.4 : 0.01} ${at}`,
      ),
    ),
    '# HELP queue_depth Waiting messages.',
    '# TYPE queue_depth gauge',
    ...times().map((at) => `queue_depth{job="worker"} ${at % 600 === 0 ? 'NaN' : 5} ${at}`),
    '# EOF',
  ];
  return `${lines.join('\n')}\n`;
};
const times = (): number[] => Array.from({ length: (HOURS * 3_600) / STEP }, (_, i) => START + i * STEP);

const RULES = `groups:
- name: carts
  rules:
  - alert: CartErrors
    expr: vector(1) > 0
    labels: {service: cart, severity: page}
    annotations: {summary: Carts fail}
  - record: job:errors:mean
    expr: avg by (service) (http_errors_ratio)
`;

describeWithDebian('prometheus', ['prometheus', 'promtool'])('a real Prometheus', () => {
  let server: TestServer;
  let environment: Environment;

  beforeAll(async () => {
    server = await startPrometheus({ openMetrics: past(), rules: RULES });
    environment = open({ url: server.url });
  });
  afterAll(() => server?.stop());

  const open = (config: unknown): Environment =>
    environmentOf(
      'prod',
      [
        openPrometheus(PrometheusConfig.parse(config), {
          source: 'prod',
          instance: 'prometheus',
          env: {},
          lookbackMs: 24 * 3_600_000,
        }),
      ],
      { lookbackMs: 24 * 3_600_000 },
    );

  const call = async (
    tool: string,
    args: unknown,
    on = environment,
  ): Promise<LedgerEntry & { shown: unknown }> => {
    const { tools } = await on.tools(AbortSignal.timeout(5_000));
    const entry = await runTool(
      {
        toolCallId: 'c1' as ToolCallId,
        providerId: null,
        tool,
        argumentsText: JSON.stringify(args),
        source: 'prod',
        asOf: iso(END),
        projectionBytesMax: 32_768,
      },
      {
        tools: toolsByName(tools),
        sources: incidentSources(on.incident ? [on.incident] : []),
        redactor: createRedactor('r'),
        signal: new AbortController().signal,
      },
    );
    return { ...entry, shown: JSON.parse(entry.projection.inline ?? 'null') as unknown };
  };

  it('tells when a series changed, over all of its points', async () => {
    const entry = await call('prometheus_query_range', {
      query: 'http_errors_ratio{code="500"}',
      from: iso(START),
      to: iso(END),
    });
    expect(entry).toMatchObject({
      status: 'READY',
      evidenceStatus: 'EVIDENCE_FOUND',
      matched: 2,
      selectorKnown: true,
    });
    const { series } = entry.shown as {
      series: { labels: { service: string }; statistics: unknown; changePoints: { at: string }[] }[];
    };
    expect(series[0]).toMatchObject({ labels: { service: 'cart' }, statistics: { min: 0.01, max: 0.4 } });
    expect(Math.abs(Date.parse(series[0]?.changePoints[0]?.at ?? '') / 1_000 - FAULT)).toBeLessThanOrEqual(
      120,
    );
    expect(entry.window).toEqual({ from: iso(START), to: iso(END) });
  });

  it('gives values at one instant, largest first', async () => {
    const entry = await call('prometheus_query', { query: 'http_errors_ratio', time: iso(END - 60) });
    expect(entry.shown).toMatchObject({
      rows: [
        { metric: { service: 'cart' }, value: 0.4 },
        { metric: { service: 'catalog' }, value: 0.01 },
      ],
    });
  });

  it('tells an empty result from a misspelt name', async () => {
    const misspelt = await call('prometheus_query', { query: 'sum(rate(http_error_ratio[5m]))' });
    expect(misspelt).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: false });
    expect(misspelt.shown).toMatchObject({ suggestions: ['http_errors_ratio'] });
    const stranger = await call('prometheus_query', { query: 'http_errors_ratio{service="card"}' });
    expect(stranger).toMatchObject({ selectorKnown: false });
    expect(stranger.shown).toMatchObject({ suggestions: ['cart'] });
    const nothing = await call('prometheus_query', { query: 'http_errors_ratio{service="cart"} > 5' });
    expect(nothing).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: true });
  });

  it('says what is wrong with a query that it does not take, and fails no run for it', async () => {
    const entry = await call('prometheus_query', { query: 'sum(http_errors_ratio' });
    expect(entry).toMatchObject({ status: 'ERROR', errorClass: 'BAD_ARGUMENTS' });
    expect(entry.projection.inline).toContain('parse error');
    const many = await call('prometheus_query_range', {
      query: 'queue_depth',
      from: iso(START),
      to: iso(END),
      step_seconds: 1,
    });
    expect(many).toMatchObject({ errorClass: 'BAD_ARGUMENTS' });
  });

  it('counts values that are no numbers, and shows none of them', async () => {
    const entry = await call('prometheus_query_range', {
      query: 'queue_depth',
      from: iso(START),
      to: iso(END),
      step_seconds: 30,
    });
    const { series } = entry.shown as { series: { notFinite: number; statistics: { max: number } }[] };
    expect(series[0]?.notFinite).toBeGreaterThan(0);
    expect(series[0]?.statistics.max).toBe(5);
  });

  it('shows names, labels, values and rules', async () => {
    expect((await call('prometheus_labels', { contains: 'errors_ratio' })).shown).toMatchObject({
      rows: [{ name: 'http_errors_ratio' }],
    });
    expect((await call('prometheus_labels', { metric: 'http_errors_ratio' })).shown).toMatchObject({
      rows: [{ name: 'code' }, { name: 'service' }],
    });
    expect(
      (await call('prometheus_labels', { metric: 'http_errors_ratio', label: 'service' })).shown,
    ).toMatchObject({
      rows: [{ name: 'cart' }, { name: 'catalog' }],
    });
    expect(await call('prometheus_labels', { metric: 'http_errors' })).toMatchObject({
      selectorKnown: false,
      evidenceStatus: 'NO_EVIDENCE',
    });
    expect((await call('prometheus_rules', { type: 'recording' })).shown).toMatchObject({
      rows: [{ name: 'job:errors:mean', type: 'recording' }],
    });
  });

  it('serves the incident tools: metrics, a metric by service, and what fires', async () => {
    const { tools } = await environment.tools(AbortSignal.timeout(5_000));
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['active_alerts', 'list_metrics', 'query_metric', 'prometheus_query']),
    );
    const alerts = await waitFor('the alert', async () => {
      const entry = await call('active_alerts', {});
      return entry.returned === 1 ? entry : undefined;
    });
    expect(alerts.shown).toMatchObject({
      rows: [
        { name: 'CartErrors', severity: 'page', service: 'cart', summary: 'Carts fail', state: 'firing' },
      ],
    });
    const metric = await call('query_metric', {
      name: 'http_errors_ratio',
      service: 'cart',
      from: iso(START),
      to: iso(END),
    });
    expect(metric).toMatchObject({ matched: 1, scope: { service: 'cart' } });
    expect(await call('query_metric', { name: 'http_errors_ratio', service: 'carts' })).toMatchObject({
      evidenceStatus: 'NO_EVIDENCE',
      selectorKnown: false,
    });
    expect((await call('list_metrics', {})).shown).toMatchObject({
      rows: expect.arrayContaining([expect.objectContaining({ name: 'queue_depth' })]),
    });
  });

  it('is checked by its version and what it holds', async () => {
    const [checked] = await environment.check(AbortSignal.timeout(5_000));
    expect(checked).toMatchObject({ name: 'prometheus', check: { ok: true, remedy: null } });
    expect(checked?.check.detail).toMatch(/^\d+\.\d+\.\d+.*, \d+ metrics$/);
  });

  it('that is not there is a typed error of every tool, and a finding of the check', async () => {
    const other = await startPrometheus({ openMetrics: past() });
    const gone = open({ url: other.url });
    expect(await call('prometheus_query', { query: 'queue_depth' }, gone)).toMatchObject({ status: 'READY' });
    await other.kill9();
    for (const [tool, args] of [
      ['prometheus_query', { query: 'queue_depth' }],
      ['prometheus_query_range', { query: 'queue_depth' }],
      ['prometheus_labels', { label: 'service' }],
      ['prometheus_rules', {}],
      ['active_alerts', {}],
      ['query_metric', { name: 'queue_depth' }],
    ] as const)
      expect(await call(tool, args, gone)).toMatchObject({
        status: 'READY',
        evidenceStatus: 'ERROR',
        errorClass: 'SOURCE_FAILED',
      });
    const [checked] = await gone.check(AbortSignal.timeout(5_000));
    expect(checked?.check).toMatchObject({ ok: false, remedy: expect.stringContaining('url') as string });
    await other.stop();
  });
});
