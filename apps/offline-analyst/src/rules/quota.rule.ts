import { fields } from '../evidence/fields';
import { at, factAt } from '../evidence/place';
import type { SystemObject, View } from '../evidence/view';
import { listsAll } from '../evidence/without-gone';
import type { Finding, Hypothesis, Rule } from './finding';
import { eventFinding, finding, objectEntity, patternFinding } from './findings';
import { unresolvedNames } from './unknown-name';
import { bytesOf } from './volume-claim.rule';
import { listed } from './wording';

type Limit = { quota: SystemObject; resource: string; isFull: boolean; finding: Finding };

const amountOf = (quantity: unknown): number => {
  const milli = /^(\d+)m$/.exec(String(quantity))?.[1];
  return milli === undefined ? bytesOf(quantity) : Number(milli) / 1_000;
};

/** The limits of a quota: those that are used to the last, and those that a single request can be too large for. */
const limitsOf = (view: View, quota: SystemObject): Limit[] => {
  const { used, hard } = quota.status;
  return Object.entries(fields(hard)).flatMap(([resource, limit]): Limit[] => {
    const use = fields(used)[resource];
    if (Number.isNaN(amountOf(limit))) return [];
    const isFull = amountOf(use) >= amountOf(limit);
    const place = (of: string) => at(quota.place, 'status', of, resource);
    return [
      {
        quota,
        resource,
        isFull,
        finding: finding({
          key: `state:quota:${quota.name}:${resource}`,
          sort: 'STATE',
          text: isFull
            ? `The quota ${quota.name} allows no more ${resource}: use and limit are equal.`
            : `The quota ${quota.name} limits ${resource}.`,
          facts: [...factAt(view.documents, place('used')), ...factAt(view.documents, place('hard'))],
          entities: [objectEntity('ResourceQuota', quota.name, quota.place)],
          weight: isFull ? 3 : 2,
        }),
      },
    ];
  });
};

/** Services that others call and that the list of services does not hold. */
const missingServices = (view: View): Finding[] => {
  const known = view.objects.filter(({ kind }) => kind === 'Service');
  const lists = view.calls.filter((call) => listsAll(call, 'Service'));
  if (known.length === 0 || lists.length === 0) return [];
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
          ...lists.slice(-1).map(({ toolCallId }) => toolCallId),
        ]),
      ].slice(0, 4),
      weight: 2,
    }),
    ...unresolvedNames(view)
      .filter(({ name }) => missing.includes(name))
      .flatMap(({ patterns }) => patterns.slice(0, 1))
      .slice(0, 2)
      .map((pattern) => patternFinding(view, pattern, 2)),
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
  /** One request can exceed it by its size, and leaves the use as it was. */
  bySize: boolean;
  missing: (view: View) => Finding[];
}[] = [
  {
    resource: /^(?:count\/)?services/,
    cause: 'NAMESPACE_SERVICE_QUOTA_EXCEEDED',
    what: 'services',
    bySize: false,
    missing: missingServices,
  },
  {
    resource: /storage|persistentvolumeclaims/,
    cause: 'NAMESPACE_STORAGE_QUOTA_EXCEEDED',
    what: 'storage',
    bySize: true,
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
    .flatMap((object) => limitsOf(view, object))
    .flatMap(({ quota: object, resource, isFull, finding: full }): Hypothesis[] => {
      const kind = KINDS.find(
        (candidate) => candidate.resource.test(resource) && (isFull || candidate.bySize),
      );
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
