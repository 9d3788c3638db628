import { stepOf, type Step } from '@inquest/contracts/ids';
import type { AttemptFailure } from '@inquest/contracts/model-call';
import type { RejectedActionReason, RunEvent } from '@inquest/contracts/run-decision';
import type { AgentResult, ProposedCall, RouterResult } from '@inquest/contracts/agent-facts';
import { seal, sealFailed, sealFallback } from './endings';
import { costOf, type Failed } from './failed-attempt';
import type { OpenStep, Run } from './run.state';
import {
  deadlineMs,
  instant,
  proceed,
  requestEvidence,
  requestModel,
  requestNextTurn,
  requestRouter,
  requestWaitingTools,
  toolCallsLeft,
} from './steps';
import { KNOWLEDGE_TOOL, serviceOfTool } from './tool-services';

const attemptFailed = (open: OpenStep, failed: Failed): RunEvent => ({
  type: 'AttemptFailed',
  service: open.service,
  step: open.step,
  failure: failed.failure,
  ...costOf(failed),
});

/** Another attempt now, or later when the endpoint asked for a pause; nothing when the pause outlasts the run. */
export const retry = (run: Run, open: OpenStep, retryAfterMs: number | null, nowMs: number): RunEvent[] => {
  const next = requestAgain(run, open, nowMs);
  if (retryAfterMs === null || retryAfterMs === 0) return [next];
  const dueAtMs = nowMs + retryAfterMs;
  return dueAtMs >= deadlineMs(run)
    ? []
    : [{ type: 'RetryScheduled', service: open.service, step: next.step, dueAt: instant(dueAtMs) }];
};

const requestAgain = (run: Run, open: OpenStep, nowMs: number) =>
  open.kind === 'router'
    ? requestRouter(run, open.attempt + 1, nowMs)
    : requestModel(run, run.turn, open.attempt + 1, open.mode ?? 'INVESTIGATE', nowMs);

export const onRouterFailure = (run: Run, open: OpenStep, failed: Failed, nowMs: number): RunEvent[] =>
  proceed(run, [attemptFailed(open, failed)], (now) => {
    const again =
      open.attempt < now.started.limits.routerAttemptsMax ? retry(now, open, failed.retryAfterMs, nowMs) : [];
    return again.length > 0 ? again : sealFailed('ROUTER_UNAVAILABLE');
  });

export const onRouterResult = (run: Run, open: OpenStep, result: RouterResult, nowMs: number): RunEvent[] => {
  if (result.kind === 'FAILED') return onRouterFailure(run, open, result, nowMs);
  return proceed(
    run,
    [
      { type: 'ModelTurnRecorded', service: 'router', step: open.step, usage: result.record.usage },
      { type: 'IntentDecided', intent: result.intent, step: open.step },
    ],
    (now) =>
      result.intent === 'OUT_OF_SCOPE'
        ? seal({ kind: 'SUCCESS', form: 'OUT_OF_SCOPE_REPLY', snapshotHash: null, evidenceStep: null })
        : orExhausted(requestNextTurn(now, nowMs)),
  );
};

export const orExhausted = (events: RunEvent[]): RunEvent[] =>
  events.length > 0 ? events : sealFailed('BUDGET_EXHAUSTED');

const WORTH_ANOTHER_ATTEMPT: ReadonlySet<AttemptFailure> = new Set([
  'TRANSPORT',
  'TIMEOUT',
  'RATE_LIMITED',
  'SERVER_ERROR',
]);
/** The model answered, but not with a draft: in the one repair that is the second bad draft. */
const ANSWERED_BADLY: ReadonlySet<AttemptFailure> = new Set([
  'REFUSED',
  'CONTENT_FILTER',
  'LENGTH',
  'EMPTY',
  'INVALID_RESPONSE',
]);

const endWithoutReply = (open: OpenStep, failure: AttemptFailure): RunEvent[] => {
  if (failure === 'OVER_CONTEXT') return sealFailed('BUDGET_EXHAUSTED');
  if (open.mode === 'REPAIR' && ANSWERED_BADLY.has(failure))
    return sealFallback('EVIDENCE_VALIDATION_FAILED');
  if (open.mode === 'CONCLUDE' && ANSWERED_BADLY.has(failure)) return sealFailed('BUDGET_EXHAUSTED');
  return sealFailed('MODEL_UNAVAILABLE');
};

