import type { Confidence } from '@inquest/contracts/case-parts';
import { isBlind } from '../diagnosis/limitations';
import { negativeFindings } from '../diagnosis/negatives';
import { quietFindings } from '../diagnosis/quiet';
import { rank, reachOf, witnessesOf, type Ranked } from '../diagnosis/rank';
import { hasTrouble } from '../diagnosis/symptoms';
import type { View } from '../evidence/view';
import { RULES } from '../rules/all-rules';
import type { Finding } from '../rules/finding';
import { exonerationsOf, type Exoneration } from './exonerations';
import { familiesOfStatement, familyOfCause, type Family } from './families';

/** Below this a rule's find is a remark. */
const SCORE_MIN = 3;
const RIVAL_SHARE = 0.8;
const MECHANISM_WEIGHT = 2;
/** Two sorts of evidence that show the mechanism itself. */
const MECHANISMS_MIN = 2;

export type Stated = { id: string; statement: string };

/** What the rules make of all evidence, for any hypothesis. */
export type Standing = {
  view: View;
  /** The causes that count, the strongest first. */
  ranked: Ranked[];
  best: Ranked | null;
  /** Causes elsewhere, off the path of the best, that are nearly as strong. */
  rivals: Ranked[];
  /** Whether the best is shown by its mechanism, twice, without a rival. */
  isSound: boolean;
  /** Nothing lasting is wrong, and everything that would show it was read. */
  isQuiet: boolean;
  exonerations: Exoneration[];
};

const OVERVIEW_TOOLS = ['active_alerts', 'list_objects', 'search_logs', 'list_metrics'];

const isQuiet = (view: View): boolean =>
  !hasTrouble(view) &&
  !isBlind(view) &&
  OVERVIEW_TOOLS.every((tool) => view.calls.some((call) => call.tool === tool)) &&
  quietFindings(view).length > 0 &&
  negativeFindings(view).length > 0;

const showsMechanism = ({ hypothesis }: Ranked): boolean =>
  hypothesis.rank === 'CAUSE' &&
  [...witnessesOf(hypothesis.findings).values()].filter((weight) => weight >= MECHANISM_WEIGHT).length >=
    MECHANISMS_MIN;

const rivalsOf = (view: View, best: Ranked, others: readonly Ranked[]): Ranked[] => {
  const reach = reachOf(view, best.hypothesis);
  // Another cause of the same object, or one that is off the path of the best.
  const isElsewhere = ({ hypothesis: { service, object, cause } }: Ranked) =>
    object === best.hypothesis.object
      ? cause !== best.hypothesis.cause
      : service === null || reach === null || !reach.has(service);
  return others.filter(
    (other) =>
      other.hypothesis.rank === 'CAUSE' && other.score >= RIVAL_SHARE * best.score && isElsewhere(other),
  );
};

export const standingOf = (view: View): Standing => {
  const ranked = rank(
    view,
    RULES.flatMap((rule) => rule(view)),
  ).filter(({ score, over }) => score >= SCORE_MIN && !over);
  const [best = null, ...others] = ranked;
  const rivals = best === null ? [] : rivalsOf(view, best, others);
  const suspected = new Set(ranked.map(({ hypothesis }) => familyOfCause(hypothesis.cause)));
  const exonerations = exonerationsOf(view, best?.hypothesis ?? null, suspected);
  const isSound = best !== null && showsMechanism(best) && rivals.length === 0;
  return { view, ranked, best, rivals, isSound, isQuiet: best === null && isQuiet(view), exonerations };
};

/** The find that a hypothesis means: its very words, or else the strongest of its families. */
export const findFor = (standing: Standing, { statement }: Stated): Ranked | undefined => {
  const spoken = standing.ranked.find(({ hypothesis }) => statement.startsWith(hypothesis.headline));
  if (spoken) return spoken;
  const families = familiesOfStatement(statement);
  return standing.ranked.find(({ hypothesis }) => families.includes(familyOfCause(hypothesis.cause)));
};

