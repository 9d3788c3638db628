import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { RunId, Step, ToolCallId, WorkService } from '@inquest/contracts/ids';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { RunEvent, RunEventOf } from '@inquest/contracts/run-decision';
import type { Snapshot } from '@inquest/contracts/semantic-facts';
import type { RunLimits } from '@inquest/contracts/run-limits';

/** Runs as the services record them, for the projection's tests. */
export type Made = {
  runId: RunId;
  question: string;
  events: RunEvent[];
  results: [WorkService, Step, unknown][];
  reportText: string;
  /** Offset of its chain on the clock. */
  atMs: number;
};

const AT = '2026-03-01T10:00:00.000Z';
const HASH = 'a'.repeat(64);
const step = (text: string) => text as Step;
const c1 = 'c1' as ToolCallId;

export const requestOf = ({ runId, question }: Made, over: Partial<RunRequested>): RunRequested => ({
  runId,
  tenant: 'demo',
  principal: 'demo/ada',
  sessionId: 's-1',
  question,
  source: 'shop',
  window: null,
  zone: 'UTC',
  locale: 'en',
  bodyHash: HASH,
  detached: true,
  disconnectGraceMs: 0,
  limits: null,
  knownPositions: [],
  entry: null,
  requestedAt: AT,
  ...over,
});

const LIMITS: RunLimits = {
  modelCallsMax: 16,
  toolCallsMax: 40,
  parallelToolsMax: 8,
  callsPerResponseMax: 16,
  tokensMax: 1_000,
  wallClockMs: 600_000,
  projectionBytesMax: 32_768,
  draftBytesMax: 131_072,
  repairsMax: 1,
  routerAttemptsMax: 2,
  semanticAttemptsMax: 2,
  agentAttemptsMax: 1,
  agentLossesMax: 2,
  unusableIdTurnsMax: 3,
  routerTimeoutMs: 1,
  modelTimeoutMs: 1,
  toolTimeoutMs: 1,
  evidenceTimeoutMs: 1,
  semanticTimeoutMs: 1,
  cancelSettleMs: 1,
};

export const startedOf = (runId: RunId): RunEvent => ({
  type: 'RunStarted',
  runId,
  tenant: 'demo',
  principal: 'demo/ada',
  sessionId: 's-1',
  question: 'why?',
  source: 'shop',
  window: null,
  zone: 'UTC',
  locale: 'en',
  asOf: AT,
  deadlineAt: AT,
  limits: LIMITS,
  idMode: 'strict',
  ruleSet: 'evidence-2',
  previousTurn: { kind: 'NONE' },
  detached: true,
  requestSeq: 1,
});

const entry: LedgerEntry = {
  toolCallId: c1,
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
  projection: {
    sha256: sha256('{"rows":["pool is exhausted"]}'),
    bytes: 30,
    inline: '{"rows":["pool is exhausted"]}',
  },
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
  contentHash: HASH,
  asOf: AT,
  ms: 1,
};

const record = {
  model: 'rules-diagnosis',
  startedAt: AT,
  ms: 1,
  requestHash: HASH,
  rawHash: HASH,
  usage: null,
  finishReason: 'stop',
};

const upToCall: RunEvent[] = [
  { type: 'IntentDecided', intent: 'DIAGNOSIS', step: step('t0-router0-a1') },
  {
    type: 'ToolActionAccepted',
    turn: 1,
    index: 0,
    toolCallId: c1,
    providerId: null,
    tool: 'search_logs',
    service: 'tool',
    step: step('t1-tool0-a1'),
    argumentsText: '{}',
  },
  {
    type: 'ToolInvocationCompleted',
    toolCallId: c1,
    step: step('t1-tool0-a1'),
    status: 'READY',
    evidenceStatus: 'EVIDENCE_FOUND',
    errorClass: null,
    truncated: false,
  },
];

const end = {
  coverage: [
    {
      toolCallId: c1,
      tool: 'search_logs',
      status: 'READY' as const,
      evidenceStatus: 'EVIDENCE_FOUND' as const,
      truncated: false,
    },
  ],
  modelCalls: 4,
  toolCalls: 1,
  tokens: 10,
};

const reportText = canonicalJson({
  conclusion: { status: 'PROBABLE_CAUSE', text: 'The pool is exhausted.', analysisIds: ['a1'] },
  analyses: [{ id: 'a1', kind: 'OBSERVATION', text: 'The pool is exhausted.', toolCallIds: ['c1'] }],
  actionPlan: [],
  recommendations: [],
  limitations: [],
});

let made = 0;

const snapshotOf = (runId: RunId): string => {
  const snapshot: Snapshot = {
    schema: 'inquest.snapshot.v1',
    runId,
    intent: 'DIAGNOSIS',
    revision: 1,
    question: 'why?',
    report: reportText,
    reportHash: sha256(reportText),
    items: [],
    evidence: [],
    ruleSet: 'evidence-2',
  };
  return canonicalJson(snapshot);
};

const acceptedOf = (snapshotText: string) => ({
  kind: 'ACCEPTED',
  revision: 1,
  snapshot: { sha256: sha256(snapshotText), bytes: Buffer.byteLength(snapshotText), inline: snapshotText },
  snapshotHash: sha256(snapshotText),
  reportHash: sha256(reportText),
  items: 2,
  verifiedSources: [],
  attention: [],
  ruleSet: 'evidence-2',
  ms: 1,
});

/** A diagnosis that was released. */
export const diagnosis = (runId: RunId): Made => {
  const snapshotText = snapshotOf(runId);
  const [snapshotHash, reportHash] = [sha256(snapshotText), sha256(reportText)];
  const evidenceStep = step('t2-evidence0-a1');
  const draft = { sha256: reportHash, bytes: Buffer.byteLength(reportText) };
  return {
    runId,
    question: 'why?',
    reportText,
    atMs: (made += 1) * 1_000,
    results: [
      ['tool', step('t1-tool0-a1'), entry],
      ['agent', step('t2-model0-a1'), { kind: 'DRAFT', draft: { ...draft, inline: reportText }, record }],
      ['evidence', evidenceStep, acceptedOf(snapshotText)],
    ],
    events: [
      startedOf(runId),
      ...upToCall,
      { type: 'DraftReceived', revision: 1, step: step('t2-model0-a1'), ...draft },
      { type: 'OutcomeSealed', outcome: { kind: 'SUCCESS', form: 'REPORT', snapshotHash, evidenceStep } },
      {
        type: 'RunReleased',
        form: 'REPORT',
        intent: 'DIAGNOSIS',
        snapshotHash,
        reportHash,
        evidenceStep,
        ...end,
      },
    ],
  };
};

const endings: { [Type in 'RunFellBack' | 'RunFailed' | 'RunCancelled']: RunEventOf<Type> } = {
  RunFellBack: {
    type: 'RunFellBack',
    fallback: 'SEMANTIC_UNSUPPORTED',
    intent: 'DIAGNOSIS',
    verifiedSources: [],
    ...end,
  },
  RunFailed: { type: 'RunFailed', reason: 'MODEL_UNAVAILABLE', intent: 'DIAGNOSIS', ...end },
  RunCancelled: { type: 'RunCancelled', cause: 'PERSON', sealedSeq: null, intent: 'DIAGNOSIS', ...end },
};

/** The same run with a draft, ended without a release. */
export const ending = (runId: RunId, type: keyof typeof endings): Made => {
  const base = diagnosis(runId);
  return { ...base, events: [...base.events.slice(0, 5), endings[type]] };
};
