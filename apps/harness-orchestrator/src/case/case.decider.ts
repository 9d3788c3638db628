import type { CaseEvent } from '@inquest/contracts/case-decision';
import { assertNever, type Decider } from '@inquest/decider/decider';
import { promptFor, type CaseCommand, type CaseCommandOf, type CaseServiceResult } from './case.commands';
import { cancelCase, endCancelled, finishSealed, sealFailed } from './case-endings';
import { evolve } from './case.evolve';
import { instant, proceed, requestInvestigator } from './case-steps';
import type { Case, CaseState, OpenCaseStep } from './case.state';
import { onActionResult } from './on-action';
import { onCaseTime } from './on-case-time';
import { onEvaluatorResult } from './on-evaluator';
import { onProof, onVerdict } from './on-final';
import { onInvestigatorResult } from './on-investigator';

const open = (command: CaseCommandOf<'OpenCase'>): CaseEvent[] => {
  const { request, requestSeq, policy, evaluatorVersion, ruleSet, gate, nowMs } = command;
  const opened: CaseEvent = {
    type: 'CaseOpened',
    caseId: request.caseId,
    tenant: request.tenant,
    principal: request.principal,
    sessionId: request.sessionId,
    question: request.question,
    source: request.source,
    window: request.window,
    zone: request.zone,
    locale: request.locale,
    asOf: instant(nowMs),
    deadlineAt: instant(nowMs + policy.wallClockMs),
    fromRun: request.fromRun,
    coordinates: request.coordinates,
    revision: 1,
    policy,
    promptVersion: promptFor(command, request.coordinates),
    evaluatorVersion,
    ruleSet,
    requestSeq,
  };
  const state = evolve({ status: 'NOT_STARTED' }, opened);
  if (state.status === 'NOT_STARTED') return [opened];
  return gate === 'SHUT'
    ? [opened, ...sealFailed(state.case, 'NOT_CUT_OVER')]
    : [opened, ...requestInvestigator(state.case, 'form', 0, nowMs)];
};

const dispatch = (
  c: Case,
  step: OpenCaseStep,
  command: CaseServiceResult,
  now: Pick<CaseCommand, 'nowMs' | 'prompts'>,
): CaseEvent[] => {
  switch (command.service) {
    case 'investigator':
      return onInvestigatorResult(c, step, command.result, now);
    case 'evaluator':
      return onEvaluatorResult(c, step, command.result, now);
    case 'tool':
    case 'rag':
      return onActionResult(c, step, command.result, now);
    case 'evidence':
      return onProof(c, step, command.result, now);
    case 'semantic':
      return onVerdict(c, step, command.result, now);
    default:
      return assertNever(command);
  }
};

/** A result of a case that is being cancelled: its hash is kept, its content is not looked at. */
const discard = (
  c: Case,
  command: CaseCommandOf<'TakeResult'>,
  cause: NonNullable<Case['cancellation']>['cause'],
) =>
  proceed(
    c,
    [
      {
        type: 'CaseLateResultDiscarded',
        service: command.service,
        step: command.step,
        hash: command.hash,
      } satisfies CaseEvent,
    ],
    (next) => (next.open.length === 0 ? endCancelled(next, cause) : []),
  );

const takeResult = (command: CaseCommandOf<'TakeResult'>, c: Case): CaseEvent[] => {
  const step = c.open.find((o) => o.step === command.step && o.service === command.service);
  if (step === undefined || c.sealed !== null || c.ended !== null) return [];
  if (c.cancellation !== null) return discard(c, command, c.cancellation.cause);
  return dispatch(c, step, command, command);
};

const decideOpen = (command: Exclude<CaseCommand, { type: 'OpenCase' }>, c: Case): CaseEvent[] => {
  const undecided = c.sealed === null && c.ended === null && c.cancellation === null;
  switch (command.type) {
    case 'TakeResult':
      return takeResult(command, c);
    case 'TakeCancel':
      return undecided ? cancelCase(c, command.cause, command.nowMs) : [];
    case 'PassTime':
      return onCaseTime(c, command);
    case 'SetAsidePoison':
      return undecided ? sealFailed(c, 'POISONED') : [];
    case 'FinishSealed':
      return finishSealed(c, command.sealedSeq, command.earlierCancel);
    default:
      return assertNever(command);
  }
};

/** Thrown when a command needs a case that has no opening: the trigger came without its request. */
export class CaseNotOpened extends Error {
  constructor(command: CaseCommand['type']) {
    super(`${command} needs a case that was opened`);
    this.name = 'CaseNotOpened';
  }
}

const decide = (command: CaseCommand, state: CaseState): CaseEvent[] => {
  if (state.status === 'NOT_STARTED') {
    if (command.type !== 'OpenCase') throw new CaseNotOpened(command.type);
    return open(command);
  }
  return command.type === 'OpenCase' ? [] : decideOpen(command, state.case);
};

export const caseDecider: Decider<CaseState, CaseCommand, CaseEvent> = {
  decide,
  evolve,
  initialState: () => ({ status: 'NOT_STARTED' }),
};
