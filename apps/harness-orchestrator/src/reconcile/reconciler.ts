import type { Envelope } from '@inquest/contracts/envelope';
import type { RunId, Step, WorkService } from '@inquest/contracts/ids';
import type { CancelCause } from '@inquest/contracts/outcome';
import { wakeUp, type WakeUp } from '@inquest/contracts/platform-facts';
import { partitionOf, runSubjects, timerSubject } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';
import type { WorkRequest } from '../run/requests-of';
import { AlarmClock } from './alarm-clock';
import { ChainExpired, DecisionChains, type ChainKind, type Loaded, type Taken } from './decision-chains';
import { Lanes } from './lanes';
import type { Trigger } from './trigger';

const SOURCE = 'harness-orchestrator';

/** Lost races before a trigger is given back: more means that something else writes the chain. */
const CONFLICTS_MAX = 25;

export type Reconciled =
  /** `dueInMs` null: time changes nothing any more. */
  { kind: 'LOOKED_AT'; ended: boolean; dueInMs: number | null } | { kind: 'EXPIRED' };

/** One try of a look: done, to be made again after a lost race, or an aggregate whose beginning has left the log. */
type Looked<State> = { kind: 'DONE'; run: Loaded<State> } | { kind: 'AGAIN' } | { kind: 'EXPIRED' };

export type Batch<State, Event> = { events: Event[]; took: Taken; state: State };

/** What was found in the log for a decision, and where. */
export type Input<Command> = { command: Command; fact: string; seq: number };

export type ResultPlace = { service: WorkService; step: Step };

export type OpenWork = { service: WorkService; step: Step; deadlineAtMs: number };

export type EarlierCancel = { cause: CancelCause; fact: string; seq: number };

/**
 * What a run and a case differ in, as far as their loop is concerned. Pure but for the two reads: how it begins, and
 * what cancels it before its seal.
 */
export type Aggregate<State, Command, Event, Request> = {
  /** For messages to people and logs. */
  name: 'run' | 'case';
  chain: ChainKind<State, Event>;
  decide: (command: Command, state: State) => Event[];
  /** The request that begins it; undefined when it is not there (any more). */
  readRequest: (id: RunId) => Promise<{ request: Request; seq: number; fact: string } | undefined>;
  startOf: (found: { request: Request; seq: number }, nowMs: number) => Promise<Command>;
  /** Where a result may stand that this process has not been told of. */
  unseen: (state: State, trigger: Trigger<Command, Request> | undefined, cold: boolean) => ResultPlace[];
  commandOf: (place: ResultPlace, data: unknown, nowMs: number) => Command;
  passTime: (nowMs: number) => Command;
  /** Open steps whose requests stand in the log or are to be written; none once it is cancelled or sealed. */
  wanted: (state: State) => readonly OpenWork[];
  requestOf: (state: State, open: OpenWork) => WorkRequest;
  /** What `newly` compares by: all open steps. */
  openSteps: (state: State) => readonly OpenWork[];
  isEnded: (state: State) => boolean;
  isSealed: (state: State) => boolean;
  dueAtMs: (state: State) => number | null;
  cancelBefore: (id: RunId, state: State, sealedSeq: number) => Promise<EarlierCancel | undefined>;
  finish: (sealedSeq: number, earlier: CancelCause | null, nowMs: number) => Command;
  wakeUp: (id: RunId, createdAt: string) => WakeUp;
};

/**
 * Level-triggered: a message means "look at run X". Reads the run, folds it, decides, appends the decision with optimistic
 * concurrency, writes the requests that are missing, finishes what is sealed. A crash between any two of these, a
 * redelivery, a duplicate and a second instance are one and the same case: the next look completes it.
 */
export class Reconciler<State, Command, Event, Request> {
  private readonly lanes = new Lanes();
  private readonly chains: DecisionChains<State, Event>;
  private readonly alarms = new AlarmClock();

  constructor(
    private readonly log: EventLog,
    private readonly aggregate: Aggregate<State, Command, Event, Request>,
    private readonly nowMs: () => number,
    private readonly onAlarmError: (error: unknown, runId: RunId) => void,
  ) {
    this.chains = new DecisionChains(log, SOURCE, aggregate.chain);
  }

