import type { Sha256, Step, ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { AttemptRecord, FailedAttempt } from '@inquest/contracts/model-call';
import type { RunEvent } from '@inquest/contracts/run-decision';
import type { RunLimits } from '@inquest/contracts/run-limits';
import type { AgentResult, ProposedCall } from '@inquest/contracts/agent-facts';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import type { SemanticResult } from '@inquest/contracts/semantic-facts';
import type { Violation } from '@inquest/contracts/violation';
import type { z } from 'zod';
import type { RunCommand, ServiceResult } from './run.commands';
import { runDecider } from './run.decider';
import { RUN_LIMITS } from './run.limits';
import type { Run, RunState } from './run.state';

/** Test vocabulary of the run decider: results as services write them, and a driver that feeds them in. */

type Hash = z.infer<typeof Sha256>;
export const HASH_A = 'a'.repeat(64) as Hash;
export const HASH_B = 'b'.repeat(64) as Hash;
export const T0 = Date.parse('2026-03-01T10:00:00.000Z');

export const request = (over: Partial<RunRequested> = {}): RunRequested => ({
  runId: '00000000-0000-8000-8000-000000000001' as RunRequested['runId'],
  tenant: 'demo',
  principal: 'demo/ada',
  sessionId: null,
  question: 'why is checkout failing since 10:05?',
  source: 'shop',
  window: null,
  zone: 'UTC',
  locale: 'en',
  bodyHash: HASH_A,
  detached: true,
  disconnectGraceMs: 0,
  limits: null,
  knownPositions: [],
  entry: null,
  requestedAt: new Date(T0).toISOString(),
  ...over,
});

export const record: AttemptRecord = {
  model: 'scripted',
  startedAt: new Date(T0).toISOString(),
  ms: 1,
  requestHash: HASH_A,
  rawHash: HASH_A,
  usage: { promptTokens: 10, completionTokens: 5 },
  finishReason: 'stop',
};

export const failed = (
  failure: FailedAttempt['failure'],
  retryAfterMs: number | null = null,
): FailedAttempt => ({
  kind: 'FAILED',
  failure,
  retryAfterMs,
  record: null,
});

export const routed = (intent: 'DIAGNOSIS' | 'KNOWLEDGE_QUERY' | 'OUT_OF_SCOPE') => ({
  kind: 'ROUTED' as const,
  intent,
  record,
});

export const call = (
  id: string | null,
  name = 'active_alerts',
  over: Partial<ProposedCall> = {},
): ProposedCall => ({
  index: 0,
  providerId: id,
  toolCallId: id as ToolCallId | null,
  name,
  argumentsText: '{}',
  ...over,
});

export const toolCalls = (...calls: ProposedCall[]): AgentResult => ({
  kind: 'TOOL_CALLS',
  calls: calls.map((c, index) => ({ ...c, index })),
  providerState: null,
  record,
});

export const drafted: AgentResult = {
  kind: 'DRAFT',
  draft: { sha256: HASH_A, bytes: 2, inline: '{}' },
  record,
};

export const found = (over: Partial<LedgerEntry> = {}): LedgerEntry => ({
  toolCallId: 'c1' as ToolCallId,
  providerId: null,
  tool: 'active_alerts',
  toolset: 'incident',
  arguments: {},
  source: 'shop',
  status: 'READY',
  evidenceStatus: 'EVIDENCE_FOUND',
  errorClass: null,
  scope: {},
  window: null,
  dataSpan: null,
  projection: { sha256: HASH_A, bytes: 2, inline: '{}' },
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
  contentHash: HASH_A,
  asOf: new Date(T0).toISOString(),
  ms: 1,
  ...over,
});

export const accepted = (revision = 1, items = 2): EvidenceResult => ({
  kind: 'ACCEPTED',
  revision,
  snapshot: { sha256: HASH_B, bytes: 2, inline: '{}' },
  snapshotHash: HASH_B,
  reportHash: HASH_A,
  items,
  verifiedSources: [{ toolCallId: 'c1' as ToolCallId, tool: 'active_alerts', window: null }],
  attention: [],
  ruleSet: 'evidence-2',
  ms: 1,
});

export const violation = (over: Partial<Violation> = {}): Violation => ({
  ruleId: '6 UNKNOWN_ID',
  analysisId: 'a1',
  path: '/analyses/0/toolCallIds/0',
  toolCallId: 'c9',
  message: 'no such call in this run',
  repairable: true,
  candidates: [],
  ...over,
});

export const rejectedDraft = (revision = 1, ...violations: Violation[]): EvidenceResult => ({
  kind: 'REJECTED',
  revision,
  violations: violations.length > 0 ? violations : [violation()],
  ruleSet: 'evidence-2',
  ms: 1,
});

export const judged = (
  verdict: 'SUPPORTED' | 'UNSUPPORTED',
  attempt = 1,
  snapshotHash = HASH_B,
): SemanticResult => ({
  kind: 'JUDGED',
  attempt,
  snapshotHash,
  verdict,
  verdicts: [
    { itemId: 'a1', verdict, reasonCode: 'ENTAILED', evidenceQuote: null, toolCallId: null, scopeHash: null },
  ],
  record,
});

/** A run under test: takes commands in, folds what is decided, remembers every event. */
export class RunUnderTest {
  readonly events: RunEvent[] = [];
  last: RunEvent[] = [];
  nowMs = T0;
  private state: RunState = runDecider.initialState();

  constructor(
    over: {
      request?: Partial<RunRequested>;
      limits?: Partial<RunLimits>;
      idMode?: 'strict' | 'mint';
      gate?: 'OPEN' | 'SHUT';
    } = {},
  ) {
    this.give({
      type: 'StartRun',
      request: request(over.request),
      requestSeq: 1,
      limits: { ...RUN_LIMITS, ...over.limits },
      idMode: over.idMode ?? 'strict',
      ruleSet: 'evidence-2',
      previousTurn: { kind: 'NONE' },
      gate: over.gate ?? 'OPEN',
      nowMs: this.nowMs,
    });
  }

  get run(): Run {
    if (this.state.status !== 'STARTED') throw new Error('the run has not started');
    return this.state.run;
  }

  /** Types of the events of the last command. */
  get decided(): string[] {
    return this.last.map((e) => e.type);
  }

  get types(): string[] {
    return this.events.map((e) => e.type);
  }

  give(command: RunCommand): this {
    this.last = runDecider.decide(command, this.state);
    this.state = this.last.reduce(runDecider.evolve, this.state);
    this.events.push(...this.last);
    return this;
  }

  answer(step: string, reply: ServiceResult): this {
    const command = { type: 'TakeResult' as const, step: step as Step, hash: HASH_A, nowMs: this.nowMs };
    return this.give({ ...command, ...reply });
  }

  /** Answers the one open step of that service. */
  reply(reply: ServiceResult): this {
    const open = this.run.open.find((o) => o.service === reply.service);
    if (open === undefined) throw new Error(`no open step for ${reply.service}`);
    return this.answer(open.step, reply);
  }

  route(intent: 'DIAGNOSIS' | 'KNOWLEDGE_QUERY' | 'OUT_OF_SCOPE' = 'DIAGNOSIS'): this {
    return this.reply({ service: 'router', result: routed(intent) });
  }

  agent(result: AgentResult): this {
    return this.reply({ service: 'agent', result });
  }

  tool(result: LedgerEntry = found()): this {
    return this.reply({ service: 'tool', result });
  }

  evidence(result: EvidenceResult): this {
    return this.reply({ service: 'evidence', result });
  }

  judge(result: SemanticResult): this {
    return this.reply({ service: 'semantic', result });
  }

  cancel(): this {
    return this.give({ type: 'TakeCancel', cause: 'PERSON', nowMs: this.nowMs });
  }

  passTo(nowMs: number): this {
    this.nowMs = nowMs;
    return this.give({ type: 'PassTime', nowMs });
  }

  finish(earlierCancel: 'PERSON' | 'DISCONNECT' | null = null): this {
    return this.give({ type: 'FinishSealed', sealedSeq: 99, earlierCancel, nowMs: this.nowMs });
  }

  /** Up to the review of a first, accepted draft over one tool call. */
  untilReview(): this {
    return this.route()
      .agent(toolCalls(call('c1')))
      .tool()
      .agent(drafted)
      .evidence(accepted());
  }
}
