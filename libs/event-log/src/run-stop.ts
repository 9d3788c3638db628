import { isCaseStopped, isStopped } from '@inquest/contracts/run-stopped';
import { isCaseStep } from '@inquest/contracts/case-steps';
import type { RunSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from './event-log';
import type { WorkContext } from './work';

/**
 * Whether a step must not begin any more, by the cancel fact and the last decision of its run or case (architecture, 4). Fresh work
 * is not asked about: what would stop it has not been heard on the wire, and whatever was missed cannot lead to a
 * release, which reads the inbound facts from the leader after the seal.
 */
export const isStepStopped = async (
  log: EventLog,
  run: RunSubjects,
  step: string,
  context: Pick<WorkContext, 'fresh'>,
): Promise<boolean> => {
  if (context.fresh) return false;
  const ofCase = isCaseStep(step);
  const [cancel, decision] = await Promise.all([
    log.readLast(run.in('cancel'), 'any'),
    log.readLast(ofCase ? run.caseChain : run.chain, 'any'),
  ]);
  return cancel !== undefined || (ofCase ? isCaseStopped(decision?.data) : isStopped(decision?.data, step));
};
