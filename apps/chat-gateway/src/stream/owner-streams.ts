import { Logger } from '@nestjs/common';
import type { RunId } from '@inquest/contracts/ids';
import { OWNER_STREAMS_MAX, streamAttached, streamDisconnected } from '@inquest/contracts/inbound-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import { EventLogUnavailable, type EventLog } from '@inquest/event-log/event-log';
import { gatewayFact } from '../gateway-facts';
import { ProblemError } from '../http/problem-error';

const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 5_000;
/** No run lasts longer than an hour: a disconnect that could not be written by then concerns nobody. */
const RETRY_FOR_MS = 3_600_000;

/** Writes down when the owner's event stream came and when it was lost. */
export class OwnerStreams {
  private readonly logger = new Logger(OwnerStreams.name);
  private stopped = false;

  constructor(private readonly log: EventLog) {}

  /** Records a new owner stream and returns its number. Throws `too-many-streams` after 32. */
  async attach(runId: RunId): Promise<number> {
    for (let n = 1; n <= OWNER_STREAMS_MAX; n += 1) {
      const subject = runSubjects(runId, this.log.partitions).in(`attach-${n}`);
      const put = await this.log.putIfAbsent(
        subject,
        gatewayFact(streamAttached, subject, { n, at: new Date().toISOString() }),
      );
      if (put.kind === 'WRITTEN') return n;
    }
    throw new ProblemError('too-many-streams', { detail: 'Follow the run without its stream token.' });
  }

  /**
   * Records the loss of owner stream `n`, however long the log takes to answer: without a grace it is the request to
   * cancel. An owner who has come back by another stream since has lost nothing.
   */
  async lost(runId: RunId, n: number, graceMs: number): Promise<void> {
    const at = new Date().toISOString();
    const deadline = performance.now() + RETRY_FOR_MS;
    for (
      let delayMs = RETRY_MIN_MS;
      !this.stopped && performance.now() < deadline;
      delayMs = Math.min(delayMs * 2, RETRY_MAX_MS)
    ) {
      try {
        return await this.record(runId, n, { n, at, graceMs, cancels: graceMs === 0 });
      } catch (error) {
        if (!(error instanceof EventLogUnavailable)) throw error;
        this.logger.warn(`the disconnect of ${runId} waits for the log`);
        await new Promise((resolve) => setTimeout(resolve, delayMs).unref());
      }
    }
  }

  stop(): void {
    this.stopped = true;
  }

  private async record(
    runId: RunId,
    n: number,
    data: { n: number; at: string; graceMs: number; cancels: boolean },
  ): Promise<void> {
    const subjects = runSubjects(runId, this.log.partitions);
    if (n < OWNER_STREAMS_MAX && (await this.log.readLast(subjects.in(`attach-${n + 1}`), 'leader'))) return;
    const subject = subjects.in(`disconnect-${n}`);
    await this.log.putIfAbsent(subject, gatewayFact(streamDisconnected, subject, data));
  }
}
