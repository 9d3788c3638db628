import type { Analysis } from '@inquest/contracts/draft';
import { proseFigures } from './prose-numbers';

const numbersOfValue = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.filter((v): v is number => typeof v === 'number');
  if (typeof value !== 'string') return [];
  return proseFigures(value).numbers.flatMap(({ readings }) => readings.map((r) => r.value));
};

const cache = new WeakMap<Analysis, readonly number[]>();

const claimedBy = ({ facts = [], derived = [] }: Analysis): number[] => [
  ...facts.flatMap(({ value }) => numbersOfValue(value)),
  ...derived.map(({ value }) => value),
];

/** The numbers that an analysis states in typed form; other rules check them against the evidence. */
export const numbersClaimed = (analysis: Analysis): readonly number[] => {
  const known = cache.get(analysis) ?? claimedBy(analysis);
  cache.set(analysis, known);
  return known;
};
