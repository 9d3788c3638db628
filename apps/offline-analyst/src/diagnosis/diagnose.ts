import type { ConclusionStatus } from '@inquest/contracts/draft';
import type { SystemEvent, View } from '../evidence/view';
import { RULES } from '../rules/all-rules';
import type { Finding, Hypothesis } from '../rules/finding';
import { changeBefore } from '../rules/topology';
import { followersOf, type Follower } from './followers';
import { negativeFindings } from './negatives';
import { quietFindings } from './quiet';
import { firstSignOf, rank, reachOf, witnessesOf, type Ranked } from './rank';
import { runbookFindings } from './runbooks';
import { setAside } from './set-aside';
import { isBlind } from './limitations';
import { hasTrouble, symptomFindings } from './symptoms';

/** A finished judgement, ready to be written down. */
export type Diagnosis = {
  status: ConclusionStatus;
  /** Something lasting is wrong, whether or not a cause is named. */
  troubled: boolean;
  /** The cause that is named; its alternatives are other places where something is wrong. */
  best: Hypothesis | null;
  alternatives: Hypothesis[];
  onsetMs: number | null;
  symptoms: Finding[];
  /** The last deliberate change of the faulty service before the first sign. */
  change: SystemEvent | null;
  /** Callers that complain: their trouble follows from the cause. */
  followers: Follower[];
  /** Runbooks that describe the cause. */
  runbooks: Finding[];
  aside: Finding[];
  negatives: Finding[];
};

/** Below this a hypothesis is a remark, not a cause. */
const SCORE_MIN = 3;
/** A cause counts as identified with this many independent sorts of evidence, two of which show the mechanism itself. */
const SORTS_MIN = 3;
const MECHANISM_WEIGHT = 2;
/** The weight of a finding that names the mechanism itself. */
const MECHANISM_FULL = 3;
/** A rival elsewhere that scores this share of the best leaves the question open. */
const RIVAL_SHARE = 0.8;
const TWIN_SHARE = 0.95;
const ALTERNATIVES_MAX = 2;

export const rankedHypotheses = (view: View): Hypothesis[] =>
  rank(
    view,
    RULES.flatMap((rule) => rule(view)),
  ).map(({ hypothesis }) => hypothesis);

const isIdentified = ({ hypothesis }: Ranked): boolean => {
  const witnesses = [...witnessesOf(hypothesis.findings).values()].filter((weight) => weight > 0);
  return (
    hypothesis.rank === 'CAUSE' &&
    witnesses.length >= SORTS_MIN &&
    witnesses.filter((weight) => weight >= MECHANISM_WEIGHT).length >= 2
  );
};

const statusOf = (best: Ranked, rivals: readonly Ranked[]): ConclusionStatus => {
  const contested = rivals.some(({ score }) => score >= RIVAL_SHARE * best.score);
  if (isIdentified(best)) return contested ? 'PROBABLE_CAUSE' : 'ROOT_CAUSE_IDENTIFIED';
  if (best.hypothesis.rank === 'SYMPTOM' || contested) return 'INCONCLUSIVE';
  const witnesses = witnessesOf(best.hypothesis.findings);
  // What an object says of itself now, seen twice, is probable without a second sort; what somebody logged or saw is not.
  const looks = new Set(best.hypothesis.findings.flatMap(({ toolCallIds }) => toolCallIds));
  const isEvident = witnesses.get('STATE') === MECHANISM_FULL && looks.size > 1;
  return witnesses.size < 2 && !isEvident ? 'INCONCLUSIVE' : 'PROBABLE_CAUSE';
};

/** Another cause of the same object that is shown just as well. */
const isTwin = (best: Ranked, { hypothesis, score }: Ranked): boolean =>
  hypothesis.object === best.hypothesis.object &&
  hypothesis.cause !== best.hypothesis.cause &&
  score >= TWIN_SHARE * best.score;

/** Rivals explain something that the best does not: those on its path are its effects or its details. */
const rivalsOf = (view: View, best: Ranked, others: readonly Ranked[]): Ranked[] => {
  const reach = reachOf(view, best.hypothesis);
  return others.filter((other) => {
    const { service, rank: kind } = other.hypothesis;
    const isElsewhere = reach !== null && service !== null && !reach.has(service);
    return kind === 'CAUSE' && (isElsewhere || isTwin(best, other));
  });
};

const keysOf = (findings: readonly Finding[]): string[] => findings.map(({ key }) => key);

const changeOf = (view: View, service: string | null, onsetMs: number | null): SystemEvent | null =>
  service === null || onsetMs === null ? null : (changeBefore(view, service, onsetMs) ?? null);

const withCause = (view: View, best: Ranked, others: readonly Ranked[]): Diagnosis => {
  const rivals = rivalsOf(view, best, others);
  const reach = reachOf(view, best.hypothesis);
  const sign = firstSignOf(best.hypothesis.findings);
  const symptoms = symptomFindings(view);
  const told = new Set(keysOf([...best.hypothesis.findings, ...symptoms]));
  return {
    status: statusOf(best, rivals),
    troubled: true,
    best: best.hypothesis,
    alternatives: rivals.slice(0, ALTERNATIVES_MAX).map(({ hypothesis }) => hypothesis),
    onsetMs: sign?.fromMs ?? null,
    symptoms,
    change: changeOf(view, best.hypothesis.service, sign?.fromMs ?? null),
    followers: followersOf(view, best.hypothesis.service),
    runbooks: runbookFindings(view, best.hypothesis.findings),
    aside: setAside(view, { sign, told, reach, service: best.hypothesis.service }),
    negatives: negativeFindings(view, ({ args }) => args.service !== undefined),
  };
};

/** Weighs all hypotheses; without lasting trouble and without a strong one there is no fault to name. */
export const diagnose = (view: View, hypotheses: readonly Hypothesis[]): Diagnosis => {
  const ranked = rank(view, hypotheses);
  const [best, ...others] = ranked.filter(({ score, over }) => score >= SCORE_MIN && !over);
  if (best) return withCause(view, best, others);
  const troubled = hasTrouble(view);
  const blind = isBlind(view);
  const symptoms = symptomFindings(view);
  const told = new Set(keysOf(symptoms));
  return {
    // A source that was not read may hold the fault: its silence is no quiet.
    status: troubled || blind || view.calls.length === 0 ? 'INCONCLUSIVE' : 'NO_FAULT_FOUND',
    troubled,
    best: null,
    alternatives: troubled
      ? ranked
          .filter(({ over }) => !over)
          .slice(0, ALTERNATIVES_MAX)
          .map(({ hypothesis }) => hypothesis)
      : [],
    onsetMs: null,
    symptoms: troubled ? symptoms : quietFindings(view),
    change: null,
    followers: [],
    runbooks: [],
    aside: setAside(view, { sign: null, told, reach: null, service: null }),
    negatives: negativeFindings(view),
  };
};
