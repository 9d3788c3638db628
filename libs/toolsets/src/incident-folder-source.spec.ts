import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { ToolCallId } from '@inquest/contracts/ids';
import { createRedactor } from '@inquest/redaction/redactor';
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { INCIDENT_TOOLSET_TOOLS } from './incident/incident-toolset';
import { incidentFolderSource } from './incident-folder-source';
import { incidentSources } from './incident-sources';
import { runTool, toolsByName } from './run-tool';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'inquest-incident-'));
  for (const [name, content] of Object.entries(FILES)) write(name, content);
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

describe('an incident folder as a source', () => {
  it('lists objects of a kind however the kind is spelt', async () => {
    for (const kind of ['Pod', 'pods', 'POD']) {
      const { body, entry } = await ask('list_objects', { kind });
      expect(body.rows).toHaveLength(2);
      expect(entry).toMatchObject({ selectorKnown: true, scope: { filter: `kind=${kind}` }, window: null });
    }
  });

  it('shows what kubectl would show of a pod', async () => {
    const { body } = await ask('list_objects', { name_contains: 'WEB-1' });
    expect(body.rows).toEqual([
      {
        kind: 'Pod',
        name: 'web-1',
        namespace: 'shop',
        owner: 'ReplicaSet/web',
        labels: { app: 'web' },
        status: { phase: 'Running', ready: '0/1', restarts: 4, reasons: ['CrashLoopBackOff'] },
      },
    ]);
  });

  it('knows a kind that does not exist for a misspelt selector, not for an absence', async () => {
    const { entry, body } = await ask('list_objects', { kind: 'Deploymnet' });
    expect(entry).toMatchObject({ status: 'READY', evidenceStatus: 'NO_EVIDENCE', selectorKnown: false });
    expect(body['suggestions']).toEqual(['Deployment']);
  });

  it('marks a limit that left rows out', async () => {
    const { entry, body } = await ask('list_objects', { limit: 1 });
    expect(entry).toMatchObject({ limitHit: true, truncated: false, matched: 3, returned: 1 });
    expect(body).toMatchObject({ matched: 3, returned: 1, limitHit: true });
  });

  it('describes an object with the events about it and redacts its environment', async () => {
    const { entry, body } = await ask('describe_object', { kind: 'Pod', name: 'web-1' });
    expect(body['events']).toEqual([expect.objectContaining({ reason: 'BackOff', count: 7 })]);
    expect(entry.redactedCount).toBe(1);
    expect(entry.projection.inline).not.toContain('hunter2');
    expect(entry.untrustedPaths).toContain('/events/*/message');
  });

  it('lists events when asked for the kind Event', async () => {
    const { entry, body } = await ask('list_objects', { kind: 'Event', namespace: 'shop' });
    expect(body.rows).toEqual([expect.objectContaining({ kind: 'Event', reason: 'BackOff' })]);
    expect(entry).toMatchObject({ scope: { namespace: 'shop', filter: 'kind=Event' }, selectorKnown: true });
  });

  it('says so when it describes an object without having events', async () => {
    unlinkSync(join(dir, 'events.json'));
    expect((await ask('describe_object', { kind: 'Pod', name: 'web-1' })).entry).toMatchObject({
      partial: true,
    });
    expect((await ask('list_objects', { kind: 'Event' })).entry).toMatchObject({
      status: 'READY',
      errorClass: 'SOURCE_FAILED',
    });
  });

  it('finds log lines of a level and graver, with counts over all of them', async () => {
    const { entry, body } = await ask('search_logs', { level: 'WARN', limit: 1 });
    expect(body).toMatchObject({
      matched: 2,
      returned: 1,
      limitHit: true,
      summary: { byLevel: { WARN: 1, ERROR: 1 } },
    });
    expect(entry).toMatchObject({ sampled: false, scope: { filter: 'level=WARN' }, selectorKnown: null });
  });

  it('admits that lines of a thinned level are a sample', async () => {
    expect((await ask('search_logs', {})).entry.sampled).toBe(true);
    expect((await ask('search_logs', { service: 'web' })).entry.sampled).toBe(true);
    expect((await ask('search_logs', { service: 'db' })).entry.sampled).toBe(false);
  });

  it('records the window that was searched: asked and held', async () => {
    const whole = { from: '2026-05-01T10:00:00Z', to: '2026-05-01T10:10:00Z' };
    expect((await ask('search_logs', {})).entry.window).toEqual(whole);
    const early = await ask('search_logs', { from: '2026-05-01T09:00:00Z', to: '2026-05-01T12:02:00+02:00' });
    expect(early.entry.window).toEqual({ from: whole.from, to: '2026-05-01T12:02:00+02:00' });
    expect(early.entry.dataSpan).toEqual({ from: '2026-05-01T10:01:00Z', to: '2026-05-01T10:01:00Z' });
    const outside = await ask('search_logs', { to: '2026-05-01T09:00:00Z', from: '2026-05-01T08:00:00Z' });
    expect(outside.entry).toMatchObject({ status: 'ERROR', errorClass: 'BAD_ARGUMENTS', window: null });
  });

  it('tells no evidence from an unknown service', async () => {
    expect((await ask('search_logs', { service: 'db', level: 'FATAL' })).entry).toMatchObject({
      evidenceStatus: 'NO_EVIDENCE',
      selectorKnown: true,
      scope: { service: 'db', filter: 'level=FATAL' },
    });
    const { entry, body } = await ask('search_logs', { service: 'webb' });
    expect(entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: false });
    expect(body['suggestions']).toEqual(['web']);
  });

  it('summarises a metric and knows its names and labels', async () => {
    const { body, entry } = await ask('query_metric', { name: 'latency_ms', service: 'web' });
    expect(body['series']).toEqual([
      expect.objectContaining({
        unit: 'ms',
        pointsTotal: 3,
        statistics: expect.objectContaining({
          count: 3,
          min: 10,
          max: 900,
          last: 900,
          maxAt: '2026-05-01T10:00:10.000Z',
        }),
      }),
    ]);
    expect(entry).toMatchObject({
      scope: { service: 'web', filter: 'name=latency_ms' },
      selectorKnown: true,
    });
    expect((await ask('query_metric', { name: 'latency_ms', service: 'db' })).entry.selectorKnown).toBe(
      false,
    );
    expect((await ask('query_metric', { name: 'latency' })).body['suggestions']).toEqual(['latency_ms']);
    expect(
      (await ask('query_metric', { name: 'latency_ms', from: '2026-05-01T10:09:00Z' })).entry,
    ).toMatchObject({
      evidenceStatus: 'NO_EVIDENCE',
      selectorKnown: true,
      matched: 0,
    });
  });

  it('lists metrics, alerts and dependencies', async () => {
    expect((await ask('list_metrics', { name_contains: 'late' })).body.rows).toEqual([
      { name: 'latency_ms', unit: 'ms', labels: { service: 'web' }, min: 10, max: 900, last: 900 },
    ]);
    expect((await ask('active_alerts', {})).entry).toMatchObject({
      evidenceStatus: 'NO_EVIDENCE',
      scope: { filter: 'state=firing' },
    });
    expect((await ask('active_alerts', { include_resolved: true })).body.rows).toEqual([
      expect.objectContaining({ name: 'High', state: 'resolved' }),
    ]);
    expect((await ask('service_dependencies', { service: 'db' })).body.rows).toEqual([
      { from: 'web', to: 'db', port: 5432 },
    ]);
  });

  it.each<[string, string, string]>([
    ['no folder', 'list_objects', 'SOURCE_FAILED'],
    ['a broken file', 'search_logs', 'RESULT_UNUSABLE'],
    ['a file of another format', 'list_metrics', 'RESULT_UNUSABLE'],
  ])('fails as READY with ERROR on %s', async (what, tool, errorClass) => {
    if (what === 'no folder') rmSync(dir, { recursive: true });
    if (what === 'a broken file') write('logs.ndjson', '{"time": tomorrow}');
    if (what === 'a file of another format') write('metrics.json', '[{"name":"m"}]');
    expect((await ask(tool, {})).entry).toMatchObject({
      status: 'READY',
      evidenceStatus: 'ERROR',
      errorClass,
    });
  });

  it('never reads the truth', async () => {
    write('truth.json', '{"rootCause":"the-sentinel"}');
    for (const { name } of INCIDENT_TOOLSET_TOOLS) {
      const args =
        name === 'describe_object'
          ? { kind: 'Pod', name: '../truth.json' }
          : name === 'query_metric'
            ? { name: 'truth' }
            : {};
      expect(JSON.stringify(await ask(name, args))).not.toContain('the-sentinel');
    }
  });
});

