import type { Analysis, Fact } from '@inquest/contracts/draft';
import type { DraftReading } from './read-draft';

export const negatives = ({ diagnosis }: DraftReading): { at: string; analysis: Analysis }[] =>
  (diagnosis?.analyses ?? []).flatMap((analysis, i) =>
    analysis.kind === 'NEGATIVE_OBSERVATION' ? [{ at: `/analyses/${i}`, analysis }] : [],
  );

/** Facts that count to zero. A rounded zero may hide something and does not count. */
export const zeroCountsOf = ({ facts = [] }: Analysis): Fact[] =>
  facts.filter(({ value, policy }) => value === 0 && (policy === 'exact' || policy === 'count'));
