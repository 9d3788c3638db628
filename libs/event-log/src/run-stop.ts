import { isStopped } from '@inquest/contracts/run-stopped';
import type { RunSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from './event-log';
import type { WorkContext } from './work';

/**
 * Whether a step must not begin any more, by the run's cancel fact and its last decision (architecture, 4). Fresh work
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
  const [cancel, decision] = await Promise.all([
    log.readLast(run.in('cancel'), 'any'),
    log.readLast(run.chain, 'any'),
  ]);
  return cancel !== undefined || isStopped(decision?.data, step);
};
