import type { Analysis, Fact } from '@inquest/contracts/draft';
import type { DraftReading } from './read-draft';

export const negatives = ({ diagnosis }: DraftReading): { at: string; analysis: Analysis }[] =>
  (diagnosis?.analyses ?? []).flatMap((analysis, i) =>
    analysis.kind === 'NEGATIVE_OBSERVATION' ? [{ at: `/analyses/${i}`, analysis }] : [],
  );

/** Facts that count to zero. A rounded zero may hide something and does not count. */
export const zeroCountsOf = ({ facts = [] }: Analysis): Fact[] =>
  facts.filter(({ value, policy }) => value === 0 && (policy === 'exact' || policy === 'count'));

/** Typed members that state that something was there. Entities only name what is spoken of. */
export const presencesOf = (analysis: Analysis): { path: string; toolCallId: string }[] => {
  const { facts = [], quotes = [], derived = [] } = analysis;
  const zeroes = new Set(zeroCountsOf(analysis));
  return [
    ...facts.flatMap((fact, k) =>
      zeroes.has(fact) ? [] : [{ path: `facts/${k}`, toolCallId: fact.toolCallId }],
    ),
    ...quotes.map(({ toolCallId }, k) => ({ path: `quotes/${k}`, toolCallId })),
    ...derived.flatMap(({ value, operands: [first] }, k) =>
      value === 0 || !first ? [] : [{ path: `derived/${k}`, toolCallId: first.toolCallId }],
    ),
  ];
};
