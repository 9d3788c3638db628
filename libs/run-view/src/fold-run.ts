import type { ToolCallId } from '@inquest/contracts/ids';
import { coveredTool, type CoverageEntry, type Locale } from '@inquest/contracts/outcome';
import type { RunDecision, RunEvent, RunEventOf } from '@inquest/contracts/run-decision';
import type { RunStatus, RunView } from '@inquest/contracts/run-view';
import {
  FAILURE_TEXT,
  KNOWLEDGE_NOT_FOUND_TEXT,
  OUT_OF_SCOPE_TEXT,
  safeFallback,
} from '@inquest/contracts/safe-texts';
import type { RunRequested } from '@inquest/contracts/inbound-facts';

/** An entry of a run's chain with its place in the log. */
export type ChainEntry = { seq: number; decision: RunDecision };

export type Release = RunEventOf<'RunReleased'>;

/**
 * A run as its chain tells it. `view` lacks the released bytes and their author, which stand in other facts:
 * `release` and `draftStep` say where.
 */
export type FoldedRun = {
  view: RunView;
  locale: Locale;
  release: Release | null;
  draftStep: string | null;
  /** Position of OutcomeSealed: a cancellation behind it comes too late. */
  sealedSeq: number | null;
  /** Position of the terminal fact. */
  terminalSeq: number | null;
  calls: ReadonlyMap<ToolCallId, AcceptedCall>;
};

export type AcceptedCall = RunEventOf<'ToolActionAccepted'> & {
  completed: RunEventOf<'ToolInvocationCompleted'> | null;
};

/** A run that was asked for and that no orchestrator has taken up yet. */
export const receivedRun = (request: RunRequested): FoldedRun => ({
  view: {
    runId: request.runId,
    tenant: request.tenant,
    sessionId: request.sessionId,
    question: request.question,
    source: request.source,
    status: 'RECEIVED',
    intent: null,
    outcome: null,
    reportHash: null,
    snapshotHash: null,
    previousRunId: null,
    coverage: [],
    cancellation: null,
    timings: { requestedAt: request.requestedAt, startedAt: null, endedAt: null, totalMs: null },
    modelCalls: 0,
    toolCalls: 0,
    tokens: 0,
    author: null,
  },
  locale: request.locale,
  release: null,
  draftStep: null,
  sealedSeq: null,
  terminalSeq: null,
  calls: new Map(),
});

const MODEL_STEPS: readonly string[] = ['router', 'agent', 'semantic'];

const statusOfStep = ({ service, kind, mode }: RunEventOf<'StepRequested'>, now: RunStatus): RunStatus => {
  if (now === 'CANCELLING' || now === 'SEALED') return now;
  if (mode === 'REPAIR' || kind === 'repair') return 'REPAIRING';
  switch (service) {
    case 'router':
      return 'ROUTING';
    case 'evidence':
      return 'VALIDATING_EVIDENCE';
    case 'semantic':
    case 'evaluator':
      return 'REVIEWING_SEMANTICS';
    case 'agent':
    case 'tool':
    case 'rag':
    case 'investigator':
      return 'INVESTIGATING';
  }
};

type Place = { seq: number; at: string };
type Ending = Extract<RunEvent, { coverage: CoverageEntry[] }>;

const withView = (run: FoldedRun, change: Partial<RunView>): FoldedRun => ({
  ...run,
  view: { ...run.view, ...change },
});

const ended = (
  run: FoldedRun,
  { coverage, modelCalls, toolCalls, tokens, intent }: Ending,
  { seq, at }: Place,
): FoldedRun => ({
  ...run,
  terminalSeq: seq,
  view: {
    ...run.view,
    coverage,
    modelCalls,
    toolCalls,
    tokens,
    intent: intent ?? run.view.intent,
    timings: {
      ...run.view.timings,
      endedAt: at,
      totalMs: Math.max(0, Date.parse(at) - Date.parse(run.view.timings.requestedAt)),
    },
  },
});

const accepted = (run: FoldedRun, event: RunEventOf<'ToolActionAccepted'>): FoldedRun => {
  const { toolCallId, tool } = event;
  const entry: CoverageEntry = {
    toolCallId,
    tool: tool.slice(0, 128),
    status: 'PROJECTING',
    evidenceStatus: null,
    truncated: false,
  };
  return {
    ...withView(run, { coverage: [...run.view.coverage, entry] }),
    calls: new Map(run.calls).set(toolCallId, { ...event, completed: null }),
  };
};

const completed = (run: FoldedRun, event: RunEventOf<'ToolInvocationCompleted'>): FoldedRun => {
  const { toolCallId, status, evidenceStatus, truncated, errorClass } = event;
  const call = run.calls.get(toolCallId);
  const coverage = run.view.coverage.map((entry) =>
    entry.toolCallId === toolCallId
      ? {
          ...entry,
          tool: coveredTool(entry.tool, errorClass === 'UNKNOWN_TOOL'),
          status,
          evidenceStatus,
          truncated,
        }
      : entry,
  );
  return {
    ...withView(run, { coverage, toolCalls: run.view.toolCalls + 1 }),
    calls: call ? new Map(run.calls).set(toolCallId, { ...call, completed: event }) : run.calls,
  };
};

