import type { CaseView } from '@inquest/contracts/case-view';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import { changeRequestOf } from './change-request';
import type { FoldedCase } from './folded-case';
import { ReleaseUnverifiable, verifiedReport, verifiedSnapshot } from './released-bytes';

/** What a released case adds to its chain, from other facts of the log. */
export type ReleasedCase = { report: DiagnosisDraft; reportText: string; snapshotText: string };

/**
 * Opens the bytes that both guards passed, by the exact text of their snapshot. Throws {@link ReleaseUnverifiable} for
 * bytes that are not the released ones: nobody is shown those.
 */
export const verifiedCase = (caseId: string, snapshotText: string, folded: FoldedCase): ReleasedCase => {
  const { release } = folded;
  if (release === null || release.reportHash === null)
    throw new ReleaseUnverifiable(caseId, 'no accepted draft of its chain has the released snapshot');
  const { snapshotHash, reportHash } = release;
  const { report: reportText } = verifiedSnapshot(caseId, snapshotText, { snapshotHash, reportHash });
  return { report: caseReport(caseId, reportText, reportHash), reportText, snapshotText };
};

/** The report of these bytes, if they are those with this hash. */
export const caseReport = (caseId: string, reportText: string, reportHash: string): DiagnosisDraft => {
  const { report } = verifiedReport(reportText, { runId: caseId, form: 'REPORT', reportHash });
  if (!report) throw new ReleaseUnverifiable(caseId, 'it holds no report');
  return report;
};

/** The view with its released report, and with what follows from it for a change of code. */
export const withReport = (view: CaseView, report: DiagnosisDraft, author: string | null): CaseView => {
  const { status, caseId, diagnosis, snapshotHash, reportHash, coordinates } = view;
  const accepted = status === 'DIAGNOSED' && diagnosis && snapshotHash && reportHash;
  return {
    ...view,
    report,
    author,
    changeRequest: accepted
      ? changeRequestOf({ caseId, ref: diagnosis.ref, snapshotHash, reportHash, report, coordinates })
      : null,
  };
};
