import type { TokenUsage } from '@inquest/contracts/model-call';
import type { StepKind } from '@inquest/contracts/ids';
import { isTerminal, type RunEvent, type RunEventOf } from '@inquest/contracts/run-decision';
import { assertNever } from '@inquest/decider/decider';
import type { Invocation, OpenStep, Phase, Run, RunState } from './run.state';

const ms = (instant: string): number => Date.parse(instant);

const begin = (started: RunEventOf<'RunStarted'>): Run => ({
  started,
  phase: 'ROUTING',
  intent: null,
  open: [],
  retries: [],
  turn: 0,
  history: [],
  invocations: [],
  usedIds: new Set(),
  agentCalls: 0,
  modelCalls: 0,
  tokens: 0,
  contextBytes: 0,
  unusableIdTurns: [],
  drafts: [],
  violations: [],
  accepted: null,
  judged: [],
  losses: 0,
  failures: 0,
  owner: { disconnected: 0, attached: 0, cancelsAtMs: null },
  cancellation: null,
  sealed: null,
  ended: null,
});

const PHASE_OF: Record<StepKind, Phase> = {
  router: 'ROUTING',
  model: 'INVESTIGATING',
  tool: 'INVESTIGATING',
  evidence: 'VALIDATING_EVIDENCE',
  repair: 'REPAIRING',
  semantic: 'REVIEWING_SEMANTICS',
};

const turnOfStep = (step: string): number => Number(/^t(\d+)-/.exec(step)?.[1] ?? 0);

const closed = (run: Run, step: string): Run => ({ ...run, open: run.open.filter((o) => o.step !== step) });

const requested = (run: Run, event: RunEventOf<'StepRequested'>): Run => {
  const open: OpenStep = {
    service: event.service,
    step: event.step,
    kind: event.kind,
    attempt: event.attempt,
    mode: event.mode,
    toolCallId: event.toolCallId,
    projectionBytesMax: event.projectionBytesMax,
    deadlineAtMs: ms(event.deadlineAt),
  };
  const isAgent = event.kind === 'model' || event.kind === 'repair';
  const first = event.attempt === 1;
  return {
    ...run,
    phase: PHASE_OF[event.kind],
    open: [...run.open, open],
    retries: run.retries.filter((r) => r.step !== event.step),
    turn: isAgent ? turnOfStep(event.step) : run.turn,
    agentCalls: run.agentCalls + (event.kind === 'model' && first ? 1 : 0),
    modelCalls: run.modelCalls + (isAgent || event.kind === 'router' || event.kind === 'semantic' ? 1 : 0),
    losses: isAgent && first ? 0 : run.losses,
    failures: isAgent && first ? 0 : run.failures,
    invocations:
      event.toolCallId === null
        ? run.invocations
        : run.invocations.map((i) => (i.toolCallId === event.toolCallId ? { ...i, requested: true } : i)),
  };
};

const accepted = (run: Run, event: RunEventOf<'ToolActionAccepted'>): Run => {
  const invocation: Invocation = {
    toolCallId: event.toolCallId,
    tool: event.tool,
    service: event.service,
    step: event.step,
    argumentsText: event.argumentsText,
    providerId: event.providerId,
    requested: false,
    status: 'PROJECTING',
    evidenceStatus: null,
    truncated: false,
    unknownTool: false,
    timedOut: false,
  };
  const call = { toolCallId: event.toolCallId, service: event.service, step: event.step, timedOut: false };
  return {
    ...run,
    usedIds: new Set([...run.usedIds, event.toolCallId]),
    invocations: [...run.invocations, invocation],
    contextBytes: run.contextBytes + Buffer.byteLength(event.argumentsText),
    history: run.history.map((t) => (t.turn === event.turn ? { ...t, calls: [...t.calls, call] } : t)),
  };
};

const rejected = (run: Run, event: RunEventOf<'ToolActionRejected'>): Run => {
  const byId = event.reason !== 'OVER_LIMIT' && event.reason !== 'NOT_ALLOWED_NOW';
  return {
    ...run,
    unusableIdTurns:
      byId && !run.unusableIdTurns.includes(event.turn)
        ? [...run.unusableIdTurns, event.turn]
        : run.unusableIdTurns,
    history: run.history.map((t) =>
      t.turn === event.turn
        ? { ...t, rejected: [...t.rejected, { index: event.index, reason: event.reason }] }
        : t,
    ),
  };
};

const tokensOf = (usage: TokenUsage | null | undefined): number =>
  usage ? usage.promptTokens + usage.completionTokens : 0;