export const onAgentFailure = (run: Run, open: OpenStep, failed: Failed, nowMs: number): RunEvent[] =>
  proceed(run, [attemptFailed(open, failed)], (now) => {
    const { limits } = now.started;
    const lost = failed.failure === 'ATTEMPT_LOST' && now.losses <= limits.agentLossesMax;
    const worthIt = WORTH_ANOTHER_ATTEMPT.has(failed.failure) && now.failures < limits.agentAttemptsMax;
    const again = lost || worthIt ? retry(now, open, failed.retryAfterMs, nowMs) : [];
    return again.length > 0 ? again : endWithoutReply(open, failed.failure);
  });

const MAY_CALL_TOOLS = new Set(['INVESTIGATE', 'KNOWLEDGE_LOOKUP']);

/** Why an action may not run, or null. Ids are judged first: they are the invocation's identity (H2). */
const refusal = (
  run: Run,
  open: OpenStep,
  call: ProposedCall,
  seen: ReadonlySet<string>,
  acceptedSoFar: number,
): RejectedActionReason | null => {
  if (call.toolCallId === null)
    return call.providerId === null || call.providerId === '' ? 'MISSING_ID' : 'MALFORMED_ID';
  if (seen.has(call.toolCallId)) return 'REPEATED_ID';
  if (run.usedIds.has(call.toolCallId)) return 'REUSED_ID';
  if (open.mode === 'KNOWLEDGE_LOOKUP' && (call.name !== KNOWLEDGE_TOOL || acceptedSoFar > 0))
    return 'NOT_ALLOWED_NOW';
  const room = Math.min(toolCallsLeft(run), run.started.limits.callsPerResponseMax);
  return acceptedSoFar >= room ? 'OVER_LIMIT' : null;
};

const actionEvents = (run: Run, open: OpenStep, calls: readonly ProposedCall[]): RunEvent[] => {
  const seen = new Set<string>();
  const events: RunEvent[] = [];
  let accepted = 0;
  for (const call of calls) {
    const reason = refusal(run, open, call, seen, accepted);
    if (call.toolCallId !== null) seen.add(call.toolCallId);
    if (reason !== null || call.toolCallId === null) {
      events.push({
        type: 'ToolActionRejected',
        turn: run.turn,
        index: call.index,
        reason: reason ?? 'MISSING_ID',
      });
      continue;
    }
    events.push({
      type: 'ToolActionAccepted',
      turn: run.turn,
      index: call.index,
      toolCallId: call.toolCallId,
      providerId: call.providerId,
      tool: call.name,
      service: serviceOfTool(call.name),
      step: stepOf(run.turn, 'tool', accepted, 1),
      argumentsText: call.argumentsText,
    });
    accepted += 1;
  }
  return events;
};

const onToolCalls = (run: Run, open: OpenStep, calls: readonly ProposedCall[], nowMs: number): RunEvent[] => {
  const actions = actionEvents(run, open, calls);
  const judged = proceed(run, actions, () => []);
  return proceed(run, judged, (now) => {
    if (now.unusableIdTurns.length >= now.started.limits.unusableIdTurnsMax)
      return sealFailed('TOOL_IDS_UNUSABLE');
    const work = requestWaitingTools(now, nowMs);
    return work.length > 0 ? work : orExhausted(requestNextTurn(now, nowMs));
  });
};

const onDraft = (
  run: Run,
  step: Step,
  draft: { sha256: string; bytes: number },
  nowMs: number,
): RunEvent[] => {
  const revision = run.drafts.length + 1;
  return proceed(
    run,
    [{ type: 'DraftReceived', revision, step, sha256: draft.sha256, bytes: draft.bytes }],
    (now) => [requestEvidence(now, revision, nowMs)],
  );
};

export const onAgentResult = (run: Run, open: OpenStep, result: AgentResult, nowMs: number): RunEvent[] => {
  if (result.kind === 'FAILED') return onAgentFailure(run, open, result, nowMs);
  if (result.kind === 'TOOL_CALLS' && !MAY_CALL_TOOLS.has(open.mode ?? '')) {
    // A model that calls tools in a turn without tools has not answered; nothing of it runs.
    return onAgentFailure(run, open, { failure: 'INVALID_RESPONSE', retryAfterMs: null }, nowMs);
  }
  const recorded: RunEvent = {
    type: 'ModelTurnRecorded',
    service: 'agent',
    step: open.step,
    usage: result.record.usage,
  };
  return proceed(run, [recorded], (now) =>
    result.kind === 'TOOL_CALLS'
      ? onToolCalls(now, open, result.calls, nowMs)
      : onDraft(now, open.step, result.draft, nowMs),
  );
};
