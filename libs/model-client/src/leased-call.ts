import type { DataOf, FactContract } from '@inquest/contracts/define-fact';
import type { AttemptFailure, AttemptRecord, FailedAttempt } from '@inquest/contracts/model-call';
import { callLease } from '@inquest/contracts/agent-facts';
import { parseSubject, runSubjects, type RunSubjects } from '@inquest/contracts/subjects';
import { EventLogUnavailable, type EventLog, type StoredMessage } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';
import { isStepStopped } from '@inquest/event-log/run-stop';
import { Poison, WorkAborted, type WorkContext } from '@inquest/event-log/work';
import { HeldLease } from './held-lease';
import { LEASE_TIMING, leaseLeftMs, type LeaseTiming } from './lease-timing';

export type LeasedCallsOptions = {
  log: EventLog;
  /** This process; new at every start, so that a restart never takes its predecessor's lease for its own. */
  holder: string;
  /** The service that writes: `agent-runner` or `semantic-guard`. */
  source: string;
  timing?: LeaseTiming;
};

/** One requested model call: what it needs, how it is made, what its result looks like. */
export type ModelWork<Contract extends FactContract, Prepared> = {
  message: StoredMessage;
  context: WorkContext;
  /** Of the result; one that breaks it is a broken invariant and throws. */
  result: Contract;
  /** Reads what the call needs. Runs beside the taking of the lease and has no effect. */
  prepare: () => Promise<Prepared>;
  /** The one HTTP call. Its failures are results. */
  call: (prepared: Prepared, signal: AbortSignal) => Promise<DataOf<Contract>>;
};

type Work = Pick<ModelWork<FactContract, unknown>, 'message' | 'context' | 'result'>;
/** The subjects of one step. */
type Place = { step: string; lease: string; result: string; run: RunSubjects };
/** `takenAtMs` is this process's monotonic clock. */
type TakenLease = { seq: number; takenAtMs: number };
const UNUSED_MAX = 10_000;
/** With a lease taken, a process that ends says so at once, instead of leaving others to wait until it expires. */
const UNSTARTED = { deadline: 'TIMEOUT', interrupt: 'NOT_STARTED', shutdown: 'ATTEMPT_LOST' } as const;

/**
 * Persisted model calls: at most one worker calls, the first stored result counts, and what may have been called is
 * never called again (architecture, 4). Read `res` if redelivered; take the lease; look whether the run still wants it;
 * call; put the result, which is the commit point. A lease that ran out without a result is a lost attempt: its result
 * is written as such, and only the harness asks for another.
 *
 * All reads are direct gets, the only ones that the broker's permissions can bind to a worker's own subjects. A follower
 * that has not seen a fact yet costs a wait, or a call whose answer is not taken; never a second call, since lease and
 * result are conditional writes.
 */
export class LeasedCalls {
  /** Leases of this process under which nothing was called yet, after a failure in between. */
  private readonly unused = new Map<string, TakenLease>();
  private readonly timing: LeaseTiming;

  constructor(private readonly options: LeasedCallsOptions) {
    this.timing = options.timing ?? LEASE_TIMING;
  }

  /** Returns when the step has its result; throws RetryLater while somebody else holds the call. */
  async run<Contract extends FactContract, Prepared>(work: ModelWork<Contract, Prepared>): Promise<void> {
    const { message, context } = work;
    const at = placeOf(message.subject, this.options.log.partitions);
    if (context.deliveryCount > 1 && (await this.options.log.readLast(at.result, 'any'))) return;
    if (context.signal.aborted) return this.endUnstarted(work, at);
    // Three round trips side by side: a lease alone is no effect, and it is dropped where the run is stopped.
    const [lease, stopped, prepared] = await Promise.all([
      this.take(at, message),
      isStepStopped(this.options.log, at.run, at.step, context),
      work.prepare(),
    ]);
    if (lease === undefined) return this.meetHolder(work, at);
    if (context.signal.aborted) return this.endUnstarted(work, at);
    this.unused.delete(at.lease);
    await this.commit(
      work,
      at,
      stopped ? failed('NOT_STARTED') : await this.callUnder(work, at, lease, prepared),
    );
  }

  private async callUnder<Contract extends FactContract, Prepared>(
    work: ModelWork<Contract, Prepared>,
    at: Place,
    taken: TakenLease,
    prepared: Prepared,
  ): Promise<unknown> {
    const { context, message } = work;
    const renewed = (renewal: number) => this.leaseMessage(at, message, renewal);
    const lease = new HeldLease(this.options.log, at.lease, taken, renewed, this.timing);
    try {
      const result = await work.call(prepared, AbortSignal.any([context.signal, lease.lost]));
      return wasAborted(result) ? { ...result, failure: causeOfAbort(context.signal, lease.lost) } : result;
    } finally {
      lease.release();
    }
  }

