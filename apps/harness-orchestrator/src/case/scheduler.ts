import type { Confidence } from '@inquest/contracts/case-parts';
import type { Case, HypothesisRecord } from './case.state';

/** Highest first. An order of words, no measure (E14). */
const RANK: Record<Confidence, number> = {
  strongly_supported: 5,
  supported: 4,
  weakly_supported: 3,
  unassessed: 2,
  contradicted: 1,
  refuted: 0,
};

export const byConfidence = (a: HypothesisRecord, b: HypothesisRecord): number =>
  RANK[b.confidence] - RANK[a.confidence] || a.spent - b.spent || a.id.localeCompare(b.id);

/**
 * Whose turn is next: first every hypothesis once, by its id; then the highest confidence, ties by fewest spent actions,
 * then by id. One that waits for results has nothing to say yet.
 */
export const nextHypothesis = ({ hypotheses }: Pick<Case, 'hypotheses'>): HypothesisRecord | undefined => {
  const ready = hypotheses.filter((h) => h.state === 'open' && h.reserved === 0);
  return ready.find((h) => !h.hadTurn) ?? [...ready].sort(byConfidence)[0];
};
