import type { Analysis } from '@inquest/contracts/draft';
import type { ClockTime } from '../clock-times';
import { epochOfFact } from '../fact-moments';
import { orderClaims, type OrderClaim } from '../order-words';
import type { Finding, Rule } from '../rule';

const msOf = ({ epochMs, localMs, secondsOfDay }: ClockTime): number =>
  epochMs ?? localMs ?? secondsOfDay * 1000;

/** Times of one sort: both with a date, or both without. */
const comparable = (a: ClockTime, b: ClockTime): boolean =>
  (a.epochMs === null) === (b.epochMs === null) && (a.localMs === null) === (b.localMs === null);

/** The two moments that the claim orders: those of its sentence, else the only two dated facts of the analysis in their order. */
const momentsOf = ({ times }: OrderClaim, analysis: Analysis, zone: string): [number, number] | null => {
  if (times) return comparable(...times) ? [msOf(times[0]), msOf(times[1])] : null;
  const dated = [...new Set((analysis.facts ?? []).flatMap((fact) => epochOfFact(fact, zone) ?? []))];
  return dated.length === 2 ? [dated[0] as number, dated[1] as number] : null;
};

export const order: Rule = {
  id: '22 ORDER',
  meaning: '`before` and `after` agree with two dated facts, where there are exactly two.',
  severity: 'SOFT',
  *check({ reading, input }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      for (const claim of orderClaims(analysis.text)) {
        const moments = momentsOf(claim, analysis, input.zone);
        if (!moments || moments[0] === moments[1]) continue;
        if (moments[0] < moments[1] === (claim.order === 'EARLIER')) continue;
        const message = claim.times
          ? 'the two times of a sentence stand in the other order than its words say'
          : 'the two dated facts stand in the other order than the words say';
        yield { path: `/analyses/${i}/text`, analysisId: analysis.id, message };
      }
    }
  },
};
