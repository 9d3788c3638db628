import { caseDecision, type CaseEvent } from '@inquest/contracts/case-decision';
import { caseRequested, type CaseRequested } from '@inquest/contracts/case-facts';
import type { RunId } from '@inquest/contracts/ids';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import { caseRequestOf } from '../case/case-requests';
import type { CaseCommand, Protocol } from '../case/case.commands';
import { caseDecider } from '../case/case.decider';
import type { Case, CaseState, OpenCaseStep } from '../case/case.state';
import { nextCaseDueAtMs } from '../case/on-case-time';
import { caseResultCommand, type CaseTrigger } from './case-trigger';
import type { ChainKind } from './decision-chains';
import { cancelFactBefore } from './reconcile-run';
import { Reconciler, type Aggregate, type ResultPlace } from './reconciler';

/** What a case needs from outside the log to begin; the protocol also for every call after that (E11). */
export type CaseTerms = Protocol & {
  of: (
    request: CaseRequested,
  ) => Promise<
    Omit<
      Extract<CaseCommand, { type: 'OpenCase' }>,
      'type' | 'nowMs' | 'request' | 'requestSeq' | keyof Protocol
    >
  >;
};

const caseOf = (state: CaseState): Case | undefined => (state.status === 'STARTED' ? state.case : undefined);

const CASE_CHAIN: ChainKind<CaseState, CaseEvent> = {
  contract: caseDecision,
  subjectOf: ({ caseChain }) => caseChain,
  initial: { status: 'NOT_STARTED' },
  evolve: caseDecider.evolve,
  seals: ({ type }) => type === 'CaseOutcomeSealed',
};

const unseenResults = (state: CaseState, trigger: CaseTrigger | undefined, cold: boolean): ResultPlace[] => {
  const mine = trigger?.kind === 'result' ? trigger.step : undefined;
  if (!cold && mine !== undefined) return [];
  return (caseOf(state)?.open ?? [])
    .filter(({ step }) => step !== mine)
    .map(({ service, step }) => ({ service, step }));
};

const caseAggregate = (
  log: EventLog,
  terms: CaseTerms,
): Aggregate<CaseState, CaseCommand, CaseEvent, CaseRequested> => {
  const { prompts } = terms;
  return {
    name: 'case',
    chain: CASE_CHAIN,
    decide: caseDecider.decide,
    readRequest: async (caseId) => {
      const message = await log.readLast(runSubjects(caseId, log.partitions).in('open'), 'leader');
      if (message === undefined) return undefined;
      const request = caseRequested.schema.parse(message.data) as CaseRequested;
      return { request, seq: message.seq, fact: 'in.open' };
    },
    startOf: async ({ request, seq }, nowMs) => ({
      type: 'OpenCase',
      request,
      requestSeq: seq,
      nowMs,
      prompts,
      ...(await terms.of(request)),
    }),
    unseen: unseenResults,
    commandOf: ({ service, step }, data, nowMs) => caseResultCommand(service, step, data, terms)(nowMs),
    passTime: (nowMs) => ({ type: 'PassTime', nowMs, prompts }),
    wanted: (state) => {
      const c = caseOf(state);
      return c === undefined || c.cancellation !== null || c.sealed !== null ? [] : c.open;
    },
    openSteps: (state) => caseOf(state)?.open ?? [],
    requestOf: (state, open) => caseRequestOf(caseOf(state) as Case, open as OpenCaseStep),
    isEnded: (state) => (caseOf(state)?.ended ?? null) !== null,
    isSealed: (state) => (caseOf(state)?.sealed ?? null) !== null,
    dueAtMs: (state) => {
      const c = caseOf(state);
      return c === undefined ? null : nextCaseDueAtMs(c);
    },
    cancelBefore: (caseId, _state, sealedSeq) => cancelFactBefore(log, caseId, sealedSeq),
    finish: (sealedSeq, earlierCancel, nowMs) => ({
      type: 'FinishSealed',
      sealedSeq,
      earlierCancel,
      nowMs,
      prompts,
    }),
    wakeUp: (runId, createdAt) => ({ runId, createdAt, aggregate: 'case' }),
  };
};

/** The same loop over the chain of a case. */
export class CaseReconciler extends Reconciler<CaseState, CaseCommand, CaseEvent, CaseRequested> {
  constructor(
    log: EventLog,
    terms: CaseTerms,
    nowMs: () => number,
    onAlarmError: (error: unknown, caseId: RunId) => void,
  ) {
    super(log, caseAggregate(log, terms), nowMs, onAlarmError);
  }
}
