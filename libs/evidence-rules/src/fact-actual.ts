import type { Fact } from '@inquest/contracts/draft';
import { conversion, measurement, unitAt } from './units';

/** The value at a fact's path, brought to the fact's unit where both units are known and measure the same; else as it stands. */
export const inUnitOf = (fact: Fact, document: unknown, actual: unknown): unknown => {
  const { unit, value, path } = fact;
  if (unit === undefined || typeof value !== 'number') return actual;
  if (typeof actual === 'number') return actual * (conversion(unitAt(document, path) ?? unit, unit) ?? 1);
  const measured = typeof actual === 'string' ? measurement(actual) : null;
  const factor = measured && conversion(measured.unit, unit);
  return measured && factor !== null ? measured.value * factor : actual;
};
