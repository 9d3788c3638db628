import type { CaseRequested } from '@inquest/contracts/case-facts';
import { foldCaseEntry } from '@inquest/run-view/fold-case';
import { receivedCase, type CaseEntry, type FoldedCase } from '@inquest/run-view/folded-case';

/** A case as far as the projection has seen it; `before` is how it stood before its last entry. */
export type ProjectedCase = {
  request: CaseRequested;
  fold: FoldedCase;
  before: FoldedCase;
  lastSeq: number;
};

export const receivedCaseProjection = (request: CaseRequested, seq: number): ProjectedCase => {
  const fold = receivedCase(request);
  return { request, fold, before: fold, lastSeq: seq };
};

/** One more entry; what comes after the terminal one (late results) changes no row. */
export const withCaseEntry = (projected: ProjectedCase, entry: CaseEntry): ProjectedCase =>
  projected.fold.terminalSeq === null
    ? { ...projected, before: projected.fold, fold: foldCaseEntry(projected.fold, entry), lastSeq: entry.seq }
    : { ...projected, lastSeq: entry.seq };
