import type { Coordinates } from '@inquest/contracts/case-parts';
import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { RunId } from '@inquest/contracts/ids';

/** A diagnosis that both guards passed, and what people said about where code lives. */
export type AcceptedDiagnosis = {
  caseId: RunId;
  /** `analysis/diagnosis/NNNN/` */
  ref: string;
  snapshotHash: string;
  reportHash: string;
  report: DiagnosisDraft;
  coordinates: readonly Coordinates[];
};
