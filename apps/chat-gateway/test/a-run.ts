import { sha256 } from '@inquest/contracts/canonical-json';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import { agentResult } from '@inquest/contracts/agent-facts';
import { type RunId, stepOf, type ToolCallId } from '@inquest/contracts/ids';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import {
  runDecision,
  type RunDecision,
  type RunEvent,
  type RunEventOf,
} from '@inquest/contracts/run-decision';
import { toolResult } from '@inquest/contracts/tool-facts';
import { canonicalJson } from '@inquest/contracts/canonical-json';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, NewMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';

export const AT = '2024-05-01T10:00:00.000Z';
export const CALL_ID = 'call_1' as ToolCallId;
export const UNCITED_ID = 'call_2' as ToolCallId;
export const AUTHOR = 'rules-diagnosis';

const STEPS = {
  model: stepOf(1, 'model', 0, 1),
  tool: stepOf(1, 'tool', 0, 1),
  uncited: stepOf(1, 'tool', 1, 1),
  evidence: stepOf(2, 'evidence', 0, 1),
};

export const requested = (runId: RunId, change: Partial<RunRequested> = {}): RunRequested => ({
  runId,
  tenant: 'acme',
  principal: 'acme/ada',
  sessionId: null,
  question: 'Why is checkout slow?',
  source: 'shop-pool',
  window: null,
  zone: 'UTC',
  locale: 'en',
  bodyHash: sha256('body'),
  detached: false,
  disconnectGraceMs: 0,
  limits: null,
  knownPositions: [0, 0, 0, 0],
  entry: null,
  requestedAt: AT,
  ...change,
});

export const started = (runId: RunId): RunEventOf<'RunStarted'> => ({
  type: 'RunStarted',
  runId,
  tenant: 'acme',
  principal: 'acme/ada',
  sessionId: null,
  question: 'Why is checkout slow?',
  source: 'shop-pool',
  window: null,
  zone: 'UTC',
  locale: 'en',
  asOf: AT,
  deadlineAt: '2024-05-01T10:15:00.000Z',
  limits: {
    modelCallsMax: 24,
    toolCallsMax: 48,
    parallelToolsMax: 8,
    callsPerResponseMax: 8,
    tokensMax: 1000,
    wallClockMs: 900_000,
    projectionBytesMax: 32_768,
    draftBytesMax: 65_536,
    repairsMax: 1,
    routerAttemptsMax: 2,
    semanticAttemptsMax: 2,
    agentAttemptsMax: 1,
    agentLossesMax: 2,
    unusableIdTurnsMax: 3,
    routerTimeoutMs: 1000,
    modelTimeoutMs: 1000,
    toolTimeoutMs: 1000,
    evidenceTimeoutMs: 1000,
    semanticTimeoutMs: 1000,
    cancelSettleMs: 10_000,
  },
  idMode: 'strict',
  ruleSet: 'evidence-2',
  previousTurn: { kind: 'NONE' },
  detached: false,
  requestSeq: 1,
});

export const accepted = (toolCallId: ToolCallId, step = STEPS.tool): RunEventOf<'ToolActionAccepted'> => ({
  type: 'ToolActionAccepted',
  turn: 1,
  index: 0,
  toolCallId,
  providerId: null,
  tool: 'search_logs',
  service: 'tool',
  step,
  argumentsText: '{"contains":"secret words of the model"}',
});

export const completedCall = (
  toolCallId: ToolCallId,
  step = STEPS.tool,
): RunEventOf<'ToolInvocationCompleted'> => ({
  type: 'ToolInvocationCompleted',
  toolCallId,
  step,
  status: 'READY',
  evidenceStatus: 'EVIDENCE_FOUND',
  errorClass: null,
  truncated: false,
});

const ending = { coverage: [], modelCalls: 3, toolCalls: 2, tokens: 120 };

