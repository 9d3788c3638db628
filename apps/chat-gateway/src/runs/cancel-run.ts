import type { RunId } from '@inquest/contracts/ids';
import type { RunStatus } from '@inquest/contracts/run-view';
import { cancelRequested, type CancelRequested } from '@inquest/contracts/inbound-facts';
import type { EventLog } from '@inquest/event-log/event-log';
import { gatewayFact } from '../gateway-facts';
import { ProblemError } from '../http/problem-error';
import type { RunReader } from './run-reader';
import { foldRun, type FoldedRun } from '@inquest/run-view/fold-run';

/**
 * Whether a cancellation at this position stands: everything before the seal does, nothing behind it. A run that ended
 * without a seal was cancelled, and the request came before that or not at all.
 */
export const cancelStands = (
  cancelSeq: number,
  { sealedSeq, terminalSeq }: Pick<FoldedRun, 'sealedSeq' | 'terminalSeq'>,
): boolean => cancelSeq < (sealedSeq ?? terminalSeq ?? Number.POSITIVE_INFINITY);

const alreadyDecided = (): ProblemError =>
  new ProblemError('already-decided', { detail: 'Read the run: its outcome stands.' });

export class RunCanceller {
  constructor(
    private readonly log: EventLog,
    private readonly reader: RunReader,
  ) {}

  /** Asks a run to stop, once; repeating it changes nothing. Throws `not-found` and `already-decided`. */
  async cancel(
    runId: RunId,
    tenant: string,
    by: Pick<CancelRequested, 'cause' | 'principal'>,
  ): Promise<RunStatus> {
    const logged = await this.reader.fromLog(runId, tenant);
    if (!logged) {
      // What the log no longer holds has ended long ago, or never was.
      await this.reader.find(runId, tenant);
      throw alreadyDecided();
    }
    const subject = this.reader.subjectsOf(runId).in('cancel');
    const before = await this.log.readLast(subject, 'leader');
    if (before) return this.answer(before.seq, logged.folded);
    if (logged.folded.sealedSeq !== null || logged.folded.terminalSeq !== null) throw alreadyDecided();
    const data = { ...by, requestedAt: new Date().toISOString() };
    const put = await this.log.putIfAbsent(
      subject,
      gatewayFact(cancelRequested, subject, data, { principal: by.principal }),
    );
    const seq = put.kind === 'WRITTEN' ? put.seq : (await this.log.readLast(subject, 'leader'))?.seq;
    // The seal may have been written meanwhile: which of the two stands is told by their positions.
    const folded = foldRun(logged.request, await this.reader.chain(runId));
    return this.answer(seq ?? Number.POSITIVE_INFINITY, folded);
  }

  private answer(cancelSeq: number, folded: FoldedRun): RunStatus {
    if (!cancelStands(cancelSeq, folded)) throw alreadyDecided();
    return folded.terminalSeq === null ? 'CANCELLING' : folded.view.status;
  }
}
