import type { RunId } from '@inquest/contracts/ids';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { agentResult } from '@inquest/contracts/agent-facts';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import type { FoldedRun } from '@inquest/run-view/fold-run';
import { ReleaseUnverifiable, verifiedReport, verifiedSnapshot } from '@inquest/run-view/released-bytes';
import type { ReleasedContent } from './projected-run';

/** The bytes that both guards passed, read by name from the log and checked against the hashes of the release. */
export const releasedContent = async (
  log: EventLog,
  payloads: PayloadStore,
  fold: FoldedRun,
): Promise<ReleasedContent | undefined> => {
  const { release, draftStep } = fold;
  const { runId } = fold.view;
  if (release === null || release.reportHash === null || release.evidenceStep === null) return undefined;
  if (release.form === 'OUT_OF_SCOPE_REPLY') return undefined;
  const subjects = runSubjects(runId, log.partitions);
  const [evidence, draft] = await Promise.all([
    log.readLast(subjects.res('evidence', release.evidenceStep), 'leader'),
    draftStep === null ? undefined : log.readLast(subjects.res('agent', draftStep), 'leader'),
  ]);
  const result = evidenceResult.schema.safeParse(evidence?.data);
  if (!result.success || result.data.kind !== 'ACCEPTED') {
    throw new ReleaseUnverifiable(runId, 'its evidence result is not in the log');
  }
  const snapshotText = await loadPayload(payloads, result.data.snapshot);
  const { report: reportText } = verifiedSnapshot(runId, snapshotText, release);
  const part = verifiedReport(reportText, { runId, form: release.form, reportHash: release.reportHash });
  const author = agentResult.schema.safeParse(draft?.data);
  return {
    part,
    author: author.success ? (author.data.record?.model ?? null) : null,
    reportText,
    snapshotText,
  };
};

/** Every finished invocation of a released run: its evidence outlives the log, so that an old report stays checkable. */
export const releasedEvidence = async (
  log: EventLog,
  runId: RunId,
  fold: FoldedRun,
): Promise<LedgerEntry[]> => {
  if (fold.release === null) return [];
  const subjects = runSubjects(runId, log.partitions);
  const entries = await Promise.all(
    [...fold.calls.values()].map(async ({ service, step }) => {
      const message = await log.readLast(subjects.res(service, step), 'leader');
      const entry = LedgerEntry.safeParse(message?.data);
      return entry.success ? [entry.data] : [];
    }),
  );
  return entries.flat();
};
