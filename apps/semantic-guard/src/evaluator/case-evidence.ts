import type { EvaluatorRequested } from '@inquest/contracts/case-facts';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { runSubjects } from '@inquest/contracts/subjects';
import { PayloadUnusable, type EventLog, type PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import type { EvaluatorEvidence } from './evaluator-document';

/**
 * The results that a request names, each by its subject and checked against the content hash that stands in the chain.
 * Undefined where one is not that content: there is nothing to evaluate then.
 */
export const readCaseEvidence = async (
  log: EventLog,
  payloads: PayloadStore,
  caseId: string,
  { evidence }: EvaluatorRequested,
): Promise<Map<string, EvaluatorEvidence> | undefined> => {
  const subjects = runSubjects(caseId, log.partitions);
  const found = await Promise.all(
    evidence.map(async ({ toolCallId, service, step, contentHash }) => {
      const subject = subjects.res(service, step);
      const message = await log.readLast(subject, 'any');
      if (!message) throw new Error(`${subject} is named by a request and not there (yet)`);
      const entry = LedgerEntry.safeParse(message.data).data;
      if (entry?.toolCallId !== toolCallId || entry.contentHash !== contentHash) return undefined;
      const projection = await usable(loadPayload(payloads, entry.projection));
      return projection === undefined ? undefined : { entry, projection };
    }),
  );
  const whole = found.flatMap((each) => (each === undefined ? [] : [[each.entry.toolCallId, each] as const]));
  return whole.length === evidence.length ? new Map<string, EvaluatorEvidence>(whole) : undefined;
};

const usable = (text: Promise<string>): Promise<string | undefined> =>
  text.catch((error: unknown) => {
    if (error instanceof PayloadUnusable) return undefined;
    throw error;
  });
