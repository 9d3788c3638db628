import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { RunId, ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';

export const RUN = '01234567-89ab-8cde-8f01-23456789abcd' as RunId;
export const AT = '2026-03-02T11:05:00.000Z';
export const QUESTION = 'Why does checkout fail?';
export const LOGS_ID = 'call_logs' as ToolCallId;
const OBJECTS_ID = 'call_objects' as ToolCallId;
export const NOTHING_ID = 'call_nothing' as ToolCallId;

export const LIMITS = {
  modelCallsMax: 24,
  toolCallsMax: 48,
  parallelToolsMax: 8,
  callsPerResponseMax: 8,
  tokensMax: 100_000,
  wallClockMs: 900_000,
  projectionBytesMax: 32_768,
  draftBytesMax: 65_536,
  repairsMax: 1,
  routerAttemptsMax: 2,
  semanticAttemptsMax: 2,
  agentAttemptsMax: 1,
  agentLossesMax: 2,
  unusableIdTurnsMax: 3,
  routerTimeoutMs: 1_000,
  modelTimeoutMs: 1_000,
  toolTimeoutMs: 1_000,
  evidenceTimeoutMs: 1_000,
  semanticTimeoutMs: 1_000,
  cancelSettleMs: 10_000,
};

const entry = (toolCallId: ToolCallId, document: unknown, more: Partial<LedgerEntry> = {}): LedgerEntry => {
  const inline = canonicalJson(document);
  return {
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
    projection: { sha256: sha256(inline), bytes: Buffer.byteLength(inline), inline },
    matched: 2,
    returned: 2,
    truncated: false,
    limitHit: false,
    sampled: false,
    partial: false,
    permissionFiltered: false,
    selectorKnown: null,
    redactedCount: 0,
    untrustedPaths: [],
    contentHash: sha256(inline),
    asOf: AT,
    ms: 3,
    ...more,
  };
};

const MESSAGE = 'connection pool exhausted: 25 of 25 connections in use';
export const LEDGER: readonly LedgerEntry[] = [
  entry(
    LOGS_ID,
    {
      tool: 'search_logs',
      matched: 42,
      returned: 1,
      truncated: false,
      rows: [{ time: '2026-03-02T10:14:05Z', service: 'checkout', level: 'ERROR', message: MESSAGE }],
    },
    { scope: { service: 'checkout' }, matched: 42, returned: 1 },
  ),
  entry(
    OBJECTS_ID,
    {
      tool: 'list_objects',
      matched: 1,
      returned: 1,
      truncated: false,
      rows: [{ kind: 'Pod', name: 'payments-7' }],
    },
    { tool: 'list_objects', matched: 1, returned: 1 },
  ),
  entry(
    NOTHING_ID,
    { tool: 'search_logs', matched: 0, returned: 0, truncated: false, rows: [] },
    {
      scope: { service: 'payments', filter: 'level=ERROR' },
      evidenceStatus: 'NO_EVIDENCE',
      matched: 0,
      returned: 0,
      selectorKnown: true,
    },
  ),
];

/** Two sentences in its first analysis, each on evidence of its own. */
export const DRAFT: DiagnosisDraft = {
  conclusion: {
    status: 'PROBABLE_CAUSE',
    text: 'The connection pool of checkout was exhausted.',
    analysisIds: ['a1'],
  },
  analyses: [
    {
      id: 'a1',
      kind: 'CAUSE',
      text: 'All 25 connections of checkout were in use. Its log holds 42 such errors.',
      toolCallIds: [LOGS_ID],
      facts: [{ toolCallId: LOGS_ID, path: '/matched', value: 42, policy: 'exact' }],
      quotes: [{ toolCallId: LOGS_ID, path: '/rows/0/message', quote: '25 of 25 connections in use' }],
      entities: [{ type: 'service', name: 'checkout', toolCallId: LOGS_ID }],
    },
    {
      id: 'a2',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'No error of payments was logged.',
      toolCallIds: [NOTHING_ID],
      scope: { service: 'payments', filter: 'level=ERROR' },
    },
  ],
  actionPlan: [{ id: 'p1', text: 'End the sessions that hold the connections.', analysisIds: ['a1'] }],
  recommendations: [],
  limitations: [],
};

const badDraft: DiagnosisDraft = {
  ...DRAFT,
  analyses: DRAFT.analyses.map((analysis) =>
    analysis.id === 'a1' ? { ...analysis, facts: [{ ...analysis.facts![0]!, value: 43 }] } : analysis,
  ),
};
export const DRAFT_TEXT = canonicalJson(DRAFT);
export const BAD_TEXT = canonicalJson(badDraft);
