import type { Finding } from '../rules/finding';

export type Quoted = { toolCallId: string; quote: string };

const QUOTES_MAX = 8;
const QUOTE_CHARS = { min: 8, max: 200 } as const;

/** `"name":value` as it stands in a projection. */
const fragmentOf = ({ path, value }: Finding['facts'][number]): string =>
  `${JSON.stringify(path.split('/').at(-1) ?? '')}:${JSON.stringify(value)}`;

/** Pieces of the projections, byte for byte, in which the heavier findings stand. */
export const directEvidence = (
  findings: readonly Finding[],
  projections: ReadonlyMap<string, string>,
): Quoted[] => {
  const offered = [...findings]
    .sort((a, b) => b.weight - a.weight)
    .flatMap((finding) => [
      ...finding.quotes.map(({ toolCallId, quote }) => ({ toolCallId: String(toolCallId), quote })),
      ...finding.facts.map((fact) => ({ toolCallId: String(fact.toolCallId), quote: fragmentOf(fact) })),
    ]);
  const verbatim = offered.filter(
    ({ toolCallId, quote }) =>
      quote.length >= QUOTE_CHARS.min &&
      quote.length <= QUOTE_CHARS.max &&
      projections.get(toolCallId)?.includes(quote) === true,
  );
  return [...new Map(verbatim.map((item) => [`${item.toolCallId} ${item.quote}`, item])).values()].slice(
    0,
    QUOTES_MAX,
  );
};