/** The hypothesis that the strongest find belongs to: one that speaks of it, or the first of its family. */
export const leaderAmong = <T extends Stated>(
  standing: Standing,
  hypotheses: readonly T[],
): T | undefined => {
  const { best } = standing;
  if (best === null)
    return standing.isQuiet
      ? hypotheses.find(({ statement }) => familiesOfStatement(statement).includes('QUIET'))
      : undefined;
  const family: Family = familyOfCause(best.hypothesis.cause);
  return (
    hypotheses.find(({ statement }) => statement.startsWith(best.hypothesis.headline)) ??
    hypotheses.find(({ statement }) => familiesOfStatement(statement).includes(family))
  );
};

export const isQuietHypothesis = ({ statement }: Stated): boolean => {
  const families = familiesOfStatement(statement);
  return families.length === 1 && families[0] === 'QUIET';
};

/** Every family of a hypothesis is spoken against. */
export const exonerationsFor = (standing: Standing, stated: Stated): Exoneration[] => {
  const families = familiesOfStatement(stated.statement);
  const found = standing.exonerations.filter(({ family }) => families.includes(family));
  const isWhole =
    families.length > 0 && families.every((family) => found.some((item) => item.family === family));
  return isWhole ? found : [];
};

export type Rating = { confidence: Exclude<Confidence, 'unassessed'>; text: string };

const quietRating = ({ best, isQuiet: quiet, view }: Standing): Rating | null => {
  if (best !== null || hasTrouble(view))
    return {
      confidence: best !== null ? 'refuted' : 'contradicted',
      text: 'Something lasting is wrong, as what was read shows.',
    };
  return quiet
    ? { confidence: 'strongly_supported', text: 'Everything that was read is quiet, and nothing is unread.' }
    : null;
};

/** A find that is not the strongest: an effect of it where that one is sound and on its path, otherwise a weaker lead. */
const weakerRating = ({ view, best, isSound }: Standing, found: Ranked): Rating => {
  const { headline, service } = found.hypothesis;
  const reach = best === null ? null : reachOf(view, best.hypothesis);
  const follows = isSound && (reach === null || (service !== null && reach.has(service)));
  return follows
    ? { confidence: 'contradicted', text: `${headline}; that follows from a cause that is shown better.` }
    : { confidence: 'weakly_supported', text: `${headline}; another find is stronger.` };
};

/** The rating of one hypothesis by the rules; null where what was read says nothing about it. */
export const ratingOf = (
  standing: Standing,
  stated: Stated,
  hypotheses: readonly Stated[],
): Rating | null => {
  if (isQuietHypothesis(stated)) return quietRating(standing);
  const leader = leaderAmong(standing, hypotheses);
  const found = findFor(standing, stated);
  if (leader?.id === stated.id && standing.best) {
    const { headline, rank: kind } = standing.best.hypothesis;
    if (standing.isSound)
      return { confidence: 'strongly_supported', text: `${headline}, as two sorts of evidence show.` };
    return kind === 'CAUSE'
      ? { confidence: 'supported', text: `${headline}, as far as one sort of evidence shows.` }
      : { confidence: 'weakly_supported', text: `${headline}; that is a symptom, and its cause is open.` };
  }
  if (found) return weakerRating(standing, found);
  const [against] = exonerationsFor(standing, stated);
  if (against) return { confidence: 'contradicted', text: against.text };
  return standing.isSound || standing.isQuiet
    ? { confidence: 'contradicted', text: 'Nothing that was read shows it, and what was read is explained.' }
    : null;
};

/** What the strongest find rests on, or what shows that all is quiet. */
export const supportOf = ({ best, isQuiet: quiet, view }: Standing): Finding[] =>
  best !== null ? best.hypothesis.findings : quiet ? quietFindings(view) : [];
