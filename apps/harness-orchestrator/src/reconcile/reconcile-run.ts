import { type RunId, type Step, type WorkService } from '@inquest/contracts/ids';
import type { CancelCause } from '@inquest/contracts/outcome';
import type { Envelope } from '@inquest/contracts/envelope';
import type { RunEvent } from '@inquest/contracts/run-decision';
import {
  OWNER_STREAMS_MAX,
  cancelRequested,
  runRequested,
  type RunRequested,
} from '@inquest/contracts/inbound-facts';
import { partitionOf, runSubjects, timerSubject } from '@inquest/contracts/subjects';
import { wakeUp } from '@inquest/contracts/platform-facts';
import type { EventLog } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';
import type { RunCommand } from '../run/run.commands';
import { runDecider } from '../run/run.decider';
import { nextDueAtMs } from '../run/on-time';
import { requestOf } from '../run/requests-of';
import type { OpenStep, Run, RunState } from '../run/run.state';
import { AlarmClock } from './alarm-clock';
import { Lanes } from './lanes';
import { ChainExpired, EMPTY_CHAIN, type LoadedRun, RunChains, type Taken } from './run-chains';
import { resultCommand, type Trigger } from './trigger';

const SOURCE = 'harness-orchestrator';

/** Lost races before a trigger is given back: more means that something else writes the chain. */
const CONFLICTS_MAX = 25;

/** What the run needs from outside the log to begin. */
export type StartTerms = {
  of: (
    request: RunRequested,
  ) => Promise<Omit<Extract<RunCommand, { type: 'StartRun' }>, 'type' | 'nowMs' | 'request' | 'requestSeq'>>;
};

export type Reconciled =
  /** `dueInMs` null: time changes nothing any more. */
  { kind: 'LOOKED_AT'; ended: boolean; dueInMs: number | null } | { kind: 'EXPIRED' };

/** One try of a look: done, to be made again after a lost race, or a run whose beginning has left the log. */
type Looked = { kind: 'DONE'; run: LoadedRun } | { kind: 'AGAIN' } | { kind: 'EXPIRED' };

type Batch = { events: RunEvent[]; took: Taken; state: RunState };

const runOf = (loaded: LoadedRun): Run | undefined =>
  loaded.state.status === 'STARTED' ? loaded.state.run : undefined;

/** Where a result may stand that this process has not been told of: open steps, and judge attempts given up on. */
const unseenResults = (
  run: Run,
  trigger: Trigger | undefined,
  cold: boolean,
): { service: WorkService; step: Step }[] => {
  const givenUp = run.judged
    .filter((j) => j.outcome === 'FAILED' && run.sealed === null)
    .map((j) => ({ service: 'semantic' as const, step: j.step }));
  const open =
    cold || trigger?.kind !== 'result' ? run.open.map(({ service, step }) => ({ service, step })) : [];
  const mine = trigger?.kind === 'result' ? trigger.step : undefined;
  return [...open, ...givenUp].filter((r) => r.step !== mine);
};

/**
 * Level-triggered: a message means "look at run X". Reads the run, folds it, decides, appends the decision with optimistic
 * concurrency, writes the requests that are missing, finishes what is sealed. A crash between any two of these, a
 * redelivery, a duplicate and a second instance are one and the same case: the next look completes it.
 */
export class RunReconciler {
  private readonly lanes = new Lanes();
  private readonly chains: RunChains;
  private readonly alarms = new AlarmClock();

  constructor(
    private readonly log: EventLog,
    private readonly terms: StartTerms,
    private readonly nowMs: () => number,
    private readonly onAlarmError: (error: unknown, runId: RunId) => void,
  ) {
    this.chains = new RunChains(log, SOURCE);
  }

  stop(): void {
    this.alarms.stop();
  }

  /** Looks at one run because of a message of the log, or, without a trigger, because of the time. */
  async reconcile(runId: RunId, trigger?: Trigger, cause?: Envelope): Promise<Reconciled> {
    const reconciled = await this.lanes.run(runId, () => this.look(runId, trigger, cause));
    if (reconciled.kind === 'LOOKED_AT') {
      this.alarms.set(runId, reconciled.dueInMs, () => {
        this.reconcile(runId).catch((error: unknown) => this.onAlarmError(error, runId));
      });
    }
    return reconciled;
  }

  private async look(runId: RunId, trigger?: Trigger, cause?: Envelope): Promise<Reconciled> {
    try {
      for (let tries = 0; tries < CONFLICTS_MAX; tries += 1) {
        const step = await this.once(runId, trigger, cause, tries > 0);
        if (step.kind === 'EXPIRED') return { kind: 'EXPIRED' };
        if (step.kind === 'DONE') return this.looked(step.run);
      }
    } catch (error) {
      this.chains.forget(runId);
      if (error instanceof ChainExpired) return { kind: 'EXPIRED' };
      throw error;
    }
    throw new Error(`run ${runId} lost ${CONFLICTS_MAX} races in a row`);
  }

