import type { View } from '../evidence/view';
import type { Finding } from '../rules/finding';
import { alertFinding, patternFinding } from '../rules/findings';
import { callersOf } from '../rules/topology';

const FOLLOWERS_MAX = 3;

/** A caller that complains itself, and where it does. */
export type Follower = { service: string; finding: Finding };

const complaintOf = (view: View, caller: string): Finding[] => {
  const lines = view.patterns
    .filter(({ service, level }) => service === caller && level !== 'INFO' && level !== 'DEBUG')
    .sort((a, b) => b.count - a.count);
  const alerts = view.alerts.filter(({ service, endsAtMs }) => service === caller && endsAtMs === null);
  const [line] = lines;
  const [alert] = alerts;
  if (line) return [{ ...patternFinding(view, line, 0), key: `follower:${caller}` }];
  return alert ? [{ ...alertFinding(view, alert, 0), key: `follower:${caller}` }] : [];
};

/** Callers whose trouble is the fault's, seen from outside. */
export const followersOf = (view: View, service: string | null): Follower[] =>
  service === null
    ? []
    : [...callersOf(view, service)]
        .flatMap((caller) => complaintOf(view, caller).map((finding) => ({ service: caller, finding })))
        .slice(0, FOLLOWERS_MAX);