export const cancelledRun: RunEvent = {
  type: 'RunCancelled',
  cause: 'PERSON',
  sealedSeq: null,
  intent: null,
  ...ending,
};
export const failedRun: RunEvent = {
  type: 'RunFailed',
  reason: 'MODEL_UNAVAILABLE',
  intent: 'DIAGNOSIS',
  ...ending,
};
export const fellBack: RunEvent = {
  type: 'RunFellBack',
  fallback: 'SEMANTIC_UNSUPPORTED',
  intent: 'DIAGNOSIS',
  verifiedSources: [{ toolCallId: CALL_ID, tool: 'search_logs', window: null }],
  ...ending,
};
export const outOfScope: RunEvent = {
  type: 'RunReleased',
  form: 'OUT_OF_SCOPE_REPLY',
  intent: 'OUT_OF_SCOPE',
  snapshotHash: null,
  reportHash: null,
  evidenceStep: null,
  ...ending,
};

export const REPORT: DiagnosisDraft = {
  conclusion: { status: 'PROBABLE_CAUSE', text: 'The pool is exhausted.', analysisIds: ['a1'] },
  analyses: [
    { id: 'a1', kind: 'OBSERVATION', text: 'Checkout waits for connections.', toolCallIds: [CALL_ID] },
  ],
  actionPlan: [],
  recommendations: [],
  limitations: [],
};
export const REPORT_TEXT = canonicalJson(REPORT);
export const REPORT_HASH = sha256(REPORT_TEXT);

const PROJECTION = canonicalJson({
  tool: 'search_logs',
  matched: 1,
  returned: 1,
  truncated: false,
  rows: ['pool timeout'],
});

export const ledgerEntry = (toolCallId: ToolCallId): LedgerEntry => ({
  toolCallId,
  providerId: null,
  tool: 'search_logs',
  toolset: 'incident',
  arguments: {},
  source: 'shop-pool',
  status: 'READY',
  evidenceStatus: 'EVIDENCE_FOUND',
  errorClass: null,
  scope: { service: 'checkout' },
  window: null,
  dataSpan: null,
  projection: { sha256: sha256(PROJECTION), bytes: Buffer.byteLength(PROJECTION), inline: PROJECTION },
  matched: 1,
  returned: 1,
  truncated: false,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: null,
  redactedCount: 0,
  untrustedPaths: ['/rows/*'],
  contentHash: sha256('content'),
  asOf: AT,
  ms: 1,
});

export const snapshotText = (runId: RunId, report: DiagnosisDraft = REPORT): string =>
  canonicalJson({
    schema: 'inquest.snapshot.v1',
    runId,
    intent: 'DIAGNOSIS',
    revision: 1,
    question: 'Why is checkout slow?',
    report: canonicalJson(report),
    reportHash: sha256(canonicalJson(report)),
    items: [],
    evidence: [],
    ruleSet: 'evidence-2',
  });

export const releasedRun = (runId: RunId, report: DiagnosisDraft = REPORT): RunEventOf<'RunReleased'> => ({
  type: 'RunReleased',
  form: 'REPORT',
  intent: 'DIAGNOSIS',
  snapshotHash: sha256(snapshotText(runId, report)),
  reportHash: sha256(canonicalJson(report)),
  evidenceStep: STEPS.evidence,
  ...ending,
});

export const sealedRun = (runId: RunId, report: DiagnosisDraft = REPORT): RunEvent => ({
  type: 'OutcomeSealed',
  outcome: {
    kind: 'SUCCESS',
    form: 'REPORT',
    snapshotHash: sha256(snapshotText(runId, report)),
    evidenceStep: STEPS.evidence,
  },
});

const message = (
  subject: string,
  type: string,
  source: string,
  data: unknown,
  chainIndex?: number,
): NewMessage => messageOf({ subject, type, source, time: AT, chainIndex }, data);

/** Writes a run's chain as the orchestrator would. */
export class ChainWriter {
  private n = 0;
  private lastSeq = 0;

  constructor(
    private readonly log: EventLog,
    readonly runId: RunId,
  ) {}

  /** Appends one decision; returns its position. */
  decide(...events: RunEvent[]): Promise<number> {
    return this.decideOn([], ...events);
  }