  /** Undefined: somebody has or had it. */
  private async take(at: Place, message: StoredMessage): Promise<TakenLease | undefined> {
    const takenAtMs = performance.now();
    const own = this.unused.get(at.lease);
    // An old one may be called expired by others at any moment.
    if (own && takenAtMs - own.takenAtMs < this.timing.giveUpMs) return own;
    const taken = await this.options.log.append(at.lease, this.leaseMessage(at, message, 0), 0);
    if (taken.kind === 'CONFLICT') return undefined;
    const lease = { seq: taken.seq, takenAtMs };
    this.unused.set(at.lease, lease);
    const [oldest] = this.unused.keys();
    if (this.unused.size > UNUSED_MAX && oldest !== undefined) this.unused.delete(oldest);
    return lease;
  }

  /** Somebody took the call before: it has ended, is still at work, or was lost. */
  private async meetHolder(work: Work, at: Place): Promise<void> {
    const { log } = this.options;
    const [result, lease] = await Promise.all([
      log.readLast(at.result, 'any'),
      log.readLast(at.lease, 'any'),
    ]);
    if (result) return;
    const leftMs = lease ? leaseLeftMs(lease.storedAtMs, Date.now(), this.timing) : this.timing.renewEveryMs;
    if (leftMs > 0) return work.context.retryLater(Math.ceil(leftMs) + 10);
    await this.commit(work, at, failed('ATTEMPT_LOST'));
  }

  /** The work was over before it began here. */
  private async endUnstarted(work: Work, at: Place): Promise<void> {
    const by = abortedBy(work.context.signal);
    if (by === 'shutdown' && !this.unused.has(at.lease)) return work.context.retryLater(0);
    this.unused.delete(at.lease);
    await this.commit(work, at, failed(UNSTARTED[by]));
  }

  /**
   * The commit point. EXISTS: somebody's result stands already, and ours is the late answer of a lost attempt. A broker
   * that does not answer is offered the same fact again, since after the call there is no second chance to have it.
   */
  private async commit(work: Work, at: Place, data: unknown): Promise<void> {
    const { envelope } = work.message;
    const frame = {
      subject: at.result,
      type: work.result.type,
      source: this.options.source,
      time: new Date().toISOString(),
    };
    const message = messageOf({ ...frame, ...causedBy(envelope) }, work.result.schema.parse(data));
    const until = performance.now() + this.timing.commitMs;
    for (let delayMs = 50; ; delayMs = Math.min(delayMs * 2, 1_000)) {
      try {
        await this.options.log.putIfAbsent(at.result, message);
        return;
      } catch (error) {
        if (!(error instanceof EventLogUnavailable) || performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  private leaseMessage(at: Place, { envelope }: StoredMessage, renewal: number) {
    const frame = {
      subject: at.lease,
      type: callLease.type,
      source: this.options.source,
      time: new Date().toISOString(),
    };
    return messageOf(
      { ...frame, ...causedBy(envelope), chainIndex: renewal },
      { holder: this.options.holder, renewal },
    );
  }
}

const placeOf = (subject: string, partitions: number): Place => {
  const parsed = parseSubject(subject);
  if (parsed?.family !== 'req') throw new Poison(`${subject} is no request`);
  const { service, step } = parsed;
  const run = runSubjects(parsed.runId, partitions);
  return {
    step,
    lease: run.call(service, step),
    result: run.res(service, step),
    run,
  };
};

export const failed = (failure: AttemptFailure, record: AttemptRecord | null = null): FailedAttempt => ({
  kind: 'FAILED',
  failure,
  retryAfterMs: null,
  record,
});

const wasAborted = (result: unknown): result is FailedAttempt => {
  const { kind, failure } = (result ?? {}) as Partial<FailedAttempt>;
  return kind === 'FAILED' && failure === 'ABORTED';
};

const abortedBy = (signal: AbortSignal): WorkAborted['by'] =>
  signal.reason instanceof WorkAborted ? signal.reason.by : 'interrupt';

/** Why a call that was under way was given up: by the run, by its deadline, or for reasons of this process. */
const causeOfAbort = (signal: AbortSignal, lost: AbortSignal): AttemptFailure => {
  if (!signal.aborted) return lost.aborted ? 'ATTEMPT_LOST' : 'TRANSPORT';
  const by = abortedBy(signal);
  if (by === 'deadline') return 'TIMEOUT';
  return by === 'shutdown' ? 'ATTEMPT_LOST' : 'ABORTED';
};
