import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { createRedactor } from '@inquest/redaction/redactor';
import { describeWithDebian } from '@inquest/testing/describe-with';
import { startAlertmanager, type TestServer } from '@inquest/testing/prometheus-server';
import { incidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { environmentOf, type Environment } from '../sources/environment';
import { openAlertmanager } from './alertmanager-toolset';
import { AlertmanagerConfig } from './config';

jest.setTimeout(60_000);

describeWithDebian('prometheus-alertmanager', ['prometheus-alertmanager'])('a real Alertmanager', () => {
  let server: TestServer;
  let environment: Environment;
  const startsAt = new Date(Date.now() - 600_000).toISOString();

  const post = async (path: string, body: unknown): Promise<void> => {
    const answer = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };

  beforeAll(async () => {
    server = await startAlertmanager();
    const labelled = (alertname: string, service: string) => ({
      labels: { alertname, service, severity: 'page' },
      annotations: { summary: `${alertname} on ${service}` },
      startsAt,
      endsAt: new Date(Date.now() + 3_600_000).toISOString(),
    });
    await post('/api/v2/silences', {
      matchers: [{ name: 'service', value: 'search', isRegex: false, isEqual: true }],
      startsAt: new Date(Date.now() - 1_000).toISOString(),
      endsAt: new Date(Date.now() + 3_600_000).toISOString(),
      createdBy: 'ada',
      comment: 'index rebuild',
    });
    await post('/api/v2/alerts', [labelled('HighErrors', 'cart'), labelled('Slow', 'search')]);
    environment = environmentOf('prod', [
      openAlertmanager(AlertmanagerConfig.parse({ url: server.url }), {
        source: 'prod',
        instance: 'alertmanager',
        env: {},
        lookbackMs: 3_600_000,
      }),
    ]);
  });
  afterAll(() => server?.stop());

  const call = async (tool: string, args: unknown): Promise<LedgerEntry & { shown: unknown }> => {
    const { tools } = await environment.tools(AbortSignal.timeout(5_000));
    const entry = await runTool(
      {
        toolCallId: 'c1' as ToolCallId,
        providerId: null,
        tool,
        argumentsText: JSON.stringify(args),
        source: 'prod',
        asOf: new Date().toISOString(),
        projectionBytesMax: 32_768,
      },
      {
        tools: toolsByName(tools),
        sources: incidentSources(environment.incident ? [environment.incident] : []),
        redactor: createRedactor('r'),
        signal: new AbortController().signal,
      },
    );
    return { ...entry, shown: JSON.parse(entry.projection.inline ?? 'null') as unknown };
  };

  it('tells what fires, and which of it is silenced', async () => {
    const { shown } = await call('active_alerts', {});
    expect(shown).toMatchObject({ matched: 2 });
    const { rows } = shown as { rows: { name: string; labels: Record<string, string> }[] };
    expect(rows.find(({ name }) => name === 'Slow')?.labels['suppressed by']).toBe('silence');
    expect(rows.find(({ name }) => name === 'HighErrors')?.labels['suppressed by']).toBeUndefined();
    expect(await call('active_alerts', { service: 'cart' })).toMatchObject({ matched: 1 });
    expect(await call('active_alerts', { service: 'carts' })).toMatchObject({
      matched: 0,
      evidenceStatus: 'NO_EVIDENCE',
      selectorKnown: false,
    });
  });

  it('tells silences with what they match and why', async () => {
    expect((await call('alertmanager_silences', {})).shown).toMatchObject({
      rows: [{ state: 'active', matchers: ['service="search"'], createdBy: 'ada', comment: 'index rebuild' }],
    });
  });

  it('is checked, and its absence is a typed error', async () => {
    const [checked] = await environment.check(AbortSignal.timeout(5_000));
    expect(checked?.check).toMatchObject({
      ok: true,
      detail: expect.stringMatching(/, 2 alerts$/) as string,
    });
    await server.kill9();
    expect(await call('active_alerts', {})).toMatchObject({
      evidenceStatus: 'ERROR',
      errorClass: 'SOURCE_FAILED',
    });
    const [gone] = await environment.check(AbortSignal.timeout(5_000));
    expect(gone?.check.ok).toBe(false);
  });
});