  /** The same, on facts that stand in the log: subjects below the run's own. */
  async decideOn(facts: readonly string[], ...events: RunEvent[]): Promise<number> {
    const subject = runSubjects(this.runId, this.log.partitions).chain;
    const took = await Promise.all(facts.map((fact) => this.place(subject.replace(/run$/, fact), fact)));
    const data: RunDecision = { n: this.n, prevSeq: this.lastSeq, took, at: AT, events };
    const result = await this.log.append(
      subject,
      message(subject, runDecision.type, 'harness-orchestrator', runDecision.schema.parse(data), this.n),
      this.lastSeq,
    );
    if (result.kind !== 'APPENDED') throw new Error('another writer was faster');
    this.n += 1;
    this.lastSeq = result.seq;
    return result.seq;
  }

  private async place(subject: string, fact: string): Promise<{ fact: string; seq: number }> {
    const found = await this.log.readLast(subject, 'leader');
    if (!found) throw new Error(`${subject} is not in the log`);
    return { fact, seq: found.seq };
  }
}

export type Writers = { orchestrator: EventLog; agentRunner: EventLog; evidenceGuard: EventLog };

/** A whole diagnosis that was released, with the facts of every service that its reader opens. */
export const writeReleasedRun = async (
  writers: Writers,
  runId: RunId,
  text?: string,
  report: DiagnosisDraft = REPORT,
): Promise<ChainWriter> => {
  const snapshot = text ?? snapshotText(runId, report);
  const reportText = canonicalJson(report);
  const reportHash = sha256(reportText);
  const { orchestrator, agentRunner, evidenceGuard } = writers;
  const subjects = runSubjects(runId, orchestrator.partitions);
  const chain = new ChainWriter(orchestrator, runId);
  await chain.decide(started(runId), {
    type: 'IntentDecided',
    intent: 'DIAGNOSIS',
    step: stepOf(0, 'router', 0, 1),
  });
  await chain.decide(accepted(CALL_ID), accepted(UNCITED_ID, STEPS.uncited));
  for (const [id, step] of [
    [CALL_ID, STEPS.tool],
    [UNCITED_ID, STEPS.uncited],
  ] as const) {
    const subject = subjects.res('tool', step);
    await agentRunner.putIfAbsent(
      subject,
      message(subject, toolResult.type, 'agent-runner', ledgerEntry(id)),
    );
  }
  await chain.decideOn(
    [`res.tool.${STEPS.tool}`, `res.tool.${STEPS.uncited}`],
    completedCall(CALL_ID),
    completedCall(UNCITED_ID, STEPS.uncited),
  );
  const draft = subjects.res('agent', STEPS.model);
  const record = {
    model: AUTHOR,
    startedAt: AT,
    ms: 1,
    requestHash: null,
    rawHash: null,
    usage: null,
    finishReason: 'stop',
  };
  const payload = { sha256: reportHash, bytes: Buffer.byteLength(reportText), inline: reportText };
  await agentRunner.putIfAbsent(
    draft,
    message(draft, agentResult.type, 'agent-runner', { kind: 'DRAFT', draft: payload, record }),
  );
  await chain.decideOn([`res.agent.${STEPS.model}`], {
    type: 'DraftReceived',
    revision: 1,
    step: STEPS.model,
    sha256: reportHash,
    bytes: payload.bytes,
  });
  const verdict = subjects.res('evidence', STEPS.evidence);
  await evidenceGuard.putIfAbsent(
    verdict,
    message(verdict, evidenceResult.type, 'evidence-guard', {
      kind: 'ACCEPTED',
      revision: 1,
      snapshot: { sha256: sha256(snapshot), bytes: Buffer.byteLength(snapshot), inline: snapshot },
      snapshotHash: sha256(snapshot),
      reportHash,
      items: 1,
      verifiedSources: [],
      attention: [],
      ruleSet: 'evidence-2',
      ms: 1,
    }),
  );
  await chain.decideOn(
    [`res.evidence.${STEPS.evidence}`],
    {
      type: 'EvidenceAccepted',
      revision: 1,
      step: STEPS.evidence,
      snapshotHash: sha256(snapshot),
      reportHash,
      items: 1,
      verifiedSources: [],
    },
    sealedRun(runId, report),
  );
  await chain.decide(releasedRun(runId, report));
  return chain;
};
