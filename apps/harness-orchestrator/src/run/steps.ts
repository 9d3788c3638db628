import { stepOf, type StepKind, type ToolCallId, type WorkService } from '@inquest/contracts/ids';
import type { RunEvent, RunEventOf } from '@inquest/contracts/run-decision';
import type { AgentMode } from '@inquest/contracts/agent-facts';
import { isContextSpent, projectionShare } from './context-budget';
import { evolve } from './run.evolve';
import type { Run } from './run.state';

/** ISO 8601 UTC of an instant in ms; time comes in as data, this only spells it. */
export const instant = (atMs: number): string => new Date(atMs).toISOString();

export const deadlineMs = (run: Run): number => Date.parse(run.started.deadlineAt);

/** Folds decided events so that the next decision sees them. */
export const after = (run: Run, events: readonly RunEvent[]): Run => {
  let state = { status: 'STARTED' as const, run };
  for (const event of events) state = evolve(state, event) as typeof state;
  return state.run;
};

/** `events`, and then what follows from them. */
export const proceed = (run: Run, events: RunEvent[], next: (run: Run) => RunEvent[]): RunEvent[] => [
  ...events,
  ...next(after(run, events)),
];

const SERVICE_OF: Record<Exclude<StepKind, 'tool'>, WorkService> = {
  router: 'router',
  model: 'agent',
  repair: 'agent',
  evidence: 'evidence',
  semantic: 'semantic',
};

const timeoutMsOf = (run: Run, kind: StepKind): number => {
  const { limits } = run.started;
  switch (kind) {
    case 'router':
      return limits.routerTimeoutMs;
    case 'model':
    case 'repair':
      return limits.modelTimeoutMs;
    case 'tool':
      return limits.toolTimeoutMs;
    case 'evidence':
      return limits.evidenceTimeoutMs;
    case 'semantic':
      return limits.semanticTimeoutMs;
  }
};

export const stepDeadline = (run: Run, kind: StepKind, nowMs: number): string =>
  instant(Math.min(nowMs + timeoutMsOf(run, kind), deadlineMs(run)));

const request = (
  run: Run,
  kind: Exclude<StepKind, 'tool'>,
  turn: number,
  attempt: number,
  nowMs: number,
  extra: { mode?: AgentMode; revision?: number } = {},
): RunEventOf<'StepRequested'> => ({
  type: 'StepRequested',
  service: SERVICE_OF[kind],
  step: stepOf(turn, kind, 0, attempt),
  kind,
  attempt,
  mode: extra.mode ?? null,
  toolCallId: null,
  revision: extra.revision ?? null,
  deadlineAt: stepDeadline(run, kind, nowMs),
});

export const requestRouter = (run: Run, attempt: number, nowMs: number) =>
  request(run, 'router', 0, attempt, nowMs);

export const requestModel = (run: Run, turn: number, attempt: number, mode: AgentMode, nowMs: number) =>
  request(run, mode === 'REPAIR' ? 'repair' : 'model', turn, attempt, nowMs, { mode });

export const requestEvidence = (run: Run, revision: number, nowMs: number) =>
  request(run, 'evidence', run.turn, 1, nowMs, { revision });

export const requestSemantic = (run: Run, attempt: number, nowMs: number) =>
  request(run, 'semantic', run.turn, attempt, nowMs, { revision: run.accepted?.revision ?? 1 });

const requestTool = (
  run: Run,
  toolCallId: ToolCallId,
  projectionBytesMax: number,
  nowMs: number,
): RunEvent[] => {
  const invocation = run.invocations.find((i) => i.toolCallId === toolCallId);
  if (invocation === undefined) return [];
  return [
    {
      type: 'StepRequested',
      service: invocation.service,
      step: invocation.step,
      kind: 'tool',
      attempt: 1,
      mode: null,
      toolCallId,
      revision: null,
      projectionBytesMax,
      deadlineAt: stepDeadline(run, 'tool', nowMs),
    },
  ];
};

/** As many waiting tool calls as there are free parallel slots. */
export const requestWaitingTools = (run: Run, nowMs: number): RunEvent[] => {
  const free = run.started.limits.parallelToolsMax - run.open.filter((o) => o.kind === 'tool').length;
  const waiting = run.invocations.filter((i) => !i.requested);
  const share = projectionShare(run, waiting.length);
  return waiting.slice(0, Math.max(0, free)).flatMap((i) => requestTool(run, i.toolCallId, share, nowMs));
};

export const toolCallsLeft = (run: Run): number =>
  Math.max(0, run.started.limits.toolCallsMax - run.invocations.length);

/** Whether the agent has to write its draft now: its last turn, its last tool call, its tokens or its context are used up. */
const mustConclude = (run: Run): boolean =>
  run.agentCalls >= run.started.limits.modelCallsMax - 1 ||
  toolCallsLeft(run) === 0 ||
  run.tokens >= run.started.limits.tokensMax ||
  isContextSpent(run);

/** The next turn of the agent, or nothing when even its last one is spent. */
export const requestNextTurn = (run: Run, nowMs: number): RunEvent[] => {
  if (run.agentCalls >= run.started.limits.modelCallsMax) return [];
  const lookedUp = run.invocations.length > 0;
  const mode: AgentMode =
    run.intent === 'KNOWLEDGE_QUERY'
      ? lookedUp
        ? 'KNOWLEDGE_ANSWER'
        : 'KNOWLEDGE_LOOKUP'
      : mustConclude(run)
        ? 'CONCLUDE'
        : 'INVESTIGATE';
  return [requestModel(run, run.turn + 1, 1, mode, nowMs)];
};
