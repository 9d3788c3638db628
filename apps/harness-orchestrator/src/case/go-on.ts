import type { CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import type { DeclineReason, HypothesisId } from '@inquest/contracts/case-parts';
import { requestInvestigator, requestPass, requestTurn, proceed } from './case-steps';
import {
  contentsOf,
  hypothesisOf,
  pendingReview,
  unassessedOf,
  type Case,
  type EarlyReview,
  type HypothesisRecord,
} from './case.state';
import { promptFor, type Protocol } from './case.commands';
import { byConfidence, nextHypothesis } from './scheduler';
import { actionsLeft } from './turn-validation';

type Now = Protocol & { nowMs: number };

/** A newer protocol is taken up between calls, never under one that is pending (E11). */
const adopt = (c: Case, protocol: Protocol): CaseEvent[] => {
  const to = promptFor(protocol, c.opened.coordinates);
  return c.promptVersion === to || c.open.some(({ service }) => service === 'investigator')
    ? []
    : [{ type: 'PromptVersionAdopted', from: c.promptVersion, to }];
};

/** Asks the investigator, under the newest protocol. */
const ask = (c: Case, now: Now, what: (c: Case) => CaseEvent[]): CaseEvent[] =>
  proceed(c, adopt(c, now), what);

const whyExhausted = (c: Case, h: HypothesisRecord): CaseEventOf<'HypothesisExhausted'>['why'] | null => {
  if (c.turn >= c.opened.policy.turnsMax) return 'TURNS';
  if (c.tokens >= c.opened.policy.tokensMax) return 'TOKENS';
  const isSpent = actionsLeft(c, h) === 0 && h.reserved === 0;
  return isSpent && h.hadTurn && unassessedOf(c, h.id).length === 0 ? 'BUDGET' : null;
};

const exhausted = (c: Case): CaseEvent[] =>
  c.hypotheses.flatMap((h): CaseEvent[] => {
    const why = h.state === 'open' ? whyExhausted(c, h) : null;
    return why === null ? [] : [{ type: 'HypothesisExhausted', hypothesisId: h.id, why }];
  });

const startBuilding = (c: Case, review: number | null, leading: HypothesisId | null): CaseEvent => ({
  type: 'DiagnosisBuildingStarted',
  diagnosis: c.diagnoses + 1,
  review,
  leading,
});

/** All accounts are closed: the best of those that were not rejected leads, and the diagnosis says how far it carries. */
const buildOrdinary = (c: Case, now: Now): CaseEvent[] => {
  const [leading] = c.hypotheses.filter(({ state }) => state !== 'rejected').sort(byConfidence);
  return proceed(c, [startBuilding(c, null, leading?.id ?? null)], (next) =>
    ask(next, now, (asked) => requestInvestigator(asked, 'final', asked.turn + 1, now.nowMs)),
  );
};

/** Writes the immutable reason, and the case goes on in the same revision (E9). */
export const decline = (
  c: Case,
  review: EarlyReview,
  reason: DeclineReason,
  text: string,
  now: Now,
): CaseEvent[] =>
  proceed(
    c,
    [
      {
        type: 'EarlyDiagnosisDeclined',
        review: review.review,
        hypothesisId: review.hypothesisId,
        reason,
        text: text.slice(0, 2_000),
        knownContent: contentsOf(c),
      },
    ],
    (next) => goOn(next, now),
  );

/** Every reservation is settled and every result seen before the evaluation; nothing new is asked for (E5). */
const prepare = (c: Case, review: EarlyReview, now: Now): CaseEvent[] => {
  if (c.actions.some(({ state }) => state === 'reserved')) return [];
  const waiting = c.hypotheses.find(
    (h) => h.state === 'open' && !review.prepared.includes(h.id) && unassessedOf(c, h.id).length > 0,
  );
  if (waiting !== undefined)
    return ask(c, now, (asked) => requestTurn(asked, 'PREPARE', waiting.id, now.nowMs));
  const leader = hypothesisOf(c, review.hypothesisId);
  if (leader?.state !== 'open' || leader.confidence !== 'strongly_supported')
    return decline(c, review, 'PREREQUISITE_LOST', '', now);
  return proceed(c, [startBuilding(c, review.review, review.hypothesisId)], (next) =>
    requestPass(next, review.review, 1, 1, now.nowMs),
  );
};

/** What an investigating case does next. Nothing while a turn is under way, or while all that is open waits for results. */
export const goOn = (c: Case, now: Now): CaseEvent[] => {
  if (c.phase !== 'INVESTIGATING_HYPOTHESES') return [];
  if (c.open.some(({ kind }) => kind === 'turn')) return [];
  const review = pendingReview(c);
  if (review !== undefined) return prepare(c, review, now);
  return proceed(c, exhausted(c), (rest) => {
    if (rest.hypotheses.every(({ state }) => state !== 'open')) {
      return rest.actions.some(({ state }) => state === 'reserved') ? [] : buildOrdinary(rest, now);
    }
    const next = nextHypothesis(rest);
    if (next === undefined) return [];
    return ask(rest, now, (asked) => requestTurn(asked, 'INVESTIGATE', next.id, now.nowMs));
  });
};
