import { parseSubject } from '@inquest/contracts/subjects';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { Poison } from '@inquest/event-log/work';
import type { Attempt } from '@inquest/model-client/model-endpoint';

/** What every attempt takes from its request: the key `<runId>/<step>`, and the time that is left. */
export const attemptFor = (
  { subject }: StoredMessage,
  deadlineAt: string,
  signal: AbortSignal,
): Pick<Attempt, 'idempotencyKey' | 'timeoutMs' | 'signal'> => {
  const parsed = parseSubject(subject);
  if (parsed?.family !== 'req') throw new Poison(`${subject} is no request`);
  return {
    idempotencyKey: `${parsed.runId}/${parsed.step}`,
    timeoutMs: Math.max(1, Date.parse(deadlineAt) - Date.now()),
    signal,
  };
};
