import type { LogPattern, SystemEvent, View } from '../evidence/view';
import type { Finding } from '../rules/finding';
import { alertFinding, eventFinding, joined, patternFinding } from '../rules/findings';
import { changesOf, serviceOfEvent } from '../rules/topology';
import { clock } from '../rules/wording';
import { isUrgent } from './rank';

const ASIDE_MAX = 5;
const PATTERNS_MAX = 2;
const FACTS_MAX = 12;
/** An interruption by a change that is shorter than this is part of the change. */
const EPISODE_MS = 30_000;
const CLOCK_SLACK_MS = 5_000;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const concerns = (pattern: LogPattern, service: string): boolean =>
  pattern.service === service || new RegExp(`(?<![\\w-])${escaped(service)}(?![\\w-])`).test(pattern.pattern);

/** Complaints about a service that began and ended around a change of it. */
export const episodeOf = (view: View, event: SystemEvent): LogPattern | undefined => {
  const service = serviceOfEvent(view, event);
  return view.patterns.find(
    (pattern) =>
      pattern.level !== 'INFO' &&
      pattern.level !== 'DEBUG' &&
      concerns(pattern, service) &&
      pattern.firstMs >= event.timeMs - CLOCK_SLACK_MS &&
      pattern.lastMs <= event.timeMs + EPISODE_MS,
  );
};

const aside = (finding: Finding): Finding => ({ ...finding, key: `aside:${finding.key}`, weight: 0 });

/** Adds that something was over before the first sign, and what shows that sign. */
const beforeSign = (finding: Finding, ms: number, sign: Finding | null): Finding => {
  if (sign === null || sign.fromMs === null || ms >= sign.fromMs) return finding;
  const text = `${finding.text} That was before the first sign of the trouble, at ${clock(sign.fromMs)}.`;
  const both = joined(finding.key, text, finding, sign);
  return { ...both, quotes: finding.quotes, facts: [...finding.facts, ...sign.facts].slice(0, FACTS_MAX) };
};

const changes = (view: View, sign: Finding | null): { finding: Finding; episode?: LogPattern }[] =>
  changesOf(view, null).map((event) => {
    const plain = eventFinding(view, event, 0);
    const episode = episodeOf(view, event);
    if (!episode) return { finding: beforeSign(plain, event.timeMs, sign) };
    const lines = patternFinding(view, episode, 0);
    const text = `${plain.text} Around it ${lines.text} These lines ended there.`;
    return { finding: beforeSign(joined(plain.key, text, plain, lines), episode.lastMs, sign), episode };
  });

/** Alerts of little severity, or that ended; one for each name. */
const pettyAlerts = (view: View, sign: Finding | null): Finding[] => {
  const petty = view.alerts.filter((alert) => !isUrgent(alert) || alert.endsAtMs !== null);
  const firing = new Set(
    view.alerts.filter((alert) => alert.endsAtMs === null && isUrgent(alert)).map(({ name }) => name),
  );
  const firsts = [...new Map([...petty].reverse().map((alert) => [alert.name, alert])).values()];
  return firsts
    .filter(({ name }) => !firing.has(name))
    .map((alert) => beforeSign(alertFinding(view, alert, 0), alert.startsAtMs, sign));
};

/**
 * What looks like trouble and is not what the diagnosis rests on: changes elsewhere, petty alerts, complaints of
 * services beside the path of the fault. An engineer wants to see that it was looked at.
 */
export const setAside = (
  view: View,
  input: {
    sign: Finding | null;
    told: ReadonlySet<string>;
    reach: ReadonlySet<string> | null;
    service: string | null;
  },
): Finding[] => {
  const { sign, told, reach, service: faulty } = input;
  const changed = changes(view, sign).filter(({ finding }) => !told.has(finding.key));
  const episodes = new Set(changed.flatMap(({ episode }) => (episode ? [episode] : [])));
  const beside = view.patterns
    .filter((pattern) => pattern.level !== 'INFO' && pattern.level !== 'DEBUG' && !episodes.has(pattern))
    .filter(
      (pattern) => reach === null || (!reach.has(pattern.service) && !(faulty && concerns(pattern, faulty))),
    )
    .filter(({ service, level, pattern }) => !told.has(`log:${service}:${level}:${pattern}`))
    .slice(0, PATTERNS_MAX)
    .map((pattern) => patternFinding(view, pattern, 0));
  return [...changed.map(({ finding }) => finding), ...pettyAlerts(view, sign), ...beside]
    .slice(0, ASIDE_MAX)
    .map(aside);
};
