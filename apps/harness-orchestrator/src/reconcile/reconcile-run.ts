import type { RunId, WorkService } from '@inquest/contracts/ids';
import {
  OWNER_STREAMS_MAX,
  cancelRequested,
  runRequested,
  type CancelRequested,
  type RunRequested,
} from '@inquest/contracts/inbound-facts';
import { runDecision, type RunEvent } from '@inquest/contracts/run-decision';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import { nextDueAtMs } from '../run/on-time';
import { requestOf } from '../run/requests-of';
import type { RunCommand } from '../run/run.commands';
import { runDecider } from '../run/run.decider';
import type { OpenStep, Run, RunState } from '../run/run.state';
import type { ChainKind } from './decision-chains';
import { Reconciler, type Aggregate, type EarlierCancel, type ResultPlace } from './reconciler';
import { resultCommand, type RunTrigger } from './trigger';

/** What the run needs from outside the log to begin. */
export type StartTerms = {
  of: (
    request: RunRequested,
  ) => Promise<Omit<Extract<RunCommand, { type: 'StartRun' }>, 'type' | 'nowMs' | 'request' | 'requestSeq'>>;
};

const runOf = (state: RunState): Run | undefined => (state.status === 'STARTED' ? state.run : undefined);

const RUN_CHAIN: ChainKind<RunState, RunEvent> = {
  contract: runDecision,
  subjectOf: ({ chain }) => chain,
  initial: { status: 'NOT_STARTED' },
  evolve: runDecider.evolve,
  seals: ({ type }) => type === 'OutcomeSealed',
};

/** Open steps, and judge attempts given up on. */
const unseenResults = (state: RunState, trigger: RunTrigger | undefined, cold: boolean): ResultPlace[] => {
  const run = runOf(state);
  if (run === undefined) return [];
  const givenUp = run.judged
    .filter((j) => j.outcome === 'FAILED' && run.sealed === null)
    .map((j) => ({ service: 'semantic' as WorkService, step: j.step }));
  const open =
    cold || trigger?.kind !== 'result' ? run.open.map(({ service, step }) => ({ service, step })) : [];
  const mine = trigger?.kind === 'result' ? trigger.step : undefined;
  return [...open, ...givenUp].filter((r) => r.step !== mine);
};

/** An owner who was lost before the seal and has not come back since; at most {@link OWNER_STREAMS_MAX} facts, each known by name. */
const disconnectBefore = async (
  log: EventLog,
  runId: RunId,
  run: Run,
  sealedSeq: number,
): Promise<EarlierCancel | undefined> => {
  const subjects = runSubjects(runId, log.partitions);
  for (let n = run.owner.disconnected + 1; n <= OWNER_STREAMS_MAX; n += 1) {
    const lost = await log.readLast(subjects.in(`disconnect-${n}`), 'leader');
    if (lost === undefined || lost.seq > sealedSeq) return undefined;
    const back = await log.readLast(subjects.in(`attach-${n + 1}`), 'leader');
    if (back === undefined) return { cause: 'DISCONNECT', fact: `in.disconnect-${n}`, seq: lost.seq };
  }
  return undefined;
};

/** The cancel fact, if it stands before the seal. */
export const cancelFactBefore = async (
  log: EventLog,
  runId: RunId,
  sealedSeq: number,
): Promise<EarlierCancel | undefined> => {
  const asked = await log.readLast(runSubjects(runId, log.partitions).in('cancel'), 'leader');
  if (asked === undefined || asked.seq >= sealedSeq) return undefined;
  const { cause } = cancelRequested.schema.parse(asked.data) as CancelRequested;
  return { cause, fact: 'in.cancel', seq: asked.seq };
};

const runAggregate = (
  log: EventLog,
  terms: StartTerms,
): Aggregate<RunState, RunCommand, RunEvent, RunRequested> => ({
  name: 'run',
  chain: RUN_CHAIN,
  decide: runDecider.decide,
  readRequest: async (runId) => {
    const message = await log.readLast(runSubjects(runId, log.partitions).in('request'), 'leader');
    if (message === undefined) return undefined;
    const request = runRequested.schema.parse(message.data) as RunRequested;
    return { request, seq: message.seq, fact: 'in.request' };
  },
  startOf: async ({ request, seq }, nowMs) => ({
    type: 'StartRun',
    request,
    requestSeq: seq,
    nowMs,
    ...(await terms.of(request)),
  }),
  unseen: unseenResults,
  commandOf: ({ service, step }, data, nowMs) => resultCommand(service, step, data)(nowMs),
  passTime: (nowMs) => ({ type: 'PassTime', nowMs }),
  wanted: (state) => {
    const run = runOf(state);
    return run === undefined || run.cancellation !== null || run.sealed !== null ? [] : run.open;
  },
  openSteps: (state) => runOf(state)?.open ?? [],
  requestOf: (state, open) => requestOf(runOf(state) as Run, open as OpenStep),
  isEnded: (state) => (runOf(state)?.ended ?? null) !== null,
  isSealed: (state) => (runOf(state)?.sealed ?? null) !== null,
  dueAtMs: (state) => {
    const run = runOf(state);
    return run === undefined ? null : nextDueAtMs(run);
  },
  cancelBefore: async (runId, state, sealedSeq) => {
    const run = runOf(state) as Run;
    const asked = await cancelFactBefore(log, runId, sealedSeq);
    return asked ?? (run.started.detached ? undefined : disconnectBefore(log, runId, run, sealedSeq));
  },
  finish: (sealedSeq, earlierCancel, nowMs) => ({ type: 'FinishSealed', sealedSeq, earlierCancel, nowMs }),
  wakeUp: (runId, createdAt) => ({ runId, createdAt }),
});

export class RunReconciler extends Reconciler<RunState, RunCommand, RunEvent, RunRequested> {
  constructor(
    log: EventLog,
    terms: StartTerms,
    nowMs: () => number,
    onAlarmError: (error: unknown, runId: RunId) => void,
  ) {
    super(log, runAggregate(log, terms), nowMs, onAlarmError);
  }
}
