import type { Fact } from '@inquest/contracts/draft';
import { offsetOf } from './clock-times';
import { epochOf } from './epoch-units';
import { offsetAt } from './zone-offset';

type Moment = { localMs: number; offsetSeconds: number | null };

const WRITTEN = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s?(Z|UTC|[+-]\d\d:?\d\d)?$/;

const writtenMoment = (value: unknown): Moment | null => {
  if (typeof value !== 'string' || value.length > 40) return null;
  const match = WRITTEN.exec(value);
  if (!match) return null;
  const localMs = Date.parse(`${match[1]}T${match[2]}Z`);
  return Number.isNaN(localMs) ? null : { localMs, offsetSeconds: offsetOf(match[3]) };
};

/** Read in the zone, once. */
const epochIn = (zone: string, { localMs, offsetSeconds }: Moment): number => {
  if (offsetSeconds !== null) return localMs - offsetSeconds * 1000;
  const guess = localMs - offsetAt(zone, localMs) * 1000;
  return localMs - offsetAt(zone, guess) * 1000;
};

const actualEpoch = (
  actual: unknown,
  zone: string,
): { epochMs: number; offsetSeconds: number | null } | null => {
  if (typeof actual === 'number') {
    const epoch = epochOf(actual);
    return epoch && { epochMs: epoch.epochMs, offsetSeconds: 0 };
  }
  const written = writtenMoment(actual);
  return written && { epochMs: epochIn(zone, written), offsetSeconds: written.offsetSeconds };
};

const UNIT_NAMES: Record<string, string> = {
  s: 's', sec: 's', second: 's', seconds: 's', ms: 'ms', milliseconds: 'ms', us: 'us', µs: 'us', μs: 'us', ns: 'ns',
}; // prettier-ignore
const SIZE_MS: Record<string, number> = { s: 1_000, ms: 1, us: 1e-3, ns: 1e-6 };

/** Whether a fact states the moment that stands at its path, in whatever spelling: another offset, the run's zone, another epoch unit. */
export const statesMoment = ({ value, unit }: Fact, actual: unknown, zone: string): boolean => {
  const right = actualEpoch(actual, zone);
  if (!right) return false;
  const written = writtenMoment(value);
  if (written) return epochIn(zone, written) === right.epochMs;
  const size = SIZE_MS[UNIT_NAMES[unit ?? ''] ?? ''];
  return typeof value === 'number' && size !== undefined && value * size === right.epochMs;
};

/** What is wrong with how a fact states a moment; null when it states none, or states it well. */
export const momentProblem = (
  fact: Fact,
  actual: unknown,
  zone: string,
): { member: 'value' | 'unit'; why: string } | null => {
  const right = actualEpoch(actual, zone);
  if (!right || statesMoment(fact, actual, zone)) return null;
  const written = writtenMoment(fact.value);
  if (written?.offsetSeconds === null && right.offsetSeconds !== null) {
    const lost = [0, right.offsetSeconds].some((o) => written.localMs - o * 1000 === right.epochMs);
    return lost
      ? {
          member: 'value',
          why: 'this moment lacks its offset: without one it is read in the zone of the run',
        }
      : null;
  }
  const unit = UNIT_NAMES[fact.unit ?? ''];
  const counted = typeof actual === 'number' ? epochOf(actual)?.unit : undefined;
  return unit !== undefined && counted !== undefined && unit !== counted && fact.value === actual
    ? { member: 'unit', why: `this number counts ${counted} since 1970` }
    : null;
};

/** The moment that a fact states, in ms; null when it states none. */
export const epochOfFact = ({ value }: Fact, zone: string): number | null => {
  const written = writtenMoment(value);
  return written ? epochIn(zone, written) : null;
};
