import type { FactContract } from '@inquest/contracts/define-fact';
import type { Envelope } from '@inquest/contracts/envelope';
import type { RunId } from '@inquest/contracts/ids';
import { runSubjects, type RunSubjects } from '@inquest/contracts/subjects';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';

/** A run or a case as folded from its chain; `n` is the index of the last entry, -1 for none. */
export type Loaded<State> = { state: State; n: number; lastSeq: number; sealedSeq: number | null };

/** Which facts one entry of a chain took in. */
export type Taken = { fact: string; seq: number }[];

type Entry<Event> = { n: number; prevSeq: number; took: Taken; at: string; events: Event[] };

/** What a chain is made of: where it stands, how it is folded, what seals it. */
export type ChainKind<State, Event> = {
  contract: FactContract;
  subjectOf: (subjects: RunSubjects) => string;
  initial: State;
  evolve: (state: State, event: Event) => State;
  seals: (event: Event) => boolean;
};

/** The chain does not begin at n = 0: its older entries have left the log, and nothing may be decided on the rest. */
export class ChainExpired extends Error {
  constructor(runId: string) {
    super(`the beginning of ${runId} is no longer in the log`);
    this.name = 'ChainExpired';
  }
}

/** Entries that do not follow each other: something other than the harness wrote them. */
export class ChainBroken extends Error {
  constructor(runId: string, n: number) {
    super(`entry ${n} of ${runId} does not follow its predecessor`);
    this.name = 'ChainBroken';
  }
}

/** Folded runs of this process. A cache only: optimistic appends find out when it is stale. */
const CACHE_RUNS_MAX = 5_000;

export class DecisionChains<State, Event> {
  private readonly cache = new Map<string, Loaded<State>>();
  readonly empty: Loaded<State>;

  constructor(
    private readonly log: EventLog,
    private readonly source: string,
    private readonly kind: ChainKind<State, Event>,
  ) {
    this.empty = { state: kind.initial, n: -1, lastSeq: 0, sealedSeq: null };
  }

  cached(runId: RunId): Loaded<State> | undefined {
    return this.cache.get(runId);
  }

  forget(runId: RunId): void {
    this.cache.delete(runId);
  }

  private remember(runId: RunId, loaded: Loaded<State>): Loaded<State> {
    this.cache.delete(runId);
    this.cache.set(runId, loaded);
    if (this.cache.size > CACHE_RUNS_MAX) this.cache.delete(this.cache.keys().next().value ?? '');
    return loaded;
  }

  /** Reads and folds the chain by its exact subject. */
  async load(runId: RunId): Promise<Loaded<State>> {
    const messages = await this.log.readChain(this.kind.subjectOf(runSubjects(runId, this.log.partitions)));
    const loaded = messages.reduce((run, message) => this.fold(runId, run, message), this.empty);
    return loaded.n < 0 ? loaded : this.remember(runId, loaded);
  }

  private fold(runId: RunId, run: Loaded<State>, message: StoredMessage): Loaded<State> {
    const decision = this.kind.contract.schema.parse(message.data) as Entry<Event>;
    if (run.n < 0 && decision.n !== 0) throw new ChainExpired(runId);
    if (decision.n !== run.n + 1 || decision.prevSeq !== run.lastSeq)
      throw new ChainBroken(runId, decision.n);
    return {
      state: decision.events.reduce(this.kind.evolve, run.state),
      n: decision.n,
      lastSeq: message.seq,
      sealedSeq: run.sealedSeq ?? (decision.events.some(this.kind.seals) ? message.seq : null),
    };
  }

  /** Appends one decision after `run`; CONFLICT means that another instance was faster and the cache is dropped. */
  async append(
    runId: RunId,
    run: Loaded<State>,
    decided: { events: Event[]; took: Taken; state: State; at: string; cause: Envelope | undefined },
  ): Promise<Loaded<State> | 'CONFLICT'> {
    const subject = this.kind.subjectOf(runSubjects(runId, this.log.partitions));
    const n = run.n + 1;
    const decision: Entry<Event> = {
      n,
      prevSeq: run.lastSeq,
      took: decided.took,
      at: decided.at,
      events: decided.events,
    };
    const message = messageOf(
      {
        subject,
        type: this.kind.contract.type,
        source: this.source,
        time: decided.at,
        chainIndex: n,
        ...(decided.cause === undefined ? {} : causedBy(decided.cause)),
      },
      decision,
    );
    const appended = await this.log.append(subject, message, run.lastSeq);
    if (appended.kind === 'CONFLICT') {
      this.forget(runId);
      return 'CONFLICT';
    }
    return this.remember(runId, {
      state: decided.state,
      n,
      lastSeq: appended.seq,
      sealedSeq: run.sealedSeq ?? (decided.events.some(this.kind.seals) ? appended.seq : null),
    });
  }
}
