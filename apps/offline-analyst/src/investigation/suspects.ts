import type { View } from '../evidence/view';
import { dependenciesOf, serviceOf, serviceOfEvent } from '../rules/topology';

const SEVERITY: Record<string, number> = {
  critical: 5,
  page: 5,
  error: 4,
  high: 4,
  warning: 3,
  medium: 2,
  info: 1,
  low: 1,
};
const LEVEL: Record<string, number> = { FATAL: 4, ERROR: 3, WARN: 1 };
const UNHEALTHY =
  /CrashLoopBackOff|ImagePull|ErrImage|Error|Failed|Pending|OOMKilled|CreateContainer|Evicted|NotReady|Unknown|Lost|Terminating|Unhealthy/;

/** Whether an object's own status says that something is wrong. */
export const looksUnhealthy = ({ kind, status }: View['objects'][number]): boolean => {
  const { ready } = status;
  if (
    typeof ready === 'string' &&
    /^(\d+)\/(\d+)$/.test(ready) &&
    ready.split('/')[0] !== ready.split('/')[1]
  )
    return true;
  if (kind === 'Node' && (status.ready === false || status.stoppedServices !== undefined)) return true;
  if (kind === 'Service' && (status.endpoints === 'none' || /^failed/.test(String(status.connectivity))))
    return true;
  return UNHEALTHY.test(JSON.stringify([status.phase, status.reason, status.reasons, status.state]));
};

/** How much complains about each service, the most first. */
export const suspectsOf = (view: View): string[] => {
  const scores = new Map<string, number>();
  const add = (service: string | null, score: number) => {
    if (service) scores.set(service, (scores.get(service) ?? 0) + score);
  };
  for (const alert of view.alerts)
    add(alert.service, (SEVERITY[alert.severity] ?? 2) * (alert.endsAtMs === null ? 1 : 0.3));
  for (const { service, level, count } of view.patterns)
    add(service, (LEVEL[level] ?? 0) * Math.min(1, 0.3 + Math.log10(count) / 2));
  for (const object of view.objects) if (looksUnhealthy(object)) add(serviceOf(object), 4);
  for (const event of view.events) if (event.type === 'Warning') add(serviceOfEvent(view, event), 1);
  return [...scores.entries()]
    .sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
    .map(([service]) => service);
};

/** The suspects, and what they depend on: trouble travels against the arrows. */
export const neighbourhoodOf = (
  view: View,
  suspectsMax: number,
): { suspects: string[]; dependencies: string[] } => {
  const suspects = suspectsOf(view).slice(0, suspectsMax);
  const dependencies = suspects
    .flatMap((service) => dependenciesOf(view, service))
    .filter((name) => !suspects.includes(name));
  return { suspects, dependencies: [...new Set(dependencies)] };
};
