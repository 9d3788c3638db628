import type { Step, StepKind, ToolCallId, WorkService } from '@inquest/contracts/ids';
import type { EvidenceStatus } from '@inquest/contracts/ledger';
import type { CancelCause, Intent, SealedOutcome, VerifiedSource } from '@inquest/contracts/outcome';
import type { RunEventOf, TerminalEvent } from '@inquest/contracts/run-decision';
import type { AgentMode, TurnRef } from '@inquest/contracts/agent-facts';
import type { Violation } from '@inquest/contracts/violation';

/** Work that was asked for and has no result yet. Instants in ms since the epoch. */
export type OpenStep = {
  service: WorkService;
  step: Step;
  kind: StepKind;
  attempt: number;
  mode: AgentMode | null;
  toolCallId: ToolCallId | null;
  /** Of a tool step, where its chain tells. */
  projectionBytesMax?: number;
  deadlineAtMs: number;
};

/** One invocation as the harness knows it: identity and status, never content. */
export type Invocation = {
  toolCallId: ToolCallId;
  tool: string;
  service: WorkService;
  step: Step;
  argumentsText: string;
  providerId: string | null;
  /** Accepted but not asked for yet: it waits for a free parallel slot. */
  requested: boolean;
  status: 'PROJECTING' | 'READY' | 'ERROR';
  evidenceStatus: EvidenceStatus | null;
  truncated: boolean;
  /** No service knows a tool of this name. */
  unknownTool: boolean;
  /** The harness closed it by its deadline: there is no result fact to read. */
  timedOut: boolean;
};

export type Draft = { revision: number; step: Step; sha256: string };

export type AcceptedDraft = {
  revision: number;
  step: Step;
  snapshotHash: string;
  reportHash: string;
  items: number;
  verifiedSources: VerifiedSource[];
};

export type JudgeAttempt = { attempt: number; step: Step; outcome: 'SUPPORTED' | 'UNSUPPORTED' | 'FAILED' };

export type Phase = 'ROUTING' | 'INVESTIGATING' | 'VALIDATING_EVIDENCE' | 'REPAIRING' | 'REVIEWING_SEMANTICS';

/** A run between its start and its end: the fold of its chain. */
export type Run = {
  started: RunEventOf<'RunStarted'>;
  phase: Phase;
  intent: Intent | null;
  open: readonly OpenStep[];
  retries: readonly { service: WorkService; step: Step; dueAtMs: number }[];
  /** The agent's turn now under way, from 1. */
  turn: number;
  history: readonly TurnRef[];
  invocations: readonly Invocation[];
  usedIds: ReadonlySet<string>;
  agentCalls: number;
  modelCalls: number;
  tokens: number;
  /** What results, and the arguments of their calls, take of the agent's context. */
  contextBytes: number;
  unusableIdTurns: readonly number[];
  drafts: readonly Draft[];
  violations: readonly Violation[];
  accepted: AcceptedDraft | null;
  judged: readonly JudgeAttempt[];
  /** Attempts of agent calls that were lost to a dead worker, by step without its attempt. */
  losses: number;
  failures: number;
  owner: { disconnected: number; attached: number; cancelsAtMs: number | null };
  cancellation: { cause: CancelCause; settleByMs: number } | null;
  sealed: SealedOutcome | null;
  ended: TerminalEvent | null;
};

export type RunState = { status: 'NOT_STARTED' } | { status: 'STARTED'; run: Run };

export const draftOf = (run: Run, revision: number): Draft | undefined =>
  run.drafts.find((d) => d.revision === revision);
