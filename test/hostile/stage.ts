import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { createRedactor } from '@inquest/redaction/redactor';
import { INCIDENT_TOOLSET_TOOLS } from '@inquest/toolsets/incident/incident-toolset';
import { openIncidentSources } from '@inquest/toolsets/incident-sources';
import { runTool, toolsByName } from '@inquest/toolsets/run-tool';
import { CorpusInvalid, corpusOf } from '../../apps/knowledge-rag/src/corpus/corpus';
import { lookUp } from '../../apps/knowledge-rag/src/lookup/lookup';
import { SearchIndex } from '../../apps/knowledge-rag/src/search/search-index';
import { writeIncident } from '../e2e/support/incidents';

export const RUN = '00000000-0000-8000-8000-000000000007';
export const AS_OF = '2026-03-04T12:00:00.000Z';
const AT = '2026-03-04T10:10:00.000Z';

/** Places of telemetry in which others can write. */
export const TELEMETRY = ['log', 'annotation', 'alert', 'event'] as const;
export type Telemetry = (typeof TELEMETRY)[number];

/** A call of the stage, and where in its result planted text stands. */
export type Call = { entry: LedgerEntry; projection: string; plantedAt: readonly string[] };

const redactor = createRedactor(RUN);
const never = new AbortController().signal;

/** The files of the small incident with the pieces in one kind of place. */
export const filesWith = (place: Telemetry | undefined, pieces: readonly string[]) => {
  const at = (kind: Telemetry) => (place === kind ? pieces : []);
  const line = (message: string) =>
    JSON.stringify({ time: AT, service: 'checkout', level: 'ERROR', message });
  const annotations = Object.fromEntries(at('annotation').map((text, i) => [`note-${i}`, text]));
  return {
    'logs.ndjson': ['upstream answered 502', ...at('log')].map((message) => `${line(message)}\n`).join(''),
    'objects.json': [
      {
        kind: 'Pod',
        metadata: { name: 'checkout-1', namespace: 'shop', labels: { app: 'checkout' }, annotations },
        status: { phase: 'Running' },
      },
    ],
    'events.json': at('event').map((message) => ({
      ...{ time: AT, type: 'Warning', reason: 'Unhealthy', message, count: 1 },
      object: { kind: 'Pod', name: 'checkout-1', namespace: 'shop' },
    })),
    'alerts.json': ['errors', ...at('alert')].map((summary, i) => ({
      ...{
        name: `CheckoutErrors${i}`,
        severity: 'page',
        service: 'checkout',
        startsAt: AT,
        summary,
        labels: {},
      },
    })),
  };
};

const CALLS = [
  ['c1', 'search_logs', { service: 'checkout' }, 'log', (i: number) => `/rows/${i + 1}/message`],
  ['c2', 'active_alerts', {}, 'alert', (i: number) => `/rows/${i + 1}/summary`],
  [
    'c3',
    'describe_object',
    { kind: 'Pod', name: 'checkout-1' },
    'event',
    (i: number) => `/events/${i}/message`,
  ],
] as const;

let folders = 0;

/** The calls of an investigation over telemetry in which the pieces are planted: real tools, real projections. */
export const investigate = async (
  scratch: string,
  place: Telemetry | undefined,
  pieces: readonly string[],
): Promise<Call[]> => {
  const dir = writeIncident(scratch, `small-${++folders}`, filesWith(place, pieces));
  const runner = {
    tools: toolsByName(INCIDENT_TOOLSET_TOOLS),
    sources: openIncidentSources(`shop=${dir}`),
    redactor,
    signal: never,
  };
  const asked = { source: 'shop', asOf: AS_OF, projectionBytesMax: 32 * 1024, providerId: null };
  return Promise.all(
    CALLS.map(async ([toolCallId, tool, args, kind, pointer]): Promise<Call> => {
      const call = {
        ...asked,
        tool,
        toolCallId: toolCallId as ToolCallId,
        argumentsText: JSON.stringify(args),
      };
      const entry = await runTool(call, runner);
      const at = (i: number) =>
        place === 'annotation' && kind === 'event' ? `/object/metadata/annotations/note-${i}` : pointer(i);
      const here = place === kind || (place === 'annotation' && kind === 'event');
      return {
        entry,
        projection: entry.projection.inline ?? '',
        plantedAt: here ? pieces.map((_, i) => at(i)) : [],
      };
    }),
  );
};

/** A runbook about errors of checkout that holds the pieces. */
export const runbookWith = (pieces: readonly string[]): string =>
  [
    '---',
    'id: rb-checkout',
    'title: Checkout answers with errors',
    'tags: [checkout, upstream, errors]',
    '---',
    '## What to look at',
    'Errors of checkout come from its upstream more often than from checkout.',
    ...pieces.map((piece) => `\n${piece.replaceAll('\n## ', '\n')}`),
  ].join('\n');

/** A lookup in a knowledge base whose runbook holds the pieces; undefined: such a runbook is not taken in at all. */
export const lookUpRunbook = async (pieces: readonly string[]): Promise<Call | undefined> => {
  const text = runbookWith(pieces);
  try {
    const index = new SearchIndex(corpusOf([{ name: 'rb.md', bytes: new TextEncoder().encode(text) }]));
    const request = {
      toolCallId: 'c4' as ToolCallId,
      providerId: null,
      tool: 'knowledge_lookup',
      argumentsText: '{"query":"checkout upstream errors"}',
      source: null,
      asOf: AS_OF,
      projectionBytesMax: 32 * 1024,
      deadlineAt: AS_OF,
    };
    const search = (query: string, limit: number) => index.search(query, limit);
    const entry = await lookUp(request, { search, redactor, signal: never });
    return { entry, projection: entry.projection.inline ?? '', plantedAt: ['/documents/0/text'] };
  } catch (error) {
    if (error instanceof CorpusInvalid) return undefined;
    throw error;
  }
};

/** The string at a pointer of a projection: what a model is shown there. */
export const shownAt = (projection: string, pointer: string): string => {
  const value = pointer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (node, key) => (node as Record<string, unknown> | undefined)?.[key],
      JSON.parse(projection),
    );
  return typeof value === 'string' ? value : '';
};