  stop(): void {
    this.alarms.stop();
  }

  /** Whether this process has folded it before: a message that could be of a run or of a case is looked for here first. */
  knows(id: RunId): boolean {
    return this.chains.cached(id) !== undefined;
  }

  /** Looks at one run because of a message of the log, or, without a trigger, because of the time. */
  async reconcile(runId: RunId, trigger?: Trigger<Command, Request>, cause?: Envelope): Promise<Reconciled> {
    const reconciled = await this.lanes.run(runId, () => this.look(runId, trigger, cause));
    if (reconciled.kind === 'LOOKED_AT') {
      this.alarms.set(runId, reconciled.dueInMs, () => {
        this.reconcile(runId).catch((error: unknown) => this.onAlarmError(error, runId));
      });
    }
    return reconciled;
  }

  private async look(
    runId: RunId,
    trigger?: Trigger<Command, Request>,
    cause?: Envelope,
  ): Promise<Reconciled> {
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
    throw new Error(`${this.aggregate.name} ${runId} lost ${CONFLICTS_MAX} races in a row`);
  }

  private looked({ state }: Loaded<State>): Reconciled {
    const dueAtMs = this.aggregate.dueAtMs(state);
    return {
      kind: 'LOOKED_AT',
      ended: this.aggregate.isEnded(state),
      dueInMs: dueAtMs === null ? null : dueAtMs - this.nowMs(),
    };
  }

  private async once(
    runId: RunId,
    trigger: Trigger<Command, Request> | undefined,
    cause: Envelope | undefined,
    again: boolean,
  ): Promise<Looked<State>> {
    const known = this.chains.cached(runId);
    // A fresh request has no chain in all but the rarest case; the append finds out when it has.
    const loaded =
      known ?? (trigger?.kind === 'request' && !again ? this.chains.empty : await this.chains.load(runId));
    const cold = known === undefined && loaded.n >= 0;
    const batch =
      loaded.n < 0 ? await this.begin(runId, trigger) : await this.goOn(runId, loaded, trigger, cold);
    if (batch === undefined) return { kind: 'EXPIRED' };
    if (batch.events.length === 0) {
      // Nothing to decide may also mean that the cache is behind: only a fresh fold may say so, but for what has ended.
      if (!cold && !again && !this.aggregate.isEnded(loaded.state)) {
        this.chains.forget(runId);
        return { kind: 'AGAIN' };
      }
      return { kind: 'DONE', run: await this.complete(runId, loaded, cause) };
    }
    const appended = await this.chains.append(runId, loaded, { ...batch, at: this.now(), cause });
    if (appended === 'CONFLICT') return { kind: 'AGAIN' };
    const open = cold ? this.aggregate.wanted(appended.state) : this.newlyOpen(loaded.state, appended.state);
    await Promise.all([
      this.putRequests(runId, appended.state, open, cause),
      cold || loaded.n < 0 ? this.putWakeUp(runId) : undefined,
    ]);
    return { kind: 'DONE', run: await this.finish(runId, appended, cause) };
  }

  private now(): string {
    return new Date(this.nowMs()).toISOString();
  }

