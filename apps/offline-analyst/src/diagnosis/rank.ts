import type { Alert, View } from '../evidence/view';
import type { Finding, Hypothesis, Sort } from '../rules/finding';
import { callersOf } from '../rules/topology';

const SEVERITY_WEIGHT: Record<string, number> = {
  critical: 1.5,
  page: 1.5,
  error: 1.2,
  high: 1.2,
  warning: 1,
  info: 0.2,
  low: 0.2,
};
const SYMPTOM_FACTOR = 0.4;
const PLAIN_BONUS = 2;
/** What ended this long (share of the window) before its end is over. */
const OVER_SHARE = 0.15;

export const isUrgent = ({ severity }: Alert): boolean => (SEVERITY_WEIGHT[severity] ?? 1) >= 1;

/** Services whose trouble a hypothesis explains: its own and, against the arrows, its callers. */
export const reachOf = (view: View, { service }: Hypothesis): Set<string> | null =>
  service === null ? null : new Set([service, ...callersOf(view, service)]);

/** The heaviest finding of each sort: more of the same sort is the same witness again. */
export const witnessesOf = (findings: readonly Finding[]): Map<Sort, number> => {
  const witnesses = new Map<Sort, number>();
  for (const { sort, weight } of findings) witnesses.set(sort, Math.max(witnesses.get(sort) ?? 0, weight));
  return witnesses;
};

/** The finding that tells of the first sign; null where no heavy finding has a date. */
export const firstSignOf = (findings: readonly Finding[]): Finding | null =>
  findings
    .filter(({ weight, fromMs }) => weight >= 2 && fromMs !== null && fromMs > 0)
    .sort((a, b) => (a.fromMs ?? 0) - (b.fromMs ?? 0))[0] ?? null;

export const onsetOf = (findings: readonly Finding[]): number | null => firstSignOf(findings)?.fromMs ?? null;

/** Dated, and everything dated in it ended well before the data does. States and settings have no end. */
export const isOver = (view: View, { findings }: Hypothesis): boolean => {
  if (view.window === null) return false;
  const telling = findings.filter(({ weight }) => weight > 0);
  const limit = view.window.toMs - OVER_SHARE * (view.window.toMs - view.window.fromMs);
  return telling.length > 0 && telling.every(({ toMs }) => toMs !== null && toMs < limit);
};

const explainedAlerts = (view: View, hypothesis: Hypothesis): number => {
  const reach = reachOf(view, hypothesis);
  return view.alerts
    .filter(
      ({ endsAtMs, service }) =>
        endsAtMs === null && (reach === null || (service !== null && reach.has(service))),
    )
    .reduce((sum, { severity }) => sum + (SEVERITY_WEIGHT[severity] ?? 1), 0);
};

export type Ranked = { hypothesis: Hypothesis; score: number; over: boolean };

const scoreOf = (view: View, hypothesis: Hypothesis): Ranked => {
  const evidence = [...witnessesOf(hypothesis.findings).values()].reduce((sum, weight) => sum + weight, 0);
  const over = isOver(view, hypothesis);
  const own = hypothesis.rank === 'SYMPTOM' ? evidence * SYMPTOM_FACTOR : evidence;
  const plain = hypothesis.isPlain === true ? PLAIN_BONUS : 0;
  const score = own + plain + Math.min(4, explainedAlerts(view, hypothesis));
  return { hypothesis, score: over ? score * 0.3 : score, over };
};

const callersCount = (view: View, { service }: Hypothesis): number =>
  service === null ? 0 : callersOf(view, service).size;

/**
 * The strongest first; of equals the one that more depend on, and then the one whose trouble began first, since effects
 * follow their cause.
 */
export const rank = (view: View, hypotheses: readonly Hypothesis[]): Ranked[] =>
  hypotheses
    .map((hypothesis) => scoreOf(view, hypothesis))
    .sort(
      (a, b) =>
        b.score - a.score ||
        callersCount(view, b.hypothesis) - callersCount(view, a.hypothesis) ||
        (onsetOf(a.hypothesis.findings) ?? Number.MAX_VALUE) -
          (onsetOf(b.hypothesis.findings) ?? Number.MAX_VALUE),
    );
