import type { ToolCallId } from '@inquest/contracts/ids';
import { createRedactor } from '@inquest/redaction/redactor';
import { DATABASE_PASSWORD, podOf, SHOP, SHOP_LOGS } from '../../test/a-shop-cluster';
import { KubernetesDouble } from '../../test/kubernetes-double';
import { incidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { environmentOf } from '../sources/environment';
import { kubernetesApi } from './kubernetes-api';
import { clusterToolset } from './kubernetes-toolset';

const EVENTS = { eventsKeptMs: 3_600_000, nowMs: () => Date.parse('2026-05-01T10:30:00Z') };

type Options = Parameters<typeof KubernetesDouble.start>[0];
type Row = Record<string, unknown>;
type Body = { rows: Row[]; summary: Row; object: Row & { pods: Row }; suggestions: string[] };

const started: KubernetesDouble[] = [];
afterEach(() => Promise.all(started.splice(0).map((double) => double.stop())));

const cluster = async (options: Partial<Options> = {}, namespaces: string[] | null = null) => {
  const double = await KubernetesDouble.start({ objects: SHOP, logs: SHOP_LOGS, ...options });
  started.push(double);
  const api = kubernetesApi({ server: double.url, authorize: async () => undefined }, { silenceMsMax: 150 });
  const environment = environmentOf('live', [clusterToolset('kubernetes', { api, namespaces, ...EVENTS })]);
  const { signal } = new AbortController();
  const { tools } = await environment.tools(signal);
  const ask = async (tool: string, args: object, projectionBytesMax = 32_768) => {
    const entry = await runTool(
      {
        toolCallId: 'call_1' as ToolCallId,
        providerId: null,
        tool,
        argumentsText: JSON.stringify(args),
        source: 'live',
        asOf: '2026-05-01T10:30:00.000Z',
        projectionBytesMax,
      },
      {
        tools: toolsByName(tools),
        sources: incidentSources(environment.incident ? [environment.incident] : []),
        redactor: createRedactor('cluster'),
        signal,
      },
    );
    return { entry, body: JSON.parse(entry.projection.inline ?? '') as Body };
  };
  return { double, ask, tools };
};

describe('kubernetes_logs', () => {
  it('shows the newest lines first, with patterns, what was read, and no secret', async () => {
    const { ask } = await cluster();
    const { entry, body } = await ask('kubernetes_logs', {
      pod: 'orders-7d-aaaaa',
      namespace: 'shop',
      limit: 2,
    });
    expect(body.rows.map(({ level }) => level)).toEqual(['WARN', 'ERROR']);
    expect(body.summary).toMatchObject({
      container: 'orders',
      linesRead: 4,
      byLevel: { ERROR: 2, INFO: 1, WARN: 1 },
    });
    expect(body.summary['patterns']).toContainEqual(
      expect.objectContaining({ pattern: 'ERROR request # failed: connection refused', count: 2 }),
    );
    expect(entry).toMatchObject({
      evidenceStatus: 'EVIDENCE_FOUND',
      matched: 4,
      limitHit: true,
      window: { from: '2026-05-01T10:00:01.000Z', to: '2026-05-01T10:30:00.000Z' },
      dataSpan: { from: '2026-05-01T10:00:01.000Z', to: '2026-05-01T10:00:04.000Z' },
      scope: { namespace: 'shop', filter: 'pod=orders-7d-aaaaa' },
    });
    expect(entry.projection.inline).not.toContain(DATABASE_PASSWORD);
  });

  it('reads the run before a restart', async () => {
    const { ask, double } = await cluster();
    const { body } = await ask('kubernetes_logs', { pod: 'orders-7d-bbbbb', previous: true });
    expect(body.rows).toEqual([
      { time: '2026-05-01T09:59:59.000Z', level: 'FATAL', message: 'FATAL out of memory' },
    ]);
    expect(double.requests.at(-1)?.path).toBe('/api/v1/namespaces/shop/pods/orders-7d-bbbbb/log');
  });

  it('a tail that was cut says nothing of what is older', async () => {
    const { ask } = await cluster();
    const { entry } = await ask('kubernetes_logs', {
      pod: 'orders-7d-aaaaa',
      contains: 'listening',
      tail_lines: 2,
    });
    expect(entry).toMatchObject({
      evidenceStatus: 'NO_EVIDENCE',
      limitHit: true,
      matched: null,
      window: { from: '2026-05-01T10:00:03.000Z' },
    });
  });

  it('an instant from which nothing was logged bounds an absence', async () => {
    const { ask } = await cluster();
    const { entry } = await ask('kubernetes_logs', { pod: 'orders-7d-aaaaa', from: '2026-05-01T10:20:00Z' });
    expect(entry).toMatchObject({
      evidenceStatus: 'NO_EVIDENCE',
      matched: 0,
      window: { from: '2026-05-01T10:20:00Z', to: '2026-05-01T10:30:00.000Z' },
    });
  });

  it('what may have been rotated away is not in the window', async () => {
    const { ask } = await cluster();
    const { entry } = await ask('kubernetes_logs', {
      pod: 'orders-7d-aaaaa',
      from: '2026-05-01T09:00:00Z',
      contains: 'xyz',
    });
    expect(entry.window?.from).toBe('2026-05-01T10:00:01.000Z');
  });

  it('a log that is larger than its bound says nothing of what is newer', async () => {
    const line = (at: number) =>
      `2026-05-01T10:00:${String(at % 60).padStart(2, '0')}.000000000Z ${'x'.repeat(1_000)}`;
    const long = Array.from({ length: 2_000 }, (_, at) => line(at)).join('\n');
    const { ask } = await cluster({ logs: { 'shop/orders-7d-aaaaa/orders': long } });
    const { entry } = await ask('kubernetes_logs', { pod: 'orders-7d-aaaaa', tail_lines: 5_000 });
    expect(entry).toMatchObject({ limitHit: true, matched: null, truncated: true });
    expect(entry.projection.bytes).toBeLessThanOrEqual(32_768);
    expect(Date.parse(entry.window?.to ?? '')).toBeLessThan(Date.parse('2026-05-01T10:01:00Z'));
  });

  it.each([
    ['no run before', { pod: 'orders-7d-aaaaa', previous: true }, 'NO_PREVIOUS_RUN'],
    ['none that has begun', { pod: 'orders-7d-bbbbb' }, 'NOT_STARTED'],
  ])('%s is an answer', async (_, args, answer) => {
    const { ask } = await cluster();
    const { entry, body } = await ask('kubernetes_logs', args);
    expect(entry).toMatchObject({ status: 'READY', evidenceStatus: 'NO_EVIDENCE', errorClass: null });
    expect(body.summary).toMatchObject({ answer });
  });

  it.each([
    ['a pod', { pod: 'orders-7d-aaaab' }, 'orders-7d-aaaaa'],
    ['a container', { pod: 'orders-7d-aaaaa', container: 'order' }, 'orders'],
    ['a namespace', { pod: 'orders-7d-aaaaa', namespace: 'shopping' }, 'shop'],
  ])('%s that is not there is unknown, and a near one is named', async (_, args, near) => {
    const { ask } = await cluster();
    const { entry, body } = await ask('kubernetes_logs', args);
    expect(entry).toMatchObject({ evidenceStatus: 'NO_EVIDENCE', selectorKnown: false });
    expect(body.suggestions).toContain(near);
  });

  it('a right that is missing is an error', async () => {
    const { ask } = await cluster({ mayRead: (plural) => plural !== 'pods' });
    const { entry } = await ask('kubernetes_logs', { pod: 'orders-7d-aaaaa', namespace: 'shop' });
    expect(entry).toMatchObject({ evidenceStatus: 'ERROR', errorClass: 'ACCESS_DENIED' });
  });
});

describe('kubernetes_manifest', () => {
  it('shows what an object asks for, without state and secrets', async () => {
    const { ask } = await cluster();
    const { body } = await ask('kubernetes_manifest', { kind: 'pod', name: 'orders-7d-aaaaa' });
    expect(body.object).not.toHaveProperty('status');
    expect(JSON.stringify(body)).not.toContain(DATABASE_PASSWORD);
  });

  it('can be narrowed to a part, and a part that is not there names those that are', async () => {
    const { ask } = await cluster();
    const at = { kind: 'Pod', name: 'orders-7d-aaaaa' };
    const { body } = await ask('kubernetes_manifest', { ...at, part: '/spec/containers/0/resources' });
    expect(body.object['part']).toEqual({
      limits: { memory: '512Mi' },
      requests: { cpu: '250m', memory: '256Mi' },
    });
    for (const part of ['/spec/container', '/spec/__proto__', '/spec/containers/constructor']) {
      const { entry } = await ask('kubernetes_manifest', { ...at, part });
      expect(entry).toMatchObject({ errorClass: 'BAD_ARGUMENTS' });
    }
  });

  it('of a Secret is refused', async () => {
    const { ask, double } = await cluster();
    const { entry } = await ask('kubernetes_manifest', {
      kind: 'Secret',
      name: 'orders-db',
      namespace: 'shop',
    });
    expect(entry.errorClass).toBe('ACCESS_DENIED');
    expect(double.requests).toEqual([]);
  });

  it('a name that two namespaces hold asks for the namespace', async () => {
    const twin = podOf('bank', 'orders', '7d-aaaaa', { ready: true });
    const { ask } = await cluster({ objects: [...SHOP, twin] });
    const { entry } = await ask('kubernetes_manifest', { kind: 'Pod', name: 'orders-7d-aaaaa' });
    expect(entry.errorClass).toBe('BAD_ARGUMENTS');
  });
});

describe('checks', () => {
  it('quota_check shows the fullest limit first, and what was refused for it', async () => {
    const { ask } = await cluster();
    const { body } = await ask('kubernetes_quota_check', { namespace: 'shop' });
    expect(body.rows[0]).toMatchObject({
      resource: 'pods',
      used: '3',
      hard: '3',
      usedShare: 1,
      isExhausted: true,
    });
    expect(body.rows[1]).toMatchObject({ resource: 'requests.cpu', usedShare: 0.375, isExhausted: false });
    expect(body.summary).toMatchObject({ exhausted: 1, refusals: 1 });
  });

  it('node_check shows the node in trouble first, and what is requested of it', async () => {
    const { ask } = await cluster();
    const { body } = await ask('kubernetes_node_check', {});
    expect(body.rows[0]).toMatchObject({
      name: 'node-b',
      ready: false,
      unschedulable: true,
      badConditions: [{ type: 'MemoryPressure' }, { type: 'Ready', reason: 'KubeletNotReady' }],
      resources: { cpu: { requested: 0.25, allocatable: 1, share: 0.25 } },
      pods: 1,
    });
    expect(body.rows[1]).toMatchObject({ name: 'node-a', resources: { cpu: { share: 0.75 } }, pods: 3 });
  });

  it('node_check sums nothing where it may see some namespaces only', async () => {
    const { ask } = await cluster({}, ['shop']);
    const { entry, body } = await ask('kubernetes_node_check', { node: 'node-a' });
    expect(entry.permissionFiltered).toBe(true);
    expect(body.rows[0]).not.toHaveProperty('pods');
  });

  it.each([
    ['orders', ['SOME_PODS_ARE_NOT_READY'], { matched: 2, ready: 1 }],
    ['pay', ['NO_POD_MATCHES_SELECTOR', 'NO_READY_ENDPOINT'], { matched: 0, ready: 0 }],
    ['mail', ['SERVICE_HAS_NO_SELECTOR'], { matched: 0, ready: 0 }],
  ])('service_check of %s finds %j', async (service, findings, pods) => {
    const { ask } = await cluster();
    const { entry, body } = await ask('kubernetes_service_check', { service, namespace: 'shop' });
    expect(body.object['findings']).toEqual(findings);
    expect(body.object.pods).toMatchObject(pods);
    expect(entry.scope).toEqual({ service, namespace: 'shop' });
  });

  it('service_check does not call a way whole whose endpoints it may not see', async () => {
    const { ask } = await cluster({ mayRead: (plural) => plural !== 'endpointslices' });
    const { entry, body } = await ask('kubernetes_service_check', { service: 'orders', namespace: 'shop' });
    expect(body.object['findings']).toEqual(['SOME_PODS_ARE_NOT_READY', 'ENDPOINTS_ARE_NOT_KNOWN']);
    expect(entry.permissionFiltered).toBe(true);
  });

  it('service_check of a selector that fits nothing shows which labels there are', async () => {
    const { ask } = await cluster();
    const { body } = await ask('kubernetes_service_check', { service: 'pay', namespace: 'shop' });
    expect(body.object['labelsOfPods']).toEqual({ app: ['orders', 'pay'] });
  });
});

describe('every tool', () => {
  const CALLS: [string, object][] = [
    ['list_objects', {}],
    ['list_objects', { kind: 'Event' }],
    ['describe_object', { kind: 'Pod', name: 'orders-7d-bbbbb' }],
    ['kubernetes_logs', { pod: 'orders-7d-aaaaa' }],
    ['kubernetes_manifest', { kind: 'Deployment', name: 'orders' }],
    ['kubernetes_quota_check', {}],
    ['kubernetes_node_check', {}],
    ['kubernetes_service_check', { service: 'orders' }],
  ];

  it('is offered to an agent, and answers', async () => {
    const { ask, tools } = await cluster();
    expect(new Set(tools.map(({ name }) => name))).toEqual(new Set(CALLS.map(([name]) => name)));
    for (const [tool, args] of CALLS)
      expect((await ask(tool, args)).entry).toMatchObject({ evidenceStatus: 'EVIDENCE_FOUND' });
  });

  it.each(['HANG', 'CUT', 'RESET', 'BUSY', 'HTML'] as const)(
    'is an error and no absence where the cluster fails: %s',
    async (fault) => {
      const { ask, double } = await cluster();
      double.fault = fault;
      for (const [tool, args] of CALLS)
        expect((await ask(tool, args)).entry).toMatchObject({ status: 'READY', evidenceStatus: 'ERROR' });
    },
  );

  it.each([1_024, 1_500, 4_000, 32_768])(
    'shows totals and what was left out within %i bytes',
    async (budget) => {
      const crowd = Array.from({ length: 120 }, (_, at) =>
        podOf('shop', `w${at}`, 'x', { ready: at % 3 > 0 }),
      );
      const { ask } = await cluster({ objects: [...SHOP, ...crowd] });
      for (const [tool, args] of CALLS) {
        const { entry, body } = await ask(tool, args, budget);
        expect(entry.projection.bytes).toBeLessThanOrEqual(budget);
        expect(body).toMatchObject({
          tool,
          matched: entry.matched,
          returned: entry.returned,
          truncated: entry.truncated,
        });
        expect('omitted' in body).toBe(entry.truncated);
      }
    },
  );

  it('sends nothing but GET, and never asks for a secret', async () => {
    const { ask, double } = await cluster();
    for (const [tool, args] of CALLS) await ask(tool, args);
    expect(double.requests.every(({ method, path }) => method === 'GET' && !/secrets/.test(path))).toBe(true);
  });
});

describe('inquest doctor', () => {
  const check = async (options: Partial<Options>, namespaces: string[] | null = null) => {
    const double = await KubernetesDouble.start({ objects: SHOP, ...options });
    started.push(double);
    const api = kubernetesApi({ server: double.url, authorize: async () => undefined });
    return clusterToolset('kubernetes', { api, namespaces, ...EVENTS }).check(new AbortController().signal);
  };

  it('names version and reach', async () => {
    expect(await check({})).toEqual({ ok: true, detail: 'Kubernetes v1.31.2, all namespaces', remedy: null });
  });

  it('names the namespaces that may not be read, a wrong credential and a dead cluster', async () => {
    const mayRead = (_: string, namespace: string | undefined) => namespace === 'shop';
    expect((await check({ mayRead }, ['shop', 'bank'])).detail).toContain('no right to list pods in bank');
    expect(await check({ token: 'x' })).toMatchObject({
      ok: false,
      detail: 'the cluster cannot be asked (401)',
    });
    const api = kubernetesApi({ server: 'http://127.0.0.1:1', authorize: async () => undefined });
    const dead = await clusterToolset('kubernetes', { api, namespaces: null, ...EVENTS }).check(
      new AbortController().signal,
    );
    expect(dead).toMatchObject({ ok: false, remedy: expect.stringContaining('address') as unknown });
  });
});
