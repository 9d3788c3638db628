import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import type { EventLog } from '@inquest/event-log/event-log';
import { onReconnect } from '@inquest/event-log/reconnects';
import { runIdOf } from '@inquest/event-log/run-id-of';
import type { Interrupts } from '@inquest/event-log/work';
import { OWNER_STREAMS_MAX } from '@inquest/contracts/inbound-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import type { Logger } from './logger';

/** How long a fact that was seen on the wire may take to be readable; what is not stored by then was refused. */
const STORED_WITHIN_MS = [0, 5, 20, 100, 500] as const;
/** Kept signals of runs asked for by {@link RunInterrupts.signalFor}; the oldest is dropped beyond that. */
const SIGNALS_MAX = 4_096;
/** Cancellations of the last minutes at any rate that a deployment sees. */
const HEARD_MAX = 16_384;
/** What was written before this process listened has come to the harness, and so to no new request, by then. */
const LISTENED_MIN_MS = 5_000;

/**
 * Interrupts work on cancelled runs. It listens to the runs' `in` facts as they pass, and acts on one only after it has
 * read it back from the log: what the log refused never happened. A plain subscription, and not an ordered consumer,
 * since it needs no JetStream API permission and holds nothing on the broker; what a lost connection hides is found by
 * asking, after the reconnect, for the cancel facts of the few runs that are in flight here.
 */
export class RunInterrupts implements Interrupts {
  private readonly watched = new Map<string, Set<() => void>>();
  private readonly signals = new Map<string, { signal: AbortSignal; release: () => void }>();
  /** Runs of which an ending was heard on the wire, stored or not; the oldest goes first. */
  private readonly heard = new Set<string>();
  private listeningSince = performance.now();
  private readonly sub: Subscription;
  private readonly releaseConnection: () => void;

  constructor(
    nc: NatsConnection,
    private readonly log: EventLog,
    private readonly logger: Logger,
    private readonly listenedMinMs = LISTENED_MIN_MS,
  ) {
    this.sub = nc.subscribe('diag.*.*.in.>', {
      callback: (error, msg) => {
        if (error) return this.logger.error('interrupts are not readable', { why: error.message });
        if (/\.in\.(cancel|disconnect-\d+)$/.test(msg.subject)) {
          this.remember(runIdOf(msg.subject));
          void this.consider(msg.subject);
        }
      },
    });
    this.releaseConnection = onReconnect(nc, () => {
      this.listeningSince = performance.now();
      for (const runId of [...this.watched.keys()]) void this.catchUp(runId);
    });
  }

  watch(runId: string, fire: () => void): () => void {
    const fires = this.watched.get(runId) ?? new Set();
    this.watched.set(runId, fires.add(fire));
    return () => {
      fires.delete(fire);
      if (fires.size === 0) this.watched.delete(runId);
    };
  }

  isQuiet(runId: string): boolean {
    return !this.heard.has(runId) && performance.now() - this.listeningSince > this.listenedMinMs;
  }

  /** Fires when the run is cancelled from now on; an earlier cancel is for the caller to read. */
  signalFor(runId: string): AbortSignal {
    const known = this.signals.get(runId);
    if (known) return known.signal;
    const controller = new AbortController();
    const release = this.watch(runId, () => controller.abort(new Error('the run was cancelled')));
    this.signals.set(runId, { signal: controller.signal, release });
    if (this.signals.size > SIGNALS_MAX) this.dropOldest();
    return controller.signal;
  }

  close(): void {
    this.releaseConnection();
    this.sub.unsubscribe();
    this.watched.clear();
    this.signals.clear();
  }

  private remember(runId: string | undefined): void {
    if (runId === undefined) return;
    this.heard.add(runId);
    const [oldest] = this.heard;
    if (this.heard.size > HEARD_MAX && oldest !== undefined) this.heard.delete(oldest);
  }

  private dropOldest(): void {
    const [oldest] = this.signals;
    if (!oldest) return;
    oldest[1].release();
    this.signals.delete(oldest[0]);
  }

  private async consider(subject: string): Promise<void> {
    const runId = runIdOf(subject);
    if (!runId || !this.watched.has(runId)) return;
    for (const delayMs of STORED_WITHIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const found = await this.read(subject);
      if (found === 'cancels') this.fire(runId, subject);
      if (found !== 'absent') return;
    }
  }

  /** Whether the fact stands in the log, and says that the run is to end. */
  private async read(subject: string): Promise<'absent' | 'cancels' | 'goes on'> {
    try {
      const fact = await this.log.readLast(subject, 'any');
      if (!fact) return 'absent';
      if (subject.endsWith('.in.cancel')) return 'cancels';
      return (fact.data as { cancels?: unknown } | null)?.cancels === true ? 'cancels' : 'goes on';
    } catch (error) {
      this.logger.warn('interrupt could not be read', { runId: runIdOf(subject), why: String(error) });
      return 'absent';
    }
  }

  private fire(runId: string, subject: string): void {
    const fires = this.watched.get(runId);
    if (!fires) return;
    this.logger.info('work interrupted', { runId, by: subject.slice(subject.lastIndexOf('.') + 1) });
    for (const fire of [...fires]) fire();
  }

  private async catchUp(runId: string): Promise<void> {
    const subjects = runSubjects(runId, this.log.partitions);
    if ((await this.read(subjects.in('cancel'))) === 'cancels')
      return this.fire(runId, subjects.in('cancel'));
    for (let n = 1; n <= OWNER_STREAMS_MAX; n++) {
      const subject = subjects.in(`disconnect-${n}`);
      const found = await this.read(subject);
      if (found === 'cancels') return this.fire(runId, subject);
      if (found === 'absent') return;
    }
  }
}
