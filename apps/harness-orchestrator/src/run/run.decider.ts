import { assertNever, type Decider } from '@inquest/decider/decider';
import type { RunEvent } from '@inquest/contracts/run-decision';
import type { TokenUsage } from '@inquest/contracts/model-call';
import { cancel, cancelled, finishSealed, sealFailed } from './endings';
import { onEvidenceResult, onSemanticResult } from './on-guard-result';
import { onAgentResult, onRouterResult } from './on-model-result';
import { onTime } from './on-time';
import { onToolResult } from './on-tool-result';
import type { RunCommand, RunCommandOf, ServiceResult } from './run.commands';
import { evolve } from './run.evolve';
import type { OpenStep, Run, RunState } from './run.state';
import { instant, proceed, requestRouter } from './steps';

const start = ({
  request,
  requestSeq,
  limits,
  idMode,
  ruleSet,
  previousTurn,
  gate,
  nowMs,
}: RunCommandOf<'StartRun'>): RunEvent[] => {
  const started: RunEvent = {
    type: 'RunStarted',
    runId: request.runId,
    tenant: request.tenant,
    principal: request.principal,
    sessionId: request.sessionId,
    question: request.question,
    source: request.source,
    window: request.window,
    zone: request.zone,
    locale: request.locale,
    asOf: instant(nowMs),
    deadlineAt: instant(nowMs + limits.wallClockMs),
    limits,
    idMode,
    ruleSet,
    previousTurn,
    detached: request.detached,
    requestSeq,
  };
  if (gate === 'SHUT') return [started, ...sealFailed('EVIDENCE_GUARD_UNAVAILABLE')];
  const state = evolve({ status: 'NOT_STARTED' }, started);
  return state.status === 'STARTED' ? [started, requestRouter(state.run, 1, nowMs)] : [started];
};

const dispatch = (run: Run, open: OpenStep, command: ServiceResult, nowMs: number): RunEvent[] => {
  switch (command.service) {
    case 'router':
      return onRouterResult(run, open, command.result, nowMs);
    case 'agent':
      return onAgentResult(run, open, command.result, nowMs);
    case 'tool':
    case 'rag':
      return onToolResult(run, open, command.result, nowMs);
    case 'evidence':
      return onEvidenceResult(run, open, command.result, nowMs);
    case 'semantic':
      return onSemanticResult(run, open.step, command.result, nowMs);
    default:
      return assertNever(command);
  }
};

const isToolResult = (
  command: ServiceResult,
): command is Extract<ServiceResult, { service: 'tool' | 'rag' }> =>
  command.service === 'tool' || command.service === 'rag';

/** How a worker answered a cancelled run: that it stopped, or with a result that comes too late. */
const interruptionOf = (command: ServiceResult): 'NOT_STARTED' | 'ABORTED' | null => {
  if (isToolResult(command)) {
    if (command.result.errorClass === 'NOT_STARTED') return 'NOT_STARTED';
    return command.result.errorClass === 'CANCELLED' ? 'ABORTED' : null;
  }
  const { result } = command;
  if (result.kind !== 'FAILED') return null;
  if (result.failure === 'NOT_STARTED') return 'NOT_STARTED';
  return result.failure === 'ABORTED' ? 'ABORTED' : null;
};

const usageOf = (command: ServiceResult): TokenUsage | null =>
  'record' in command.result ? (command.result.record?.usage ?? null) : null;

/** A result for a run that was cancelled or has ended: its hash and cost are kept, its content is not looked at. */
const discard = (command: RunCommandOf<'TakeResult'>): RunEvent => {
  const { service, step, hash } = command;
  const how = interruptionOf(command);
  return how === null
    ? { type: 'LateResultDiscarded', service, step, hash, usage: usageOf(command) }
    : { type: 'WorkInterrupted', service, step, how };
};

const takeResult = (command: RunCommandOf<'TakeResult'>, run: Run): RunEvent[] => {
  const open = run.open.find((o) => o.step === command.step && o.service === command.service);
  if (run.ended !== null || run.sealed !== null)
    return open === undefined || run.ended === null ? [] : [discard(command)];
  if (run.cancellation !== null) {
    const { cause } = run.cancellation;
    if (open === undefined) return [];
    return proceed(run, [discard(command)], (now) =>
      now.open.length === 0 ? [cancelled(now, cause, null)] : [],
    );
  }
  if (open === undefined) {
    return command.service === 'semantic' &&
      !run.judged.some((j) => j.step === command.step && j.outcome !== 'FAILED')
      ? onSemanticResult(run, command.step, command.result, command.nowMs)
      : [];
  }
  return dispatch(run, open, command, command.nowMs);
};

const takeDisconnect = (
  { n, atMs, graceMs, nowMs }: RunCommandOf<'TakeDisconnect'>,
  run: Run,
): RunEvent[] => {
  if (n <= run.owner.disconnected) return [];
  const lost: RunEvent = { type: 'OwnerDisconnected', n, cancelsAt: instant(atMs + graceMs) };
  if (n < run.owner.attached) return [lost, { type: 'OwnerAttached', n: run.owner.attached }];
  return proceed(run, [lost], (now) => (atMs + graceMs <= nowMs ? cancel(now, 'DISCONNECT', nowMs) : []));
};

const decideStarted = (command: Exclude<RunCommand, { type: 'StartRun' }>, run: Run): RunEvent[] => {
  const undecided = run.sealed === null && run.ended === null;
  switch (command.type) {
    case 'TakeResult':
      return takeResult(command, run);
    case 'TakeCancel':
      return undecided && run.cancellation === null ? cancel(run, command.cause, command.nowMs) : [];
    case 'TakeAttach': {
      // Streams are numbered: attachment n is before disconnect n, also where another instance saw that one first.
      const isNew = command.n > Math.max(run.owner.attached, run.owner.disconnected);
      return undecided && run.cancellation === null && isNew ? [{ type: 'OwnerAttached', n: command.n }] : [];
    }
    case 'TakeDisconnect':
      return undecided && run.cancellation === null ? takeDisconnect(command, run) : [];
    case 'PassTime':
      return run.ended === null ? onTime(run, command.nowMs) : [];
    case 'SetAsidePoison':
      return undecided && run.cancellation === null ? sealFailed('POISONED') : [];
    case 'FinishSealed':
      return finishSealed(run, command.sealedSeq, command.earlierCancel);
    default:
      return assertNever(command);
  }
};

/**
 * While the owner's connection is lost and its grace runs, nothing is sealed: a seal that a decision would add is held
 * back, and the whole decision with it, until the owner is back or the grace is over.
 */
const holdsBack = (run: Run, events: readonly RunEvent[]): boolean =>
  run.owner.cancelsAtMs !== null &&
  run.cancellation === null &&
  events.some((e) => e.type === 'OutcomeSealed');

/** Thrown when a command needs a run that has no start: the trigger came without its request. */
export class RunNotStarted extends Error {
  constructor(command: RunCommand['type']) {
    super(`${command} needs a run that has started`);
    this.name = 'RunNotStarted';
  }
}

const decide = (command: RunCommand, state: RunState): RunEvent[] => {
  if (state.status === 'NOT_STARTED') {
    if (command.type !== 'StartRun') throw new RunNotStarted(command.type);
    return start(command);
  }
  if (command.type === 'StartRun') return [];
  const events = decideStarted(command, state.run);
  return holdsBack(state.run, events) ? [] : events;
};

export const runDecider: Decider<RunState, RunCommand, RunEvent> = {
  decide,
  evolve,
  initialState: () => ({ status: 'NOT_STARTED' }),
};