  private async begin(
    runId: RunId,
    trigger: Trigger<Command, Request> | undefined,
  ): Promise<Batch<State, Event> | undefined> {
    const found =
      trigger?.kind === 'request'
        ? { request: trigger.request, seq: trigger.seq, fact: trigger.fact }
        : await this.aggregate.readRequest(runId);
    if (found === undefined) return undefined;
    const command = await this.aggregate.startOf(found, this.nowMs());
    const begun = this.decide(this.chains.empty.state, [{ command, fact: found.fact, seq: found.seq }]);
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

  private async goOn(
    runId: RunId,
    { state }: Loaded<State>,
    trigger: Trigger<Command, Request> | undefined,
    cold: boolean,
  ): Promise<Batch<State, Event>> {
    const said =
      trigger === undefined || trigger.kind === 'request'
        ? []
        : [{ command: trigger.commandAt(this.nowMs()), fact: trigger.fact, seq: trigger.seq }];
    const unseen = await this.readUnseen(runId, this.aggregate.unseen(state, trigger, cold));
    // What people did comes before what services answered: a cancellation or a lost owner holds for results not yet taken in.
    const inputs = trigger?.kind === 'command' ? [...said, ...unseen] : [...unseen, ...said];
    inputs.push({ command: this.aggregate.passTime(this.nowMs()), fact: '', seq: 0 });
    // A result that was held back while the owner was away is given once more: when that time ends the run, nobody
    // has to wait for work that has answered. What was taken in above decides nothing now.
    inputs.push(...unseen);
    return this.decide(state, inputs);
  }

  private async readUnseen(runId: RunId, wanted: readonly ResultPlace[]): Promise<Input<Command>[]> {
    const subjects = runSubjects(runId, this.log.partitions);
    const found = await Promise.all(
      wanted.map(async (place) => {
        const message = await this.log.readLast(subjects.res(place.service, place.step), 'leader');
        if (message === undefined) return [];
        const command = this.aggregate.commandOf(place, message.data, this.nowMs());
        return [{ command, fact: `res.${place.service}.${place.step}`, seq: message.seq }];
      }),
    );
    return found.flat();
  }

  private decide(state: State, inputs: Input<Command>[]): Batch<State, Event> {
    const batch: Batch<State, Event> = { events: [], took: [], state };
    for (const { command, fact, seq } of inputs) {
      const events = this.aggregate.decide(command, batch.state);
      if (events.length === 0) continue;
      batch.state = events.reduce(this.aggregate.chain.evolve, batch.state);
      batch.events.push(...events);
      if (fact !== '') batch.took.push({ fact, seq });
    }
    return batch;
  }

  private newlyOpen(before: State, now: State): OpenWork[] {
    const known = new Set(this.aggregate.openSteps(before).map((o) => o.step));
    return this.aggregate.wanted(now).filter((o) => !known.has(o.step));
  }

  /** Requests are put if absent: whoever looks at the run after a crash writes what is missing, and the same. */
  private async putRequests(
    runId: RunId,
    state: State,
    open: readonly OpenWork[],
    cause?: Envelope,
  ): Promise<void> {
    const subjects = runSubjects(runId, this.log.partitions);
    const puts: Promise<unknown>[] = open.map((step) => {
      const { contract, data } = this.aggregate.requestOf(state, step);
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
    return this.log.putIfAbsent(subject, messageOf(frame, this.aggregate.wakeUp(runId, this.now())));
  }

  /** After a fresh fold without a decision: what an earlier process may have left undone. */
  private async complete(runId: RunId, loaded: Loaded<State>, cause?: Envelope): Promise<Loaded<State>> {
    if (!this.aggregate.isEnded(loaded.state)) {
      await Promise.all([
        this.putRequests(runId, loaded.state, this.aggregate.wanted(loaded.state), cause),
        this.putWakeUp(runId),
      ]);
    }
    return this.finish(runId, loaded, cause);
  }

  /**
   * Second fact of the release: after the seal is durable, the inbound facts are read by name from the leader. What
   * stands before the seal wins; the log's order, not anybody's clock, is the judge.
   */
  private async finish(runId: RunId, loaded: Loaded<State>, cause?: Envelope): Promise<Loaded<State>> {
    const { aggregate } = this;
    const { state, sealedSeq } = loaded;
    if (!aggregate.isSealed(state) || aggregate.isEnded(state) || sealedSeq === null) return loaded;
    const earlier = await aggregate.cancelBefore(runId, state, sealedSeq);
    const command = aggregate.finish(sealedSeq, earlier?.cause ?? null, this.nowMs());
    const batch = this.decide(state, [{ command, fact: earlier?.fact ?? '', seq: earlier?.seq ?? 0 }]);
    const appended = await this.chains.append(runId, loaded, { ...batch, at: this.now(), cause });
    if (appended !== 'CONFLICT') return appended;
    // Another instance finished, or recorded something after the seal: fold again and see.
    const fresh = await this.chains.load(runId);
    if (!aggregate.isEnded(fresh.state))
      throw new Error(`${aggregate.name} ${runId} is sealed but was not finished`);
    return fresh;
  }
}
