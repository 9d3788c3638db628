import type { Finding, FindingId, HypothesisId } from '@inquest/contracts/case-parts';
import type { MatrixRow } from '@inquest/contracts/case-view';

/** The finding as a row: it is diagnostic when two hypotheses read it differently. */
export const matrixRow = ({ id, cells }: Pick<Finding, 'id' | 'cells'>): MatrixRow => ({
  findingId: id,
  cells,
  diagnostic: new Set(cells.map(({ cell }) => cell)).size > 1,
});

/** Whether the finding tells this hypothesis from an alternative; about what it does not rate it is neutral. */
export const tellsApart = (
  matrix: readonly MatrixRow[],
  findingId: FindingId,
  requested: HypothesisId,
): boolean => {
  const cells = matrix.find((row) => row.findingId === findingId)?.cells ?? [];
  const own = cells.find(({ hypothesisId }) => hypothesisId === requested)?.cell ?? 'neutral';
  return cells.some(({ hypothesisId, cell }) => hypothesisId !== requested && cell !== own);
};
