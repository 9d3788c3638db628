import type { Conversation, ToolAnswer } from '../src/conversation/conversation';
import { readView } from '../src/evidence/read-view';
import type { View } from '../src/evidence/view';

/** What a source holds, in the shapes in which its tools answer. Every part is optional. */
export type Source = {
  alerts?: object[];
  dependencies?: [from: string, to: string][];
  /** Lines of a list, or whole objects with `metadata`. */
  objects?: object[];
  /** Objects as `describe_object` shows them. */
  described?: { object: object; events?: object[] }[];
  events?: object[];
  /** Patterns of log lines. */
  logs?: LogPattern[];
  metrics?: object[];
  series?: Series[];
  documents?: { id: string; title: string; text: string }[];
};

type LogPattern = {
  service: string;
  message: string;
  level?: string;
  count?: number;
  from?: string;
  to?: string;
};
type Series = {
  name: string;
  labels: Record<string, string>;
  unit?: string;
  values: number[];
  changes?: { at: string; before: number; after: number }[];
};

export const WINDOW = { from: '2026-03-02T10:00:00.000Z', to: '2026-03-02T10:10:00.000Z' };
const START_MS = Date.parse(WINDOW.from);
export const minute = (n: number): string => new Date(START_MS + n * 60_000).toISOString();

const shape = (message: string) => message.replace(/\d+(?:\.\d+)?/g, '#');

const patternRow = ({
  service,
  message,
  level = 'ERROR',
  count = 40,
  from = minute(3),
  to = minute(9.8),
}: LogPattern) => ({
  pattern: shape(message),
  example: message,
  level,
  service,
  count,
  firstAt: from,
  lastAt: to,
});

const seriesRow = ({ name, labels, unit = '', values, changes = [] }: Series) => {
  const sorted = [...values].sort((a, b) => a - b);
  const step = 600 / values.length;
  const points = values.map((value, index) => [
    new Date(START_MS + index * step * 1_000).toISOString(),
    value,
  ]);
  const [min, max, first, last] = [sorted[0], sorted.at(-1), values[0], values.at(-1)];
  const middle = sorted[Math.floor(sorted.length / 2)];
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const maxAt = points[values.indexOf(max ?? 0)]?.[0];
  const statistics = {
    count: values.length,
    min,
    max,
    mean,
    first,
    last,
    p50: middle,
    p95: max,
    minAt: WINDOW.from,
    maxAt,
  };
  return {
    name,
    unit,
    labels,
    stepSeconds: step,
    statistics,
    changePoints: changes,
    points,
    pointsTotal: points.length,
  };
};

type Meta = Partial<ToolAnswer['meta']>;

/** One answered call; `document` without totals gets none, as the rules do not need them. */
export const answer = (
  toolCallId: string,
  tool: string,
  args: Record<string, unknown>,
  document: object | null,
  meta: Meta = {},
): ToolAnswer => {
  const base = {
    toolCallId,
    tool,
    status: 'READY',
    evidenceStatus: 'EVIDENCE_FOUND',
    errorClass: null,
    scope: {},
    window: WINDOW,
  };
  const flags = {
    matched: null,
    returned: null,
    truncated: false,
    limitHit: false,
    sampled: false,
    partial: false,
    selectorKnown: null,
  };
  return {
    toolCallId,
    tool,
    args,
    text: JSON.stringify(document),
    document,
    meta: { ...base, ...flags, ...meta },
  };
};

export const answersFrom = (source: Source): ToolAnswer[] => {
  const rows = (id: string, tool: string, args: Record<string, unknown>, list: object[] | undefined) =>
    list ? [answer(id, tool, args, { rows: list })] : [];
  return [
    ...rows('call_alerts', 'active_alerts', {}, source.alerts),
    ...rows(
      'call_edges',
      'service_dependencies',
      {},
      source.dependencies?.map(([from, to]) => ({ from, to })),
    ),
    ...rows('call_objects', 'list_objects', {}, source.objects),
    ...rows('call_events', 'list_objects', { kind: 'Event' }, source.events),
    ...(source.described ?? []).map((document, index) =>
      answer(`call_described_${index}`, 'describe_object', { index }, { events: [], ...document }),
    ),
    ...(source.logs
      ? [
          answer(
            'call_logs',
            'search_logs',
            { level: 'WARN' },
            { rows: [], summary: { patterns: source.logs.map(patternRow) } },
          ),
        ]
      : []),
    ...rows('call_metrics', 'list_metrics', {}, source.metrics),
    ...(source.series ?? []).map((series, index) =>
      answer(
        `call_series_${index}`,
        'query_metric',
        { name: series.name, index },
        { series: [seriesRow(series)] },
      ),
    ),
    ...(source.documents
      ? [answer('call_knowledge', 'knowledge_lookup', { query: 'x' }, { documents: source.documents })]
      : []),
  ];
};

export const conversation = (answers: ToolAnswer[], over: Partial<Conversation> = {}): Conversation => ({
  question: {
    kind: 'question',
    intent: 'DIAGNOSIS',
    question: 'What is wrong?',
    window: WINDOW,
    limits: { toolCallsLeft: 40, callsPerResponseMax: 16 },
  },
  answers,
  rejectedTurns: 0,
  assistantTurns: answers.length > 0 ? 1 : 0,
  concluding: false,
  repair: null,
  ...over,
});

export const viewOf = (source: Source): View => readView(conversation(answersFrom(source)));

/* ---------- Kubernetes shapes ---------- */

export const pod = (
  name: string,
  status: object = { phase: 'Running', ready: '1/1' },
  rest: object = {},
) => ({
  kind: 'Pod',
  name,
  namespace: 'shop',
  status,
  ...rest,
});

export const event = (kind: string, name: string, reason: string, message: string, over: object = {}) => ({
  kind: 'Event',
  type: 'Warning',
  time: minute(5),
  reason,
  message,
  count: 3,
  object: { kind, name, namespace: 'shop' },
  ...over,
});
