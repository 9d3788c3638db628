import type { ToolCallId } from '@inquest/contracts/ids';
import { createRedactor } from '@inquest/redaction/redactor';
import { LokiDouble, type Stream } from './loki-double';
import { incidentSources } from '../src/incident-sources';
import { runTool, toolsByName } from '../src/run-tool';
import { environmentOf } from '../src/sources/environment';
import { LokiConfig } from '../src/loki/config';
import { openLoki } from '../src/loki/loki-toolset';

const NOW_MS = Date.parse('2026-05-01T10:30:00Z');
const LOOKBACK_MS = 3_600_000;
export const PASSWORD = 'amber-lighthouse-72';

const STREAMS: readonly Stream[] = [
  {
    labels: { service_name: 'orders', namespace: 'shop', pod: 'orders-1', cluster: 'eu' },
    lines: [
      ['2026-05-01T10:00:00.000Z', 'INFO listening'],
      ['2026-05-01T10:10:00.250Z', 'ERROR order 17 failed: connection refused'],
      ['2026-05-01T10:11:00.000Z', 'ERROR order 18 failed: connection refused'],
      ['2026-05-01T10:12:00.000Z', `WARN retry with password=${PASSWORD}`],
    ],
  },
  {
    labels: { service_name: 'pay', namespace: 'shop', pod: 'pay-1', cluster: 'eu' },
    lines: [
      ['2026-05-01T10:10:30.000Z', '{"level":"error","msg":"Timeout (17s) of bank"}'],
      ['2026-05-01T09:40:00.000Z', 'info ready'],
    ],
  },
  {
    labels: { service_name: 'ledger', namespace: 'bank', cluster: 'us' },
    lines: [['2026-05-01T10:05:00.000Z', 'E0501 10:05:00.000000 1 x.go:1] no route']],
  },
];

export type Row = Record<string, unknown>;
type Body = { rows: Row[]; summary: Row & { patterns: Row[] }; suggestions: string[] };

const started: LokiDouble[] = [];
/** For `afterEach`. */
export const stopAll = () => Promise.all(started.splice(0).map((double) => double.stop()));

/** A double with a source that reads it, asked through the tools that an agent has. */
export const loki = async (
  options: Partial<Parameters<typeof LokiDouble.start>[0]> = {},
  config: Record<string, unknown> = {},
  env: Record<string, string> = {},
) => {
  const double = await LokiDouble.start({ streams: STREAMS, ...options });
  started.push(double);
  const parsed = LokiConfig.parse({ url: double.url, timeoutMs: 150, ...config });
  const toolset = openLoki(parsed, {
    source: 'live',
    instance: 'loki',
    env,
    lookbackMs: LOOKBACK_MS,
    nowMs: () => NOW_MS,
  });
  const environment = environmentOf('live', [toolset], { lookbackMs: LOOKBACK_MS, nowMs: () => NOW_MS });
  const run = new AbortController();
  const { tools } = await environment.tools(run.signal);
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
        redactor: createRedactor('logs'),
        signal: run.signal,
      },
    );
    return { entry, body: JSON.parse(entry.projection.inline ?? '') as Body };
  };
  return { double, ask, tools, run, toolset };
};

export const paths = (double: LokiDouble) =>
  double.requests.map(({ path }) => path.replace('/loki/api/v1/', ''));
