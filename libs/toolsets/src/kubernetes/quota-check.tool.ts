import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, scopeOf } from '../incident/incident-tool';
import type { IncidentObject } from '../incident-format';
import type { ReadOnlyTool } from '../tool';
import { placesOf, type ClusterScope } from './cluster-scope';
import { clusterTool, NameArgument } from './cluster-tool';
import { eventsOf, tellingFirst } from './event-of';
import { list, present, record } from './json-fields';
import { namespaceStanding } from './name-standing';
import { quantityOf, shareOf } from './quantity';
import { readLists } from './read-lists';
import { resourceNamed } from './resources';

const EVENTS_MAX = 10;
/** What a controller says that may not make a pod, and the API server to who may not make an object. */
const REFUSED_BY_QUOTA =
  /exceeded quota|must specify (?:limits|requests)|maximum .* per (?:Pod|Container)|failed quota/i;

/** One row per limited resource: how much of it is used, the fullest first. */
export const quotaRows = (quotas: readonly IncidentObject[]): Json[] =>
  quotas
    .flatMap((quota) => {
      const { hard, used } = record(quota.status);
      return Object.entries(record(hard ?? record(quota.spec)['hard'])).map(([resource, limit]) => {
        const [use, max] = [quantityOf(record(used)[resource]), quantityOf(limit)];
        const share = use === undefined || max === undefined ? undefined : shareOf(use, max);
        return {
          share: max === 0 ? 1 : (share ?? 0),
          row: present({
            kind: 'ResourceQuota',
            name: quota.metadata.name,
            namespace: quota.metadata.namespace,
            resource,
            used: record(used)[resource],
            hard: limit,
            usedShare: share,
            isExhausted: use === undefined || max === undefined ? undefined : use >= max,
          }),
        };
      });
    })
    .sort((a, b) => b.share - a.share)
    .map(({ row }) => row);

/** Bounds for a single pod or container: one request can break them while the quota has room. */
export const limitRangeRows = (ranges: readonly IncidentObject[]): Json[] =>
  ranges.flatMap((range) =>
    list(record(range.spec)['limits']).map((limit) =>
      present({
        kind: 'LimitRange',
        name: range.metadata.name,
        namespace: range.metadata.namespace,
        ...record(limit),
        type: undefined,
        limitType: record(limit)['type'],
      }),
    ),
  );

export const quotaCheck = (scope: ClusterScope): ReadOnlyTool =>
  clusterTool(
    {
      name: 'kubernetes_quota_check',
      description:
        'Shows how much of each resource quota is used, the fullest first, the bounds for single containers (LimitRange), and the events in which something was refused for them. ' +
        'Use it where pods are missing, or objects cannot be made.',
      parameters: z.strictObject({
        namespace: NameArgument.describe('Exact namespace (default: all that may be read).').optional(),
      }),
    },
    async ({ namespace }, { signal }) => {
      const standing = await namespaceStanding(scope, namespace, signal);
      const read = async (kind: string, selectors: { fieldSelector?: string } = {}) => {
        if (standing.selectorKnown === false)
          return { items: [], hasMore: false, isTorn: false, isDenied: standing.permissionFiltered };
        const resource = resourceNamed(kind);
        const lists = placesOf(scope, resource, namespace).map((place) => ({ resource, namespace: place }));
        return readLists(scope, lists, selectors, signal);
      };
      const quotas = await read('ResourceQuota');
      const ranges = await read('LimitRange');
      const warnings = await read('Event', { fieldSelector: 'type=Warning' });
      const refused = tellingFirst(
        eventsOf(warnings.items).filter(({ message }) => REFUSED_BY_QUOTA.test(message)),
      );
      const all = [quotas, ranges, warnings];
      const rows = [...quotaRows(quotas.items), ...limitRangeRows(ranges.items)];
      return {
        kind: 'ROWS',
        matched: all.some(({ hasMore }) => hasMore) ? null : rows.length,
        rows,
        summary: {
          quotas: quotas.items.length,
          limitRanges: ranges.items.length,
          exhausted: rows.filter((row) => record(row)['isExhausted'] === true).length,
          refusals: refused.length,
          ...(refused.length > 0 ? { refusedLately: refused.slice(0, EVENTS_MAX) as Json[] } : {}),
        },
        scope: scopeOf({ namespace, filter: filterText({}) }),
        window: null,
        dataSpan: null,
        limitHit: all.some(({ hasMore }) => hasMore) || refused.length > EVENTS_MAX,
        sampled: false,
        partial: all.some(({ isTorn }) => isTorn),
        ...standing,
        permissionFiltered: standing.permissionFiltered || all.some(({ isDenied }) => isDenied),
        untrustedPaths: ['/summary/refusedLately/*/message'],
      };
    },
  );