const recorded = (run: Run, event: RunEventOf<'ModelTurnRecorded'>): Run => {
  const tokens = run.tokens + tokensOf(event.usage);
  const open = run.open.find((o) => o.step === event.step);
  const isTurn = open?.kind === 'model';
  return {
    ...closed(run, event.step),
    tokens,
    history: isTurn
      ? [...run.history, { turn: turnOfStep(event.step), replyStep: event.step, calls: [], rejected: [] }]
      : run.history,
  };
};

const completed = (run: Run, event: RunEventOf<'ToolInvocationCompleted'>): Run => {
  const timedOut = event.errorClass === 'STEP_TIMED_OUT';
  return {
    ...closed(run, event.step),
    contextBytes: run.contextBytes + (event.bytes ?? 0),
    invocations: run.invocations.map((i) =>
      i.toolCallId === event.toolCallId
        ? {
            ...i,
            status: event.status,
            evidenceStatus: event.evidenceStatus,
            truncated: event.truncated,
            unknownTool: event.errorClass === 'UNKNOWN_TOOL',
            timedOut,
          }
        : i,
    ),
    history: timedOut
      ? run.history.map((t) => ({
          ...t,
          calls: t.calls.map((c) => (c.toolCallId === event.toolCallId ? { ...c, timedOut } : c)),
        }))
      : run.history,
  };
};

const failed = (run: Run, event: RunEventOf<'AttemptFailed'>): Run => ({
  ...closed(run, event.step),
  tokens: run.tokens + tokensOf(event.usage),
  losses: run.losses + (event.failure === 'ATTEMPT_LOST' ? 1 : 0),
  failures: run.failures + (event.failure === 'ATTEMPT_LOST' ? 0 : 1),
});

const evolveRun = (run: Run, event: RunEvent): Run => {
  if (isTerminal(event)) return { ...run, ended: event };
  switch (event.type) {
    case 'RunStarted':
      return run;
    case 'StepRequested':
      return requested(run, event);
    case 'IntentDecided':
      return { ...run, intent: event.intent };
    case 'ToolActionAccepted':
      return accepted(run, event);
    case 'ToolActionRejected':
      return rejected(run, event);
    case 'ModelTurnRecorded':
      return recorded(run, event);
    case 'ToolInvocationCompleted':
      return completed(run, event);
    case 'AttemptFailed':
      return failed(run, event);
    case 'RetryScheduled':
      return {
        ...run,
        retries: [...run.retries, { service: event.service, step: event.step, dueAtMs: ms(event.dueAt) }],
      };
    case 'StepTimedOut':
    case 'LateResultDiscarded':
      return closed(run, event.step);
    case 'WorkInterrupted':
      // One that merely ran out of time stays open: its late answer is still to be recorded as discarded.
      return event.how === 'TIMED_OUT' ? run : closed(run, event.step);
    case 'DraftReceived':
      return {
        ...run,
        drafts: [...run.drafts, { revision: event.revision, step: event.step, sha256: event.sha256 }],
      };
    case 'EvidenceAccepted': {
      const { type: _type, ...draft } = event;
      return { ...closed(run, event.step), accepted: draft };
    }
    case 'EvidenceRejected':
      return { ...closed(run, event.step), violations: event.violations };
    case 'SemanticAttemptRecorded':
      return {
        ...closed(run, event.step),
        tokens: run.tokens + tokensOf(event.usage),
        judged: [...run.judged, { attempt: event.attempt, step: event.step, outcome: event.outcome }],
      };
    case 'OwnerAttached':
      return { ...run, owner: { ...run.owner, attached: event.n, cancelsAtMs: null } };
    case 'OwnerDisconnected':
      return { ...run, owner: { ...run.owner, disconnected: event.n, cancelsAtMs: ms(event.cancelsAt) } };
    case 'CancellationRequested':
      return { ...run, retries: [], cancellation: { cause: event.cause, settleByMs: ms(event.settleBy) } };
    case 'OutcomeSealed':
      return { ...run, retries: [], sealed: event.outcome };
    default:
      return assertNever(event);
  }
};

/** Folds one event of the chain. Unknown events do not compile; an event before the start is a broken chain. */
export const evolve = (state: RunState, event: RunEvent): RunState => {
  if (state.status === 'NOT_STARTED') {
    if (event.type !== 'RunStarted') throw new Error(`a run cannot begin with ${event.type}`);
    return { status: 'STARTED', run: begin(event) };
  }
  return { status: 'STARTED', run: evolveRun(state.run, event) };
};