/* ---------- fixtures ---------- */

const pod = (name: string, container: object) => ({
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'shop',
    labels: { app: 'web' },
    ownerReferences: [{ kind: 'ReplicaSet', name: 'web' }],
  },
  spec: { containers: [{ name: 'web', env: [{ name: 'DB_PASSWORD', value: 'hunter2' }] }] },
  status: { phase: 'Running', containerStatuses: [container] },
});
const logLine = (service: string, level: string, minute: number) =>
  JSON.stringify({ time: `2026-05-01T10:0${minute}:00Z`, service, level, message: `${level} of ${service}` });

const FILES: Record<string, unknown> = {
  'incident.json': {
    format: 1,
    name: 'test',
    title: 'A test',
    namespace: 'shop',
    zone: 'Europe/Berlin',
    window: { from: '2026-05-01T10:00:00Z', to: '2026-05-01T10:10:00Z' },
    recordedAt: '2026-05-01T10:10:00Z',
    question: 'What is wrong?',
    services: ['web', 'db'],
    logSampling: { services: ['web'], levels: ['INFO'], keepOneIn: 10 },
  },
  'objects.json': [
    pod('web-1', { ready: false, restartCount: 4, state: { waiting: { reason: 'CrashLoopBackOff' } } }),
    pod('web-2', { ready: true, restartCount: 0, state: { running: {} } }),
    {
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { replicas: 2 },
      status: { readyReplicas: 1 },
    },
  ],
  'events.json': [
    {
      time: '2026-05-01T10:02:00Z',
      type: 'Warning',
      reason: 'BackOff',
      object: { kind: 'Pod', name: 'web-1', namespace: 'shop' },
      message: 'Back-off restarting failed container',
      count: 7,
    },
  ],
  'logs.ndjson': [logLine('web', 'INFO', 1), logLine('web', 'ERROR', 3), logLine('db', 'WARN', 4), ''].join(
    '\n',
  ),
  'metrics.json': [
    {
      name: 'latency_ms',
      unit: 'ms',
      labels: { service: 'web' },
      stepSeconds: 5,
      points: [10, 20, 900].map((value, n) => [Date.parse('2026-05-01T10:00:00Z') / 1_000 + 5 * n, value]),
    },
  ],
  'alerts.json': [
    {
      name: 'High',
      severity: 'warning',
      service: 'web',
      startsAt: '2026-05-01T10:01:00Z',
      endsAt: '2026-05-01T10:02:00Z',
      summary: 'latency is high',
      labels: {},
    },
  ],
  'dependencies.json': [{ from: 'web', to: 'db', port: 5432 }],
};

function write(name: string, content: unknown): void {
  writeFileSync(join(dir, name), typeof content === 'string' ? content : JSON.stringify(content));
}

async function ask(
  tool: string,
  args: object,
): Promise<{ entry: LedgerEntry; body: { [key: string]: unknown; rows: unknown[] } }> {
  const entry = await runTool(
    {
      toolCallId: 'call-1' as ToolCallId,
      providerId: null,
      tool,
      argumentsText: JSON.stringify(args),
      source: 'test',
      asOf: '2026-05-01T10:10:00Z',
      projectionBytesMax: 32 * 1024,
    },
    {
      tools: toolsByName(INCIDENT_TOOLSET_TOOLS),
      sources: incidentSources([incidentFolderSource('test', dir)]),
      redactor: createRedactor('run-1'),
      signal: new AbortController().signal,
    },
  );
  return { entry, body: JSON.parse(entry.projection.inline ?? '') as { rows: unknown[] } };
}
