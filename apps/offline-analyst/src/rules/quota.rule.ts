import { fields } from '../evidence/fields';
import { at, factAt } from '../evidence/place';
import type { SystemObject, View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import { eventFinding, finding, objectEntity } from './findings';
import { bytesOf } from './volume-claim.rule';
import { listed } from './wording';

type Full = { quota: SystemObject; resource: string; finding: Finding };

const amountOf = (quantity: unknown): number => {
  const milli = /^(\d+)m$/.exec(String(quantity))?.[1];
  return milli === undefined ? bytesOf(quantity) : Number(milli) / 1_000;
};

/** Resources of a quota that are used to the last. */
const fullOf = (view: View, quota: SystemObject): Full[] => {
  const { used, hard } = quota.status;
  return Object.entries(fields(hard)).flatMap(([resource, limit]): Full[] => {
    const use = fields(used)[resource];
    if (!(amountOf(limit) > 0) || !(amountOf(use) >= amountOf(limit))) return [];
    const place = (of: string) => at(quota.place, 'status', of, resource);
    return [
      {
        quota,
        resource,
        finding: finding({
          key: `state:quota:${quota.name}:${resource}`,
          sort: 'STATE',
          text: `The quota ${quota.name} allows no more ${resource}: use and limit are equal.`,
          facts: [...factAt(view.documents, place('used')), ...factAt(view.documents, place('hard'))],
          entities: [objectEntity('ResourceQuota', quota.name, quota.place)],
          weight: 3,
        }),
      },
    ];
  });
};

/** Services that others call and that the list of services does not hold. */
const missingServices = (view: View): Finding[] => {
  const known = view.objects.filter(({ kind }) => kind === 'Service');
  if (known.length === 0) return [];
  const names = new Set(known.map(({ name }) => name));
  const missing = [...new Set(view.dependencies.map(({ to }) => to))].filter((name) => !names.has(name));
  if (missing.length === 0) return [];
  const edges = view.dependencies.filter(({ to }) => missing.includes(to));
  return [
    finding({
      key: 'dependency:missing-services',
      sort: 'DEPENDENCY',
      text: `Others depend on ${listed(missing.slice(0, 4))}, and the list of services holds no service of that name.`,
      facts: edges.slice(0, 4).flatMap(({ place }) => factAt(view.documents, at(place, 'to'))),
      toolCallIds: [
        ...new Set([
          ...edges.map(({ place }) => place.toolCallId),
          ...known.map(({ place }) => place.toolCallId),
        ]),
      ].slice(0, 4),
      weight: 2,
    }),
  ];
};

const missingClaims = (view: View): Finding[] =>
  view.events
    .filter(({ message }) => /persistentvolumeclaim "?[\w.-]+"? not found/i.test(message))
    .slice(0, 2)
    .map((event) => eventFinding(view, event, 2));

const KINDS: readonly {
  resource: RegExp;
  cause: string;
  what: string;
  missing: (view: View) => Finding[];
}[] = [
  {
    resource: /^(?:count\/)?services/,
    cause: 'NAMESPACE_SERVICE_QUOTA_EXCEEDED',
    what: 'services',
    missing: missingServices,
  },
  {
    resource: /storage|persistentvolumeclaims/,
    cause: 'NAMESPACE_STORAGE_QUOTA_EXCEEDED',
    what: 'storage',
    missing: missingClaims,
  },
];

/**
 * A quota that is used up, where something that it counts is missing. What people create by hand leaves no event when it
 * is refused; what controllers create does, and is read from there.
 */
export const quota: Rule = (view) =>
  view.objects
    .filter(({ kind, described }) => kind === 'ResourceQuota' && described)
    .flatMap((object) => fullOf(view, object))
    .flatMap(({ quota: object, resource, finding: full }): Hypothesis[] => {
      const kind = KINDS.find((candidate) => candidate.resource.test(resource));
      const missing = kind?.missing(view) ?? [];
      if (!kind || missing.length === 0) return [];
      return [
        {
          cause: kind.cause,
          object: `Namespace/${object.namespace ?? 'default'}`,
          service: null,
          rank: 'CAUSE',
          headline: `The namespace's quota of ${kind.what} is used up, and some that are needed are missing`,
          mechanism: `The quota of the namespace for ${kind.what} is exceeded: the API server admits no further ones, so that some that are needed do not exist.`,
          findings: [full, ...missing],
          actions: [
            `Raise the quota ${object.name} for ${kind.what}, or remove what is not needed, and create what is missing.`,
          ],
          recommendations: ['Alert on quotas near their limit.'],
          lookup: `namespace resource quota exceeded ${kind.what}`,
        },
      ];
    });
