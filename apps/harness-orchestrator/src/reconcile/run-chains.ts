import type { Envelope } from '@inquest/contracts/envelope';
import type { RunId } from '@inquest/contracts/ids';
import { runDecision, type RunDecision, type RunEvent } from '@inquest/contracts/run-decision';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';
import { evolve } from '../run/run.evolve';
import type { RunState } from '../run/run.state';

/** A run as folded from its chain; `n` is the index of the last entry, -1 for none. */
export type LoadedRun = { state: RunState; n: number; lastSeq: number; sealedSeq: number | null };

/** The chain does not begin at n = 0: its older entries have left the log, and nothing may be decided on the rest. */
export class ChainExpired extends Error {
  constructor(runId: string) {
    super(`the beginning of run ${runId} is no longer in the log`);
    this.name = 'ChainExpired';
  }
}

/** Entries that do not follow each other: something other than the harness wrote them. */
export class ChainBroken extends Error {
  constructor(runId: string, n: number) {
    super(`entry ${n} of run ${runId} does not follow its predecessor`);
    this.name = 'ChainBroken';
  }
}

export const EMPTY_CHAIN: LoadedRun = {
  state: { status: 'NOT_STARTED' },
  n: -1,
  lastSeq: 0,
  sealedSeq: null,
};

const seals = (events: readonly RunEvent[]): boolean => events.some((e) => e.type === 'OutcomeSealed');

export type Taken = RunDecision['took'];

/** Folded runs of this process. A cache only: optimistic appends find out when it is stale. */
const CACHE_RUNS_MAX = 5_000;

export class RunChains {
  private readonly cache = new Map<string, LoadedRun>();

  constructor(
    private readonly log: EventLog,
    private readonly source: string,
  ) {}

  cached(runId: RunId): LoadedRun | undefined {
    return this.cache.get(runId);
  }

  forget(runId: RunId): void {
    this.cache.delete(runId);
  }

  private remember(runId: RunId, loaded: LoadedRun): LoadedRun {
    this.cache.delete(runId);
    this.cache.set(runId, loaded);
    if (this.cache.size > CACHE_RUNS_MAX) this.cache.delete(this.cache.keys().next().value ?? '');
    return loaded;
  }

  /** Reads and folds the chain by its exact subject. */
  async load(runId: RunId): Promise<LoadedRun> {
    const messages = await this.log.readChain(runSubjects(runId, this.log.partitions).chain);
    const loaded = messages.reduce((run, message) => this.fold(runId, run, message), EMPTY_CHAIN);
    return loaded.n < 0 ? loaded : this.remember(runId, loaded);
  }

  private fold(runId: RunId, run: LoadedRun, message: StoredMessage): LoadedRun {
    const decision = runDecision.schema.parse(message.data) as RunDecision;
    if (run.n < 0 && decision.n !== 0) throw new ChainExpired(runId);
    if (decision.n !== run.n + 1 || decision.prevSeq !== run.lastSeq)
      throw new ChainBroken(runId, decision.n);
    return {
      state: decision.events.reduce(evolve, run.state),
      n: decision.n,
      lastSeq: message.seq,
      sealedSeq: run.sealedSeq ?? (seals(decision.events) ? message.seq : null),
    };
  }

  /** Appends one decision after `run`; CONFLICT means that another instance was faster and the cache is dropped. */
  async append(
    runId: RunId,
    run: LoadedRun,
    decided: { events: RunEvent[]; took: Taken; state: RunState; at: string; cause: Envelope | undefined },
  ): Promise<LoadedRun | 'CONFLICT'> {
    const subject = runSubjects(runId, this.log.partitions).chain;
    const n = run.n + 1;
    const decision: RunDecision = {
      n,
      prevSeq: run.lastSeq,
      took: decided.took,
      at: decided.at,
      events: decided.events,
    };
    const message = messageOf(
      {
        subject,
        type: runDecision.type,
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
      sealedSeq: run.sealedSeq ?? (seals(decided.events) ? appended.seq : null),
    });
  }
}