  private looked(loaded: LoadedRun): Reconciled {
    const run = runOf(loaded);
    const dueAtMs = run === undefined ? null : nextDueAtMs(run);
    return {
      kind: 'LOOKED_AT',
      ended: run !== undefined && run.ended !== null,
      dueInMs: dueAtMs === null ? null : dueAtMs - this.nowMs(),
    };
  }

  private async once(
    runId: RunId,
    trigger: Trigger | undefined,
    cause: Envelope | undefined,
    again: boolean,
  ): Promise<Looked> {
    const known = this.chains.cached(runId);
    // A fresh request has no chain in all but the rarest case; the append finds out when it has.
    const loaded =
      known ?? (trigger?.kind === 'request' && !again ? EMPTY_CHAIN : await this.chains.load(runId));
    const cold = known === undefined && loaded.n >= 0;
    const batch =
      loaded.n < 0 ? await this.begin(runId, trigger) : await this.goOn(runId, loaded, trigger, cold);
    if (batch === undefined) return { kind: 'EXPIRED' };
    if (batch.events.length === 0) {
      // Nothing to decide may also mean that the cache is behind: only a fresh fold may say so, but for an ended run.
      const ended = runOf(loaded)?.ended ?? null;
      if (!cold && !again && ended === null) {
        this.chains.forget(runId);
        return { kind: 'AGAIN' };
      }
      return { kind: 'DONE', run: await this.complete(runId, loaded, cause) };
    }
    const appended = await this.chains.append(runId, loaded, { ...batch, at: this.now(), cause });
    if (appended === 'CONFLICT') return { kind: 'AGAIN' };
    const open = cold ? (runOf(appended)?.open ?? []) : this.newlyOpen(loaded, appended);
    await Promise.all([
      this.putRequests(runId, appended, open, cause),
      cold || loaded.n < 0 ? this.putWakeUp(runId) : undefined,
    ]);
    return { kind: 'DONE', run: await this.finish(runId, appended, cause) };
  }

  private now(): string {
    return new Date(this.nowMs()).toISOString();
  }

  private async begin(runId: RunId, trigger: Trigger | undefined): Promise<Batch | undefined> {
    const found =
      trigger?.kind === 'request'
        ? { request: trigger.request, seq: trigger.seq }
        : await this.readRequest(runId);
    if (found === undefined) return undefined;
    const terms = await this.terms.of(found.request);
    const start: RunCommand = {
      type: 'StartRun',
      request: found.request,
      requestSeq: found.seq,
      nowMs: this.nowMs(),
      ...terms,
    };
    const begun = this.decide(EMPTY_CHAIN.state, [{ command: start, fact: 'in.request', seq: found.seq }]);
    // A cancel may already stand before the start; its own trigger would find the run, but why let work begin.
    if (trigger === undefined || trigger.kind === 'request') return begun;
    const rest = this.decide(begun.state, [
      { command: trigger.commandAt(this.nowMs()), fact: trigger.fact, seq: trigger.seq },
    ]);
    return {
      events: [...begun.events, ...rest.events],
      took: [...begun.took, ...rest.took],
      state: rest.state,
    };
  }

  private async readRequest(runId: RunId): Promise<{ request: RunRequested; seq: number } | undefined> {
    const message = await this.log.readLast(runSubjects(runId, this.log.partitions).in('request'), 'leader');
    return message && { request: runRequested.schema.parse(message.data) as RunRequested, seq: message.seq };
  }

  private async goOn(
    runId: RunId,
    loaded: LoadedRun,
    trigger: Trigger | undefined,
    cold: boolean,
  ): Promise<Batch> {
    const run = runOf(loaded);
    const said =
      trigger === undefined || trigger.kind === 'request'
        ? []
        : [{ command: trigger.commandAt(this.nowMs()), fact: trigger.fact, seq: trigger.seq }];
    const unseen = run === undefined ? [] : await this.readUnseen(runId, unseenResults(run, trigger, cold));
    // What people did comes before what services answered: a cancellation or a lost owner holds for results not yet taken in.
    const inputs = trigger?.kind === 'command' ? [...said, ...unseen] : [...unseen, ...said];
    inputs.push({ command: { type: 'PassTime', nowMs: this.nowMs() }, fact: '', seq: 0 });
    // A result that was held back while the owner was away is given once more: when that time ends the run, nobody
    // has to wait for work that has answered. What was taken in above decides nothing now.
    inputs.push(...unseen);
    return this.decide(loaded.state, inputs);
  }

  private async readUnseen(runId: RunId, wanted: { service: WorkService; step: Step }[]) {
    const subjects = runSubjects(runId, this.log.partitions);
    const found = await Promise.all(
      wanted.map(async ({ service, step }) => {
        const message = await this.log.readLast(subjects.res(service, step), 'leader');
        if (message === undefined) return [];
        const command = resultCommand(service, step, message.data)(this.nowMs());
        return [{ command, fact: `res.${service}.${step}`, seq: message.seq }];
      }),
    );
    return found.flat();
  }

