import type { SystemEvent, View } from '../evidence/view';
import type { Hypothesis, Rule } from './finding';
import { eventFinding } from './findings';
import { signatureRule } from './signature';
import { serviceOf, serviceOfEvent } from './topology';
import { unwellFindings } from './unwell';

const QUOTA = /(?:exceeded quota: ([\w.-]+)[^]*?limited: |failed quota: ([\w.-]+): must specify )([\w./-]+)/i;

const RESOURCES: readonly (readonly [RegExp, string, string])[] = [
  [/cpu/, 'NAMESPACE_CPU_QUOTA_EXCEEDED', 'CPU'],
  [/memory/, 'NAMESPACE_MEMORY_QUOTA_EXCEEDED', 'memory'],
  [/services/, 'NAMESPACE_SERVICE_QUOTA_EXCEEDED', 'services'],
  [/storage|persistentvolumeclaims/, 'NAMESPACE_STORAGE_QUOTA_EXCEEDED', 'storage'],
  [/pods/, 'NAMESPACE_POD_QUOTA_EXCEEDED', 'pods'],
];

const namespaceOf = (view: View, event: SystemEvent): string =>
  view.objects.find(({ kind, name }) => kind === event.object.kind && name === event.object.name)
    ?.namespace ??
  view.objects.find(({ namespace }) => namespace !== null)?.namespace ??
  'default';

const quotaHypotheses = (view: View): Hypothesis[] => {
  const byCause = new Map<string, SystemEvent[]>();
  for (const event of view.events) {
    const limited = QUOTA.exec(event.message)?.[3];
    const resource = limited && RESOURCES.find(([pattern]) => pattern.test(limited));
    if (resource) byCause.set(resource[1], [...(byCause.get(resource[1]) ?? []), event]);
  }
  return [...byCause].map(([cause, events]) => {
    const what = RESOURCES.find(([, name]) => name === cause)?.[2] ?? 'a resource';
    const first = events[0] as SystemEvent;
    const services = [...new Set(events.map((event) => serviceOfEvent(view, event)))];
    return {
      cause,
      object: `Namespace/${namespaceOf(view, first)}`,
      service: null,
      rank: 'CAUSE',
      headline: `The namespace's quota of ${what} is used up, so that objects of ${services.slice(0, 4).join(', ')} cannot be created`,
      mechanism: `The quota of the namespace for ${what} is exceeded: the API server does not admit (forbidden) what ${services.slice(0, 4).join(', ')} would create.`,
      findings: [
        ...events.slice(0, 3).map((event) => eventFinding(view, event, 3)),
        ...services.flatMap((service) => unwellFindings(view, service)).slice(0, 1),
      ],
      actions: [
        `Compare use and limit of the quota (kubectl describe resourcequota) and raise the limit for ${what}, or remove what is not needed.`,
        'Once there is room, check that the workloads create their missing pods; a restart of the rollout speeds it up.',
      ],
      recommendations: [
        'Alert on quotas near their limit, and plan room for rolling updates, which need more for a while.',
      ],
      lookup: `namespace resource quota exceeded ${what}`,
    };
  });
};

const hasPods = (view: View, service: string): boolean =>
  view.objects.some((object) => object.kind === 'Pod' && serviceOf(object) === service);

/** A pod was created after all, as an event of the same controller tells. */
const wasCreated = (view: View, service: string): boolean =>
  view.events.some((event) => event.reason === 'SuccessfulCreate' && serviceOfEvent(view, event) === service);

/** Where no pod of anybody was read, that a service has none is not known: a remark then, and no cause. */
const unsureWithoutPods =
  (rule: Rule): Rule =>
  (view) =>
    view.objects.some(({ kind }) => kind === 'Pod')
      ? rule(view)
      : rule(view).map((hypothesis) => ({
          ...hypothesis,
          findings: hypothesis.findings.map((item) => ({ ...item, weight: Math.min(item.weight, 1) })),
        }));

const serviceAccount = signatureRule({
  cause: 'MISSING_SERVICE_ACCOUNT',
  event: /serviceaccounts? "?[\w.-]+"? not found/i,
  // The controller tries again: a pod that exists shows that it got through.
  unless: (view, service) => hasPods(view, service) || wasCreated(view, service),
  headline: (service) =>
    `The service account that ${service} uses is not there, so that its pods are forbidden`,
  mechanism: (service) =>
    `The service account that the pods of ${service} name is not found, so the API server does not admit them (forbidden).`,
  actions: (service) => [`Create the service account, or correct serviceAccountName of ${service}.`],
  recommendations: ['Ship a workload and its service account in one change.'],
  lookup: 'pod creation forbidden serviceaccount not found',
});

/** What the API server refuses to admit. */
export const admission: Rule = (view) => [
  ...quotaHypotheses(view),
  ...unsureWithoutPods(serviceAccount)(view),
];
