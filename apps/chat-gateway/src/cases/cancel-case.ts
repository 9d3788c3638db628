import type { CaseView } from '@inquest/contracts/case-view';
import type { RunId } from '@inquest/contracts/ids';
import { cancelRequested, type CancelRequested } from '@inquest/contracts/inbound-facts';
import type { EventLog } from '@inquest/event-log/event-log';
import { gatewayFact } from '../gateway-facts';
import { ProblemError } from '../http/problem-error';
import { cancelStands } from '../runs/cancel-run';
import type { RunReader } from '../runs/run-reader';
import type { CaseReader } from './case-reader';

const alreadyDecided = (): ProblemError =>
  new ProblemError('already-decided', { detail: 'Read the case: its outcome stands.' });

export class CaseCanceller {
  constructor(
    private readonly log: EventLog,
    private readonly reader: CaseReader,
    private readonly facts: Pick<RunReader, 'subjectsOf'>,
  ) {}

  /** Asks a case to stop, once; repeating it changes nothing. Throws `not-found` and `already-decided`. */
  async cancel(
    caseId: RunId,
    tenant: string,
    by: Pick<CancelRequested, 'cause' | 'principal'>,
  ): Promise<CaseView['status']> {
    const logged = await this.reader.fromLog(caseId, tenant);
    if (!logged) {
      // What the log no longer holds has ended long ago, or never was.
      await this.reader.find(caseId, tenant);
      throw alreadyDecided();
    }
    const subject = this.facts.subjectsOf(caseId).in('cancel');
    const before = await this.log.readLast(subject, 'leader');
    if (before) return answer(before.seq, logged.folded);
    if (logged.folded.sealedSeq !== null || logged.folded.terminalSeq !== null) throw alreadyDecided();
    const data = { ...by, requestedAt: new Date().toISOString() };
    const put = await this.log.putIfAbsent(
      subject,
      gatewayFact(cancelRequested, subject, data, { principal: by.principal }),
    );
    const seq = put.kind === 'WRITTEN' ? put.seq : (await this.log.readLast(subject, 'leader'))?.seq;
    // The seal may have been written meanwhile: which of the two stands is told by their positions.
    const now = await this.reader.fromLog(caseId, tenant);
    return answer(seq ?? Number.POSITIVE_INFINITY, (now ?? logged).folded);
  }
}

const answer = (
  cancelSeq: number,
  folded: Parameters<typeof cancelStands>[1] & { view: CaseView },
): CaseView['status'] => {
  if (!cancelStands(cancelSeq, folded)) throw alreadyDecided();
  return folded.view.status;
};
