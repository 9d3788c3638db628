import type { Scope } from '@inquest/contracts/scope';

const DIMENSIONS = ['service', 'namespace', 'env'] as const;
export type Dimension = (typeof DIMENSIONS)[number] | 'filter';

/** `level=ERROR, status=503` as its restrictions. A comma inside a value belongs to the value. */
const restrictionsOf = (filter: string | undefined): string[] =>
  filter === undefined ? [] : filter.split(/, (?=[A-Za-z_][\w.-]{0,63}[=!<>~])/);

/**
 * The dimensions in which a claim reaches beyond a query: where the query was restricted, the claim must repeat the
 * restriction; where it was not, the claim may be as narrow as it likes.
 */
export const dimensionsBeyond = (claim: Scope, query: Scope): Dimension[] => {
  const beyond: Dimension[] = DIMENSIONS.filter((d) => query[d] !== undefined && claim[d] !== query[d]);
  const claimed = new Set(restrictionsOf(claim.filter));
  if (restrictionsOf(query.filter).some((restriction) => !claimed.has(restriction))) beyond.push('filter');
  return beyond;
};

/** Names that a claim adds to what the query was restricted to. */
export const addedNames = (claim: Scope, query: Scope): { dimension: Dimension; name: string }[] =>
  DIMENSIONS.flatMap((dimension) => {
    const name = claim[dimension];
    return name !== undefined && query[dimension] === undefined ? [{ dimension, name }] : [];
  });
