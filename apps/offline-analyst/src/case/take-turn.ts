import type { CaseDocument, TurnOrder } from './case-request';
import {
  isQuietHypothesis,
  leaderAmong,
  exonerationsFor,
  ratingOf,
  type Rating,
  type Standing,
} from './standing';
import { newFindings, type NewFinding } from './new-findings';
import { actionOf, callsFor, missingFor, type Action } from './research';

type NextStep =
  | { kind: 'research'; actions: Action[] }
  | { kind: 'assess' }
  | { kind: 'conclude' }
  | { kind: 'request_diagnosis'; reason: string; countercheck_refs: string[] }
  | { kind: 'defer' | 'reject'; reason: string };

export type Turn = { findings: NewFinding[]; assessment: Rating | null; next: NextStep };

type Asked = {
  /** Findings of the case, and those of this turn under the names that they will have. */
  held: { id: string; cells: NewFinding['cells'] }[];
  standing: Standing;
  document: CaseDocument;
  order: TurnOrder;
  offered: readonly string[];
};
type Stated = CaseDocument['hypotheses'][number];

const REFS_MAX = 16;
/** Actions that a leader keeps for the case that its request is declined: another needs new evidence. */
const RESERVE = 2;

/** Findings of the case that speak against an alternative which could have been a fault. */
const counterchecks = ({ document, held }: Asked, leader: Stated): string[] => {
  const alternatives = new Set(
    document.hypotheses
      .filter((stated) => stated.id !== leader.id && !isQuietHypothesis(stated))
      .map(({ id }) => id),
  );
  return held
    .filter(({ cells }) =>
      cells.some(({ hypothesisId, cell }) => cell === 'inconsistent' && alternatives.has(hypothesisId)),
    )
    .map(({ id }) => id)
    .slice(-REFS_MAX);
};

const hasOwnFinding = ({ held }: Asked, { id }: Stated): boolean =>
  held.some(({ cells }) =>
    cells.some(({ hypothesisId, cell }) => hypothesisId === id && cell === 'consistent'),
  );

/** An early diagnosis, once the place of the cause is looked at, an alternative is tested, and both stand in the case. */
const requested = (asked: Asked, stated: Stated, rating: Rating | null): NextStep | undefined => {
  const { order, standing } = asked;
  if (!order.permitted.includes('request_diagnosis') || rating?.confidence !== 'strongly_supported')
    return undefined;
  const refs = counterchecks(asked, stated);
  const isLookedAt = missingFor(asked).length === 0 || order.actionsLeft <= RESERVE;
  if (refs.length === 0 || !isLookedAt || !hasOwnFinding(asked, stated)) return undefined;
  const what = standing.best ? standing.best.hypothesis.headline : 'Nothing lasting is wrong';
  return {
    kind: 'request_diagnosis',
    reason: `${what}: its mechanism is shown, and alternatives were tested.`,
    countercheck_refs: refs,
  };
};

/** What the account of one hypothesis ends with when there is nothing left to ask. */
const closing = (asked: Asked, stated: Stated, rating: Rating | null): NextStep => {
  const { permitted } = asked.order;
  const isAgainst = rating === null || ['contradicted', 'refuted'].includes(rating.confidence);
  if (isAgainst && permitted.includes('reject'))
    return {
      kind: 'reject',
      reason:
        exonerationsFor(asked.standing, stated)[0]?.text ??
        rating?.text ??
        'What these rules look at for it was read, and nothing shows it.',
    };
  return permitted.includes('conclude') ? { kind: 'conclude' } : { kind: 'assess' };
};

/** How many actions this turn may ask for; what is kept for later is touched only when a request is out of reach. */
const roomFor = ({ order }: Asked, rating: Rating | null): number => {
  const isNear = rating?.confidence === 'strongly_supported' && order.permitted.includes('request_diagnosis');
  const spare = order.actionsLeft - (isNear ? RESERVE : 0);
  return Math.min(spare > 0 ? spare : order.actionsLeft, order.actionsPerTurnMax);
};

