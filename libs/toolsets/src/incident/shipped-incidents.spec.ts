import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { createRedactor } from '@inquest/redaction/redactor';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { incidentFolderSource } from '../incident-folder-source';
import { incidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { INCIDENT_TOOLSET_TOOLS } from './incident-toolset';

const INCIDENTS = join(__dirname, '../../../../incidents');

type Row = Record<string, unknown>;
type Body = {
  rows: Row[];
  events: Row[];
  series: { statistics: Record<string, number>; changePoints: Row[] }[];
  summary: Row;
};

const incident =
  (name: string) =>
  async (tool: string, args: object): Promise<{ entry: LedgerEntry; body: Body }> => {
    const entry = await runTool(
      {
        toolCallId: 'call-1' as ToolCallId,
        providerId: null,
        tool,
        argumentsText: JSON.stringify(args),
        source: name,
        asOf: '2026-12-01T12:00:00Z',
        projectionBytesMax: 32 * 1024,
      },
      {
        tools: toolsByName(INCIDENT_TOOLSET_TOOLS),
        sources: incidentSources([incidentFolderSource(name, join(INCIDENTS, name))]),
        redactor: createRedactor('run-1'),
        signal: new AbortController().signal,
      },
    );
    return { entry, body: JSON.parse(entry.projection.inline ?? '') as Body };
  };
const messages = ({ body }: { body: Body }): string[] => body.rows.map(({ message }) => String(message));

describe.each(['checkout-pool-exhaustion', 'quiet-evening'])('the shipped incident %s', (name) => {
  const ask = incident(name);

  it('is small and complete', () => {
    const files = readdirSync(join(INCIDENTS, name));
    const bytes = files.reduce((sum, file) => sum + statSync(join(INCIDENTS, name, file)).size, 0);
    expect(bytes).toBeLessThan(400 * 1024);
    expect(files).toContain('truth.json');
  });

  it('answers every tool without an error, within the budget, and without the password of the database', async () => {
    const [process] = (await ask('list_objects', { kind: 'Process', name_contains: 'checkout-' })).body.rows;
    const calls: [string, object][] = [
      ['service_dependencies', {}],
      ['list_objects', {}],
      ['describe_object', { kind: 'Process', name: process?.['name'] }],
      ['search_logs', { limit: 200 }],
      ['list_metrics', {}],
      ['query_metric', { name: 'http_request_duration_p95_ms' }],
    ];
    for (const [tool, args] of calls) {
      const { entry } = await ask(tool, args);
      expect(entry).toMatchObject({ tool, status: 'READY', evidenceStatus: 'EVIDENCE_FOUND' });
      expect(entry.projection.bytes).toBeLessThanOrEqual(32 * 1024);
      expect(entry.projection.inline).not.toContain('harbour-lantern');
    }
  });

  it('does not carry its truth in what tools can read', () => {
    const truth = JSON.parse(readFileSync(join(INCIDENTS, name, 'truth.json'), 'utf8')) as {
      rootCause: string;
    };
    const readable = readdirSync(join(INCIDENTS, name)).filter((file) => file !== 'truth.json');
    for (const file of readable)
      expect(readFileSync(join(INCIDENTS, name, file), 'utf8')).not.toContain(truth.rootCause);
  });
});

describe('checkout-pool-exhaustion can be solved with the tools alone', () => {
  const ask = incident('checkout-pool-exhaustion');

  it('alerts point at checkout and storefront, not at a cause', async () => {
    const { body } = await ask('active_alerts', {});
    expect(new Set(body.rows.map(({ service }) => service))).toEqual(new Set(['checkout', 'storefront']));
    const resolved = (await ask('active_alerts', { include_resolved: true })).body.rows.filter(
      ({ state }) => state === 'resolved',
    );
    expect(resolved.map(({ name }) => name)).toEqual(['TargetDown']);
  });

  it('orders fail because no connection frees up in a pool that is fully in use', async () => {
    const errors = await ask('search_logs', {
      service: 'checkout',
      level: 'ERROR',
      contains: 'POST /orders failed: timeout exceeded',
    });
    expect(errors.entry.matched).toBeGreaterThan(100);
    const { body } = await ask('query_metric', { name: 'db_pool_in_use', service: 'checkout' });
    const size = (await ask('query_metric', { name: 'db_pool_size', service: 'checkout' })).body;
    expect(body.series[0]?.statistics['last']).toBe(size.series[0]?.statistics['last']);
    expect(body.series[0]?.changePoints.length).toBeGreaterThan(0);
  });

  it('all connections of checkout are idle in transaction, and hold locks that others wait for', async () => {
    const { body } = await ask('list_objects', { kind: 'PostgresSession' });
    const states = body.rows.map(({ status }) => status as Row).filter(({ client }) => client === 'checkout');
    expect(states).toHaveLength(10);
    for (const { state, lastQuery } of states) {
      expect(state).toMatch(/^idle in transaction/);
      expect(lastQuery).toContain('FOR UPDATE');
    }
    const waits = await ask('search_logs', { service: 'postgres', contains: 'still waiting for ShareLock' });
    expect(waits.entry.matched).toBeGreaterThan(0);
  });

  it('the leak begins with the first rejected refund, after refunds were enabled, and not with the deployment', async () => {
    const [enabled] = (await ask('describe_object', { kind: 'Service', name: 'checkout' })).body.events;
    const rejected = await ask('search_logs', { service: 'checkout', contains: 'rejected by payments' });
    const [first] = rejected.body.rows;
    const leaked = await ask('query_metric', {
      name: 'pg_client_connections',
      labels: { client: 'checkout', state: 'idle_in_transaction' },
    });
    const deployed = (await ask('describe_object', { kind: 'Service', name: 'catalog' })).body.events[0];
    const [change] = leaked.body.series[0]?.changePoints ?? [];
    const order = [deployed?.['time'], enabled?.['time'], first?.['time'], change?.['at']].map(String);
    expect(order).toEqual([...order].sort());
  });

  it('the noise is there as well: a deployment with refused connections, slow queries, pauses', async () => {
    const warnings = messages(await ask('search_logs', { level: 'WARN', limit: 200 }));
    expect(warnings.some((text) => text.includes('ECONNREFUSED'))).toBe(true);
    expect(warnings.some((text) => text.startsWith('slow query'))).toBe(true);
    expect(warnings.some((text) => text.startsWith('event loop blocked'))).toBe(true);
  });
});

describe('quiet-evening holds no fault', () => {
  const ask = incident('quiet-evening');

  it.each<[string, object]>([
    ['active_alerts', {}],
    ['active_alerts', { include_resolved: true }],
    ['search_logs', { level: 'ERROR' }],
    ['list_objects', { kind: 'Event', name_contains: 'checkout' }],
  ])('%s %j finds nothing, and a negative may rest on it', async (tool, args) => {
    expect((await ask(tool, args)).entry).toMatchObject({
      status: 'READY',
      evidenceStatus: 'NO_EVIDENCE',
      truncated: false,
      limitHit: false,
      sampled: false,
      partial: false,
    });
  });

  it('no request fails and none waits for a connection at a scrape', async () => {
    for (const name of ['http_error_ratio', 'db_pool_waiting', 'db_pool_acquire_timeouts_per_second']) {
      const { body } = await ask('query_metric', { name });
      expect(body.series.map(({ statistics }) => statistics['max'])).toEqual(body.series.map(() => 0));
    }
  });

  it('the only lasting change is that of the visitors', async () => {
    const { body } = await ask('query_metric', { name: 'http_requests_per_second', service: 'storefront' });
    expect(body.series[0]?.changePoints).toHaveLength(1);
    const latency = await ask('query_metric', { name: 'http_request_duration_p95_ms', service: 'checkout' });
    expect(latency.body.series[0]?.statistics['max']).toBeLessThan(500);
  });
});
