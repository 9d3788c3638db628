import type { RunId } from '@inquest/contracts/ids';
import type { RunDecision, RunEvent } from '@inquest/contracts/run-decision';
import type { RunFrame } from '@inquest/contracts/run-frame';
import type { RunView } from '@inquest/contracts/run-view';

type FrameBody = RunFrame extends infer Frame
  ? Frame extends RunFrame
    ? Omit<Frame, 'runId' | 'at'>
    : never
  : never;

const IDS_LISTED_MAX = 64;

/** The name of a call is the model's own word: what does not look like a tool's name could be prose, and is not shown. */
export const toolName = (name: string): string =>
  /^[a-z][a-z0-9_]{0,63}$/.test(name) ? name : 'unrecognised';

/**
 * What may be shown of one event while the run lives: enums, ids, counts, times. Every member is copied by name, so
 * that a field that is added to an event stays unseen until somebody decides otherwise here.
 */
const bodyOf = (event: RunEvent): FrameBody | undefined => {
  switch (event.type) {
    case 'RunStarted': {
      const { deadlineAt, limits } = event;
      return {
        type: 'run.started',
        deadlineAt,
        modelCallsMax: limits.modelCallsMax,
        toolCallsMax: limits.toolCallsMax,
      };
    }
    case 'StepRequested': {
      const { service, step, kind, attempt, mode, toolCallId } = event;
      return { type: 'step.requested', service, step, kind, attempt, mode, toolCallId };
    }
    case 'IntentDecided':
      return { type: 'intent.decided', intent: event.intent };
    case 'ToolActionAccepted':
      return {
        type: 'tool.accepted',
        toolCallId: event.toolCallId,
        tool: toolName(event.tool),
        step: event.step,
      };
    case 'ToolActionRejected':
      return { type: 'tool.rejected', reason: event.reason };
    case 'ToolInvocationCompleted': {
      const { toolCallId, step, status, evidenceStatus, errorClass, truncated } = event;
      return { type: 'tool.completed', toolCallId, step, status, evidenceStatus, errorClass, truncated };
    }
    case 'AttemptFailed':
      return { type: 'attempt.failed', service: event.service, step: event.step, failure: event.failure };
    case 'StepTimedOut':
      return { type: 'step.timed-out', service: event.service, step: event.step };
    case 'DraftReceived':
      return { type: 'draft.received', revision: event.revision, bytes: event.bytes };
    case 'EvidenceAccepted': {
      const { revision, items, verifiedSources } = event;
      return { type: 'evidence.accepted', revision, items, verifiedSources: verifiedSources.length };
    }
    case 'EvidenceRejected': {
      const rules = [...new Set(event.violations.map(({ ruleId }) => ruleId))].slice(0, IDS_LISTED_MAX);
      return { type: 'evidence.rejected', revision: event.revision, rules };
    }
    case 'SemanticAttemptRecorded':
      return {
        type: 'semantic.judged',
        attempt: event.attempt,
        outcome: event.outcome,
        failure: event.failure,
      };
    case 'OwnerAttached':
      return { type: 'owner.attached', n: event.n };
    case 'OwnerDisconnected':
      return { type: 'owner.disconnected', n: event.n };
    default:
      return endingBodyOf(event);
  }
};

type LateEvent = Extract<
  RunEvent,
  {
    type:
      | 'ModelTurnRecorded'
      | 'RetryScheduled'
      | 'CancellationRequested'
      | 'WorkInterrupted'
      | 'LateResultDiscarded'
      | 'OutcomeSealed'
      | 'RunReleased'
      | 'RunFellBack'
      | 'RunFailed'
      | 'RunCancelled';
  }
>;

const endingBodyOf = (event: LateEvent): FrameBody | undefined => {
  switch (event.type) {
    case 'CancellationRequested':
      return { type: 'cancel.requested', cause: event.cause, outstanding: event.outstanding };
    case 'WorkInterrupted':
      return { type: 'cancel.interrupted', service: event.service, step: event.step, how: event.how };
    case 'LateResultDiscarded':
      return { type: 'cancel.discarded', service: event.service, step: event.step };
    case 'OutcomeSealed':
      return { type: 'outcome.sealed' };
    case 'RunReleased': {
      const { intent, modelCalls, toolCalls } = event;
      return { type: 'run.released', intent, modelCalls, toolCalls };
    }
    case 'RunFellBack': {
      const { fallback, modelCalls, toolCalls } = event;
      return { type: 'run.fell-back', fallback, modelCalls, toolCalls };
    }
    case 'RunFailed': {
      const { reason, modelCalls, toolCalls } = event;
      return { type: 'run.failed', reason, modelCalls, toolCalls };
    }
    case 'RunCancelled': {
      const { cause, modelCalls, toolCalls } = event;
      return { type: 'run.cancelled', cause, modelCalls, toolCalls };
    }
    case 'ModelTurnRecorded':
    case 'RetryScheduled':
      return undefined;
  }
};

/** The frames of one chain entry, in the order of its events. */
export const framesOfDecision = (runId: RunId, decision: RunDecision): RunFrame[] =>
  decision.events.flatMap((event) => {
    const body = bodyOf(event);
    return body ? [{ ...body, runId, at: decision.at }] : [];
  });

/** The one frame that is left to say of a run whose chain has expired; `undefined` for a run that has not ended. */
export const endingFrameOf = (view: RunView): RunFrame | undefined => {
  const { runId, intent, outcome, fallback, failure, cancellation, modelCalls, toolCalls, timings } = view;
  const common = { runId, at: timings.endedAt ?? timings.requestedAt, modelCalls, toolCalls };
  if (outcome === 'SUCCESS' && intent) return { type: 'run.released', intent, ...common };
  if (outcome === 'FALLBACK' && fallback)
    return { type: 'run.fell-back', fallback: fallback.type, ...common };
  if (outcome === 'FAILED' && failure) return { type: 'run.failed', reason: failure.reason, ...common };
  if (outcome === 'CANCELLED' && cancellation)
    return { type: 'run.cancelled', cause: cancellation.cause, ...common };
  return undefined;
};