const researched = (asked: Asked, stated: Stated, rating: Rating | null): NextStep | undefined => {
  const { order } = asked;
  const room = roomFor(asked, rating);
  if (!order.permitted.includes('research') || room <= 0) return undefined;
  const calls = callsFor(asked, stated).slice(0, room);
  return calls.length > 0
    ? { kind: 'research', actions: calls.map((call) => actionOf(call, stated)) }
    : undefined;
};

/** Whether the strongest find is another's: this one then waits, rated low, until that one is settled. */
const standsBack = (asked: Asked, stated: Stated, rating: Rating | null): boolean =>
  asked.order.permitted.includes('assess') &&
  stated.confidence === 'unassessed' &&
  rating !== null &&
  ['contradicted', 'refuted'].includes(rating.confidence) &&
  leaderAmong(asked.standing, asked.document.hypotheses) !== undefined &&
  callsFor(asked, stated).every(({ args }) => args.service !== undefined || args.name !== undefined);

const investigating = (asked: Asked, stated: Stated, rating: Rating | null, isNews: boolean): NextStep => {
  const request = requested(asked, stated, rating);
  if (request) return request;
  if (rating?.confidence === 'strongly_supported' && missingFor(asked).length === 0) {
    // What was found now can be referred to from the next turn on.
    if (isNews && asked.order.permitted.includes('assess')) return { kind: 'assess' };
  }
  if (standsBack(asked, stated, rating)) return { kind: 'assess' };
  if (exonerationsFor(asked.standing, stated).length > 0 && asked.order.permitted.includes('reject'))
    return closing(asked, stated, rating);
  return researched(asked, stated, rating) ?? closing(asked, stated, rating);
};

/** Nothing new is asked for: what is known is rated, and the alternative is left for later or, with a reason, closed. */
const preparing = ({ standing, order }: Asked, stated: Stated, rating: Rating | null): NextStep => {
  const [against] = exonerationsFor(standing, stated);
  if (against && order.permitted.includes('reject')) return { kind: 'reject', reason: against.text };
  if (rating?.confidence === 'strongly_supported' || !order.permitted.includes('defer'))
    return { kind: 'assess' };
  return {
    kind: 'defer',
    reason: rating?.text ?? 'What was read says nothing about it; it stays open.',
  };
};

/** After a refusal of the same turn, the plainest step that is permitted: rules would repeat themselves. */
const plainest = ({ permitted }: TurnOrder): NextStep =>
  permitted.includes('conclude')
    ? { kind: 'conclude' }
    : permitted.includes('defer')
      ? { kind: 'defer', reason: 'It stays open.' }
      : { kind: 'assess' };

const heldBy = (
  { findings }: CaseDocument,
  { turn }: TurnOrder,
  fresh: readonly NewFinding[],
): Asked['held'] => [
  ...findings.map(({ id, cells }) => ({ id: String(id), cells })),
  ...(turn === undefined ? [] : fresh.map(({ cells }, index) => ({ id: `f${turn}-${index}`, cells }))),
];

/** One turn of the investigator for one hypothesis, by rules alone. */
export const takeTurn = (given: Omit<Asked, 'held'>): Turn => {
  const { standing, document, order } = given;
  const stated = document.hypotheses.find(({ id }) => id === order.hypothesisId);
  if (!stated || order.previousInvalid != null)
    return { findings: [], assessment: null, next: plainest(order) };
  const rating = standing.view.calls.length === 0 ? null : ratingOf(standing, stated, document.hypotheses);
  const findings = newFindings(standing, document);
  const asked = { ...given, held: heldBy(document, order, findings) };
  const next =
    order.mode === 'PREPARE'
      ? preparing(asked, stated, rating)
      : investigating(asked, stated, rating, findings.length > 0);
  const closes = next.kind === 'reject' && rating === null;
  return {
    findings,
    assessment: closes ? { confidence: 'contradicted', text: next.reason } : rating,
    next,
  };
};