const released = (run: FoldedRun, event: Release, place: Place): FoldedRun => {
  const view = ended(run, event, place).view;
  const { form, snapshotHash, reportHash } = event;
  return {
    ...run,
    release: event,
    terminalSeq: place.seq,
    view: {
      ...view,
      status: 'RELEASED',
      outcome: 'SUCCESS',
      snapshotHash,
      reportHash,
      ...(form === 'OUT_OF_SCOPE_REPLY' && {
        reply: { schema: 'inquest.reply.v1', text: OUT_OF_SCOPE_TEXT[run.locale] },
      }),
      ...(form === 'ANSWER' &&
        reportHash === null && { answer: { items: [], notFound: KNOWLEDGE_NOT_FOUND_TEXT[run.locale] } }),
    },
  };
};

const cancelled = (run: FoldedRun, event: RunEventOf<'RunCancelled'>, place: Place): FoldedRun =>
  withView(ended(run, event, place), {
    status: 'CANCELLED',
    outcome: 'CANCELLED',
    cancellation: run.view.cancellation ?? {
      cause: event.cause,
      requestedAt: place.at,
      interrupted: [],
      discarded: [],
    },
  });

/** How far a cancellation got; a step that was lost outside of one is none of its layers. */
const layered = (run: FoldedRun, event: RunEventOf<'WorkInterrupted' | 'LateResultDiscarded'>): FoldedRun => {
  const { cancellation } = run.view;
  if (!cancellation) return run;
  const { interrupted, discarded } = cancellation;
  return withView(run, {
    cancellation:
      event.type === 'WorkInterrupted'
        ? { ...cancellation, interrupted: [...interrupted, { step: event.step, how: event.how }] }
        : { ...cancellation, discarded: [...discarded, { step: event.step, hash: event.hash }] },
  });
};

const evolve = (run: FoldedRun, event: RunEvent, place: Place): FoldedRun => {
  switch (event.type) {
    case 'RunStarted': {
      const previousRunId = event.previousTurn.kind === 'RUN' ? event.previousTurn.runId : null;
      const timings = { ...run.view.timings, startedAt: place.at };
      return withView(run, { status: 'ROUTING', previousRunId, timings });
    }
    case 'StepRequested': {
      const modelCalls = run.view.modelCalls + (MODEL_STEPS.includes(event.service) ? 1 : 0);
      return withView(run, { status: statusOfStep(event, run.view.status), modelCalls });
    }
    case 'IntentDecided':
      return withView(run, { intent: event.intent });
    case 'ToolActionAccepted':
      return accepted(run, event);
    case 'ToolInvocationCompleted':
      return completed(run, event);
    case 'ModelTurnRecorded':
    case 'AttemptFailed':
    case 'SemanticAttemptRecorded': {
      const spent = (event.usage?.promptTokens ?? 0) + (event.usage?.completionTokens ?? 0);
      return withView(run, { tokens: run.view.tokens + spent });
    }
    case 'DraftReceived':
      return { ...run, draftStep: event.step };
    case 'CancellationRequested':
      return withView(run, {
        status: 'CANCELLING',
        cancellation: { cause: event.cause, requestedAt: place.at, interrupted: [], discarded: [] },
      });
    case 'WorkInterrupted':
    case 'LateResultDiscarded':
      return layered(run, event);
    case 'OutcomeSealed':
      return { ...withView(run, { status: 'SEALED' }), sealedSeq: place.seq };
    case 'RunReleased':
      return released(run, event, place);
    case 'RunFellBack': {
      const { fallback: type, verifiedSources } = event;
      const fallback = safeFallback({ type, runId: run.view.runId, locale: run.locale, verifiedSources });
      return withView(ended(run, event, place), { status: 'FELL_BACK', outcome: 'FALLBACK', fallback });
    }
    case 'RunFailed': {
      const failure = { reason: event.reason, text: FAILURE_TEXT[event.reason] };
      return withView(ended(run, event, place), { status: 'FAILED', outcome: 'FAILED', failure });
    }
    case 'RunCancelled':
      return cancelled(run, event, place);
    case 'ToolActionRejected':
    case 'RetryScheduled':
    case 'StepTimedOut':
    case 'EvidenceAccepted':
    case 'EvidenceRejected':
    case 'OwnerAttached':
    case 'OwnerDisconnected':
      return run;
  }
};

/** The run after one more entry of its chain. */
export const foldEntry = (run: FoldedRun, { seq, decision }: ChainEntry): FoldedRun =>
  decision.events.reduce((state, event) => evolve(state, event, { seq, at: decision.at }), run);

/** Folds a run from its request and its chain, in order. */
export const foldRun = (request: RunRequested, chain: readonly ChainEntry[]): FoldedRun =>
  chain.reduce(foldEntry, receivedRun(request));