  private decide(state: RunState, inputs: { command: RunCommand; fact: string; seq: number }[]): Batch {
    const batch: Batch = { events: [], took: [], state };
    for (const { command, fact, seq } of inputs) {
      const events = runDecider.decide(command, batch.state);
      if (events.length === 0) continue;
      batch.state = events.reduce(runDecider.evolve, batch.state);
      batch.events.push(...events);
      if (fact !== '') batch.took.push({ fact, seq });
    }
    return batch;
  }

  private newlyOpen(before: LoadedRun, now: LoadedRun): OpenStep[] {
    const known = new Set(runOf(before)?.open.map((o) => o.step));
    return runOf(now)?.open.filter((o) => !known.has(o.step)) ?? [];
  }

  /** Requests are put if absent: whoever looks at the run after a crash writes what is missing, and the same. */
  private async putRequests(
    runId: RunId,
    loaded: LoadedRun,
    open: readonly OpenStep[],
    cause?: Envelope,
  ): Promise<void> {
    const run = runOf(loaded);
    if (run === undefined || run.cancellation !== null || run.sealed !== null) return;
    const subjects = runSubjects(runId, this.log.partitions);
    const puts: Promise<unknown>[] = open.map((step) => {
      const { contract, data } = requestOf(run, step);
      const subject = subjects.req(step.service, step.step);
      const frame = {
        subject,
        type: contract.type,
        source: SOURCE,
        time: this.now(),
        deadline: new Date(step.deadlineAtMs).toISOString(),
        ...(cause === undefined ? {} : causedBy(cause)),
      };
      return this.log.putIfAbsent(subject, messageOf(frame, data));
    });
    await Promise.all(puts);
  }

  private putWakeUp(runId: RunId): Promise<unknown> {
    const subject = timerSubject(partitionOf(runId, this.log.partitions), runId);
    const frame = { subject, type: wakeUp.type, source: SOURCE, time: this.now() };
    return this.log.putIfAbsent(subject, messageOf(frame, { runId, createdAt: this.now() }));
  }

  /** After a fresh fold without a decision: what an earlier process may have left undone. */
  private async complete(runId: RunId, loaded: LoadedRun, cause?: Envelope): Promise<LoadedRun> {
    if (runOf(loaded)?.ended === null) {
      await Promise.all([
        this.putRequests(runId, loaded, runOf(loaded)?.open ?? [], cause),
        this.putWakeUp(runId),
      ]);
    }
    return this.finish(runId, loaded, cause);
  }

  /**
   * Second fact of the release: after the seal is durable, the inbound facts are read by name from the leader. What
   * stands before the seal wins; the log's order, not anybody's clock, is the judge.
   */
  private async finish(runId: RunId, loaded: LoadedRun, cause?: Envelope): Promise<LoadedRun> {
    const run = runOf(loaded);
    if (run === undefined || run.sealed === null || run.ended !== null || loaded.sealedSeq === null)
      return loaded;
    const earlier = await this.cancelBefore(runId, run, loaded.sealedSeq);
    const command: RunCommand = {
      type: 'FinishSealed',
      sealedSeq: loaded.sealedSeq,
      earlierCancel: earlier?.cause ?? null,
      nowMs: this.nowMs(),
    };
    const batch = this.decide(loaded.state, [{ command, fact: earlier?.fact ?? '', seq: earlier?.seq ?? 0 }]);
    const appended = await this.chains.append(runId, loaded, { ...batch, at: this.now(), cause });
    if (appended !== 'CONFLICT') return appended;
    // Another instance finished, or recorded something after the seal: fold again and see.
    const fresh = await this.chains.load(runId);
    if (runOf(fresh)?.ended === null) throw new Error(`run ${runId} is sealed but was not finished`);
    return fresh;
  }

  private async cancelBefore(
    runId: RunId,
    run: Run,
    sealedSeq: number,
  ): Promise<{ cause: CancelCause; fact: string; seq: number } | undefined> {
    const subjects = runSubjects(runId, this.log.partitions);
    const asked = await this.log.readLast(subjects.in('cancel'), 'leader');
    if (asked !== undefined && asked.seq < sealedSeq) {
      const { cause } = cancelRequested.schema.parse(asked.data) as { cause: CancelCause };
      return { cause, fact: 'in.cancel', seq: asked.seq };
    }
    return run.started.detached ? undefined : this.disconnectBefore(runId, run, sealedSeq);
  }

  /** An owner who was lost before the seal and has not come back since; at most {@link OWNER_STREAMS_MAX} facts, each known by name. */
  private async disconnectBefore(runId: RunId, run: Run, sealedSeq: number) {
    const subjects = runSubjects(runId, this.log.partitions);
    for (let n = run.owner.disconnected + 1; n <= OWNER_STREAMS_MAX; n += 1) {
      const lost = await this.log.readLast(subjects.in(`disconnect-${n}`), 'leader');
      if (lost === undefined || lost.seq > sealedSeq) return undefined;
      const back = await this.log.readLast(subjects.in(`attach-${n + 1}`), 'leader');
      if (back === undefined)
        return { cause: 'DISCONNECT' as const, fact: `in.disconnect-${n}`, seq: lost.seq };
    }
    return undefined;
  }
}
