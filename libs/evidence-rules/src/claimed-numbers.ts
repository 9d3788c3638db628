import type { Analysis } from '@inquest/contracts/draft';
import { proseFigures } from './prose-numbers';

const numbersOfValue = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value.filter((v): v is number => typeof v === 'number');
  if (typeof value !== 'string') return [];
  return proseFigures(value).numbers.flatMap(({ readings }) => readings.map((r) => r.value));
};

/** The numbers that an analysis states in typed form; other rules check them against the evidence. */
export const numbersClaimed = ({ facts = [], derived = [] }: Analysis): number[] => [
  ...facts.flatMap(({ value }) => numbersOfValue(value)),
  ...derived.map(({ value }) => value),
];
