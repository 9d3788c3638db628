import type { SystemEvent, SystemObject, View } from '../evidence/view';

/** Everything that calls `service`, directly or through others. Bounded by the number of services. */
export const callersOf = (view: View, service: string): Set<string> => {
  const callers = new Set<string>();
  const queue = [service];
  for (let current = queue.pop(); current !== undefined; current = queue.pop()) {
    for (const { from, to } of view.dependencies) {
      if (to !== current || from === service || callers.has(from)) continue;
      callers.add(from);
      queue.push(from);
    }
  }
  return callers;
};

export const dependenciesOf = (view: View, service: string): string[] => [
  ...new Set(view.dependencies.filter(({ from }) => from === service).map(({ to }) => to)),
];

const SERVICE_LABELS = ['service', 'app.kubernetes.io/name', 'app', 'k8s-app', 'name'];

/** `web` of the pod `web-7d4b9c8f6d-x2x9z`: generated suffixes use neither vowels nor 0, 1, 3. */
const workloadName = (pod: string): string =>
  pod.replace(/(?:-[bcdfghjklmnpqrstvwxz2456789]{6,10})?-(?:[bcdfghjklmnpqrstvwxz2456789]{5}|\d{1,3})$/, '');

/** `web` of the replica set `web-7d4b9c8f6d`. */
const withoutHash = (name: string): string => name.replace(/-[bcdfghjklmnpqrstvwxz2456789]{6,10}$/, '');

/** The service, or the workload, that an object belongs to. */
export const serviceOf = (object: Pick<SystemObject, 'kind' | 'name' | 'labels' | 'owners'>): string => {
  if (object.kind === 'Service') return object.name;
  for (const label of SERVICE_LABELS) {
    const value = object.labels[label];
    if (value) return value;
  }
  const owner = object.owners[0];
  if (owner?.kind === 'Service') return owner.name;
  if (object.kind === 'Pod') return workloadName(object.name);
  return owner?.name ?? (object.kind === 'ReplicaSet' ? withoutHash(object.name) : object.name);
};

export const serviceOfEvent = (view: View, event: SystemEvent): string => {
  const object = view.objects.find(
    ({ kind, name }) => kind === event.object.kind && name === event.object.name,
  );
  return serviceOf(object ?? { ...event.object, labels: {}, owners: [] });
};

const CHANGE_REASON =
  /config|deploy|rollout|rolled|scal(?:ed|ing)|updat|upgrad|releas|migrat|SuccessfulCreate/i;

/** Deliberate changes of a service: deployments, configuration, scaling. */
export const changesOf = (view: View, service: string | null): SystemEvent[] =>
  view.events.filter(
    (event) =>
      CHANGE_REASON.test(event.reason) && (service === null || serviceOfEvent(view, event) === service),
  );

const CHANGE_LEAD_MS = 30 * 60_000;
const CLOCK_SLACK_MS = 15_000;

/** The last deliberate change of a service before trouble began. */
export const changeBefore = (view: View, service: string, onsetMs: number): SystemEvent | undefined =>
  changesOf(view, service)
    .filter(({ timeMs }) => timeMs <= onsetMs + CLOCK_SLACK_MS && timeMs >= onsetMs - CHANGE_LEAD_MS)
    .sort((a, b) => b.timeMs - a.timeMs)[0];
