import { SourceFailure } from '../incident-source';
import { defineTool, type ReadOnlyTool } from '../tool';
import { z } from 'zod';
import { environmentOf, environmentsOf } from './environment';
import type { IncidentPart, Toolset } from './toolset';

const page = { items: [], matched: 0, limitHit: false, sampled: false, partial: false };
const complete = { ...page, permissionFiltered: false, selectorKnown: true, suggestions: [] };
const tool = (name: string): ReadOnlyTool =>
  defineTool(
    {
      name,
      toolset: 'x',
      description: 'd',
      service: 'tool',
      timeoutMs: 1,
      projectionBytesMax: 1,
      parameters: z.strictObject({}),
    },
    () => Promise.reject(new Error('not called')),
  );
const toolset = (over: Partial<Toolset> & { incident?: IncidentPart } = {}): Toolset => ({
  name: 'x',
  tools: () => Promise.resolve([]),
  check: () => Promise.resolve({ ok: true, detail: '', remedy: null }),
  close: () => Promise.resolve(),
  ...over,
});
const signal = new AbortController().signal;

describe('an environment', () => {
  it.each([
    ['that another connection knows has no alert', [true], true],
    ['that no connection knows is no absence', [false], false],
    ['of connections that know no services is no absence', [undefined], false],
  ])('a service without an alert %s', async (_, answers, selectorKnown) => {
    const { incident } = environmentOf('prod', [
      toolset({ incident: { activeAlerts: () => Promise.resolve({ ...complete, selectorKnown: false }) } }),
      ...answers.map((answer) =>
        toolset({ incident: answer === undefined ? {} : { knowsService: () => Promise.resolve(answer) } }),
      ),
    ]);
    const asked = { service: 'cart', includeResolved: false };
    await expect(incident?.activeAlerts(asked, signal)).resolves.toMatchObject({ selectorKnown });
  });

  it('offers the incident tools that its connections can answer, and their own tools', async () => {
    const environment = environmentOf('prod', [
      toolset({ incident: { searchLogs: () => Promise.resolve(complete) } }),
      toolset({
        incident: { activeAlerts: () => Promise.resolve(complete) },
        tools: () => Promise.resolve([tool('promql')]),
      }),
    ]);
    const { tools } = await environment.tools(signal);
    expect(tools.map(({ name }) => name)).toEqual(['active_alerts', 'search_logs', 'promql']);
  });

  it('fails what no connection can answer, and never answers it with nothing', async () => {
    const environment = environmentOf('prod', [
      toolset({ incident: { activeAlerts: () => Promise.resolve(complete) } }),
    ]);
    await expect(environment.incident?.listMetrics({}, signal)).rejects.toMatchObject({
      errorClass: 'SOURCE_FAILED',
    });
    expect(environmentOf('bare', [toolset()]).incident).toBeNull();
  });

  it('reaches back as far as it is told where no connection has a span of its own', async () => {
    const nowMs = Date.parse('2026-03-01T12:00:00Z');
    const environment = environmentOf(
      'prod',
      [toolset({ incident: { activeAlerts: () => Promise.resolve(complete) } })],
      { lookbackMs: 3_600_000, nowMs: () => nowMs },
    );
    await expect(environment.incident?.extent(signal)).resolves.toEqual({
      window: { from: '2026-03-01T11:00:00.000Z', to: '2026-03-01T12:00:00.000Z' },
      services: [],
    });
  });

  it('leaves out a connection that does not tell its tools, and says so', async () => {
    const environment = environmentOf('prod', [
      toolset({ name: 'mcp.a', tools: () => Promise.reject(new SourceFailure('SOURCE_FAILED', 'away')) }),
      toolset({ tools: () => Promise.resolve([tool('promql')]) }),
    ]);
    const { tools, silent } = await environment.tools(signal);
    expect([tools.map(({ name }) => name), silent]).toEqual([['promql'], ['mcp.a']]);
  });

  it('is found by name alone, and closes all that it opened', async () => {
    let closed = 0;
    const all = environmentsOf([
      environmentOf('a', [toolset({ close: () => Promise.resolve(void (closed += 1)) })]),
      environmentOf('b', [toolset({ close: () => Promise.reject(new Error('stuck')) })]),
    ]);
    expect(all.find('../a')).toBeUndefined();
    await all.close();
    expect(closed).toBe(1);
  });
});
