import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { ToolCallId } from '@inquest/contracts/ids';
import { LedgerEntry } from '@inquest/contracts/ledger';
import type { LedgerRecord } from '../src/guard-input';

export const WINDOW = { from: '2026-03-02T10:00:00Z', to: '2026-03-02T11:00:00Z' };

type Overrides = { [Key in keyof Omit<LedgerEntry, 'projection' | 'toolCallId'>]?: LedgerEntry[Key] };

/** A finished call whose projection is the canonical text of `document`. */
export const result = (toolCallId: string, document: unknown, overrides: Overrides = {}): LedgerRecord => {
  const projection = typeof document === 'string' ? document : canonicalJson(document);
  const entry = LedgerEntry.parse({
    toolCallId,
    providerId: null,
    tool: 'search_logs',
    toolset: 'incident',
    arguments: {},
    source: 'shop',
    status: 'READY',
    evidenceStatus: 'EVIDENCE_FOUND',
    errorClass: null,
    scope: {},
    window: null,
    dataSpan: null,
    projection: { sha256: sha256(projection), bytes: Buffer.byteLength(projection), inline: projection },
    matched: 1,
    returned: 1,
    truncated: false,
    limitHit: false,
    sampled: false,
    partial: false,
    permissionFiltered: false,
    selectorKnown: null,
    redactedCount: 0,
    untrustedPaths: [],
    contentHash: sha256(projection),
    asOf: '2026-03-02T11:05:00Z',
    ms: 3,
    ...overrides,
  });
  return { kind: 'RESULT', entry, projection };
};

export const projecting = (toolCallId: string, tool = 'search_logs'): LedgerRecord => ({
  kind: 'PROJECTING',
  toolCallId: toolCallId as ToolCallId,
  tool,
});

const POOL = 'connection pool exhausted: 25 of 25 connections in use, waited 5,000 ms';

export const LOGS = result(
  'call_logs',
  {
    tool: 'search_logs',
    matched: 42,
    returned: 2,
    truncated: false,
    rows: [
      { time: '2026-03-02T10:14:05Z', service: 'checkout', level: 'ERROR', message: POOL },
      { time: '2026-03-02T10:44:55Z', service: 'checkout', level: 'ERROR', message: `${POOL} “again”` },
    ],
  },
  {
    arguments: { service: 'checkout', level: 'ERROR' },
    scope: { service: 'checkout', namespace: 'shop', filter: 'level=ERROR' },
    window: WINDOW,
    dataSpan: { from: '2026-03-02T10:14:05Z', to: '2026-03-02T10:44:55Z' },
    matched: 42,
    returned: 2,
  },
);

export const PODS = result(
  'call_pods',
  {
    tool: 'list_objects',
    matched: 3,
    returned: 3,
    truncated: false,
    rows: [
      {
        kind: 'Pod',
        name: 'checkout-7d9f8b6c5-x2x4z',
        namespace: 'shop',
        ready: true,
        restarts: 0,
        errorRate: 0.1267,
      },
      {
        kind: 'Pod',
        name: 'checkout-gateway-5c6d7f8b9-bb2bb',
        namespace: 'shop',
        ready: true,
        restarts: 4,
        errorRate: 0,
      },
      {
        kind: 'Pod',
        name: 'postgres-0',
        namespace: 'shop',
        ready: true,
        restarts: 0,
        errorRate: 0,
        conditions: [],
      },
    ],
  },
  { tool: 'list_objects', scope: { namespace: 'shop' }, matched: 3, returned: 3 },
);

export const METRIC = result(
  'call_metric',
  {
    tool: 'query_metric',
    series: [
      {
        name: 'db_connections_in_use',
        labels: { service: 'checkout' },
        summary: { min: 3, max: 25, mean: 17.25, p95: 24.875 },
        points: [[1772445600, 3], [1772446200, 24.5], [1772447400, 25]],
      },
    ],
  },
  { tool: 'query_metric', scope: { service: 'checkout' }, window: WINDOW, dataSpan: WINDOW },
); // prettier-ignore

export const NOTHING = result(
  'call_nothing',
  { tool: 'search_logs', matched: 0, returned: 0, truncated: false, rows: [] },
  {
    evidenceStatus: 'NO_EVIDENCE',
    arguments: { service: 'payments', status: 503 },
    scope: { service: 'payments', filter: 'level=ERROR, status=503' },
    window: WINDOW,
    matched: 0,
    returned: 0,
  },
);

export const FAILED = result(
  'call_failed',
  { tool: 'query_metric', error: 'SOURCE_FAILED' },
  {
    tool: 'query_metric',
    evidenceStatus: 'ERROR',
    errorClass: 'SOURCE_FAILED',
    scope: { service: 'payments' },
    matched: null,
    returned: 0,
  },
);

export const LOOKUP = result(
  'call_lookup',
  {
    tool: 'knowledge_lookup',
    query: 'pool exhausted',
    matched: 2,
    returned: 2,
    truncated: false,
    documents: [
      {
        id: 'rb-pool#remedy',
        title: 'Pool exhaustion',
        version: 'a'.repeat(64),
        text: 'Look for sessions idle in transaction for more than five minutes and end them.',
      },
      {
        id: 'rb-pool#signs',
        title: 'Signs',
        version: 'b'.repeat(64),
        text: 'Waiting clients grow while 100 connections are busy.',
      },
    ],
  },
  {
    tool: 'knowledge_lookup',
    toolset: 'knowledge',
    documents: [
      { id: 'rb-pool#remedy', versionHash: 'a'.repeat(64) },
      { id: 'rb-pool#signs', versionHash: 'b'.repeat(64) },
      { id: 'rb-cut#long', versionHash: 'c'.repeat(64) },
    ],
  },
);
