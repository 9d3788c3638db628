import { investigatorResult } from '@inquest/contracts/case-facts';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import { verifiedCase, type ReleasedCase } from '@inquest/run-view/complete-case';
import type { FoldedCase } from '@inquest/run-view/folded-case';
import { ReleaseUnverifiable } from '@inquest/run-view/released-bytes';

export type CaseContent = ReleasedCase & { author: string | null };

/** The bytes that both guards passed, read by name from the log and checked against the hashes of the case's end. */
export const caseContent = async (
  log: EventLog,
  payloads: PayloadStore,
  fold: FoldedCase,
): Promise<CaseContent | undefined> => {
  const { release, draftStep } = fold;
  const { caseId } = fold.view;
  if (release === null) return undefined;
  const subjects = runSubjects(caseId, log.partitions);
  const [evidence, draft] = await Promise.all([
    log.readLast(subjects.res('evidence', release.evidenceStep), 'leader'),
    draftStep === null ? undefined : log.readLast(subjects.res('investigator', draftStep), 'leader'),
  ]);
  const result = evidenceResult.schema.safeParse(evidence?.data);
  if (!result.success || result.data.kind !== 'ACCEPTED') {
    throw new ReleaseUnverifiable(caseId, 'its evidence result is not in the log');
  }
  const released = verifiedCase(caseId, await loadPayload(payloads, result.data.snapshot), fold);
  const author = investigatorResult.schema.safeParse(draft?.data);
  return { ...released, author: author.success ? (author.data.record?.model ?? null) : null };
};

/** Every settled action of a released case: its evidence outlives the log, so that an old report stays checkable. */
export const caseEvidence = async (log: EventLog, fold: FoldedCase): Promise<LedgerEntry[]> => {
  if (fold.release === null) return [];
  const subjects = runSubjects(fold.view.caseId, log.partitions);
  const settled = [...fold.calls.values()].filter((call) => call.settled !== null);
  const entries = await Promise.all(
    settled.map(async ({ service, step }) => {
      const message = await log.readLast(subjects.res(service, step), 'leader');
      const entry = LedgerEntry.safeParse(message?.data);
      return entry.success ? [entry.data] : [];
    }),
  );
  return entries.flat();
};
