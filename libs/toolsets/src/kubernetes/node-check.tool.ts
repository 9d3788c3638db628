import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, scopeOf } from '../incident/incident-tool';
import type { IncidentObject } from '../incident-format';
import type { JsonObject, ReadOnlyTool } from '../tool';
import type { ClusterScope } from './cluster-scope';
import { clusterTool, NameArgument, oneObject } from './cluster-tool';
import { list, present, record, text } from './json-fields';
import { isForbidden } from './kubernetes-failure';
import { quantityOf, shareOf } from './quantity';
import { readList, type Listed } from './read-list';
import { resourceNamed } from './resources';

const NODE = resourceNamed('Node');
const POD = resourceNamed('Pod');

/** A pod that has ended holds nothing of its node any more. */
const isLive = (pod: IncidentObject): boolean =>
  !['Succeeded', 'Failed'].includes(text(record(pod.status)['phase']) ?? '');

/** What a scheduler counts: the sum over containers. */
const requested = (pods: readonly IncidentObject[], resource: string): number =>
  pods
    .flatMap((pod) => list(record(pod.spec)['containers']))
    .map((container) => quantityOf(record(record(record(container)['resources'])['requests'])[resource]) ?? 0)
    .reduce((sum, amount) => sum + amount, 0);

const ALLOCATED = ['cpu', 'memory'] as const;

/** `bad` names the conditions that are not as they should be; shares are of what pods may ask for. */
export const nodeRow = (node: IncidentObject, pods: readonly IncidentObject[] | null): JsonObject => {
  const conditions = list(record(node.status)['conditions']).map(record);
  const ready = conditions.find(({ type }) => type === 'Ready');
  const bad = conditions.filter(({ type, status }) =>
    type === 'Ready' ? status !== 'True' : status !== 'False',
  );
  const allocatable = record(record(node.status)['allocatable']);
  const live =
    pods?.filter((pod) => record(pod.spec)['nodeName'] === node.metadata.name && isLive(pod)) ?? null;
  const requests = ALLOCATED.map((resource) => {
    const [asked, room] = [live && requested(live, resource), quantityOf(allocatable[resource])];
    return [
      resource,
      present({
        requested: asked ?? undefined,
        allocatable: room,
        share: asked === null || room === undefined ? undefined : shareOf(asked, room),
      }),
    ] as const;
  });
  return present({
    kind: 'Node',
    name: node.metadata.name,
    ready: ready === undefined ? undefined : ready['status'] === 'True',
    unschedulable: record(node.spec)['unschedulable'] === true ? true : undefined,
    badConditions: bad.map(({ type, status, reason, message, lastTransitionTime }) =>
      present({ type, status, reason, message, since: lastTransitionTime }),
    ),
    taints: list(record(node.spec)['taints']).map((taint) => {
      const { key, value, effect } = record(taint);
      return present({ key, value, effect });
    }),
    resources: Object.fromEntries(requests),
    pods: live?.length,
    podsMax: quantityOf(allocatable['pods']),
    kubelet: record(record(node.status)['nodeInfo'])['kubeletVersion'],
  });
};

/** Pods of the cluster, or null where they may not be read over all namespaces. */
const readPods = async (
  { api, namespaces }: ClusterScope,
  node: string | undefined,
  signal: AbortSignal,
): Promise<Listed | null> => {
  // With an allow-list the sum would be that of some namespaces, and a node would look emptier than it is.
  if (namespaces !== null) return null;
  const fieldSelector = node === undefined ? undefined : `spec.nodeName=${node}`;
  try {
    return await readList(api, POD, { fieldSelector }, signal);
  } catch (error) {
    if (isForbidden(error)) return null;
    throw error;
  }
};

const isIll = (row: JsonObject): boolean =>
  row['ready'] !== true || row['unschedulable'] === true || list(row['badConditions']).length > 0;

export const nodeCheck = (scope: ClusterScope): ReadOnlyTool =>
  clusterTool(
    {
      name: 'kubernetes_node_check',
      description:
        'Checks the nodes of the cluster, those in trouble first: readiness, bad conditions with their reason, taints, whether new pods are kept away, and how much of cpu and memory is requested. ' +
        'Use it where pods are pending or several pods of one node fail.',
      parameters: z.strictObject({
        node: NameArgument.describe('Exact name (default: all nodes).').optional(),
      }),
    },
    async ({ node: name }, { signal }) => {
      const one = name === undefined ? null : await oneObject(scope, NODE, { name }, signal);
      const nodes: Listed =
        one === null
          ? await readList(scope.api, NODE, {}, signal)
          : { items: one.object ? [one.object] : [], hasMore: false, remaining: 0, isTorn: false };
      const pods = nodes.items.length === 0 ? null : await readPods(scope, name, signal);
      const isWhole = pods !== null && !pods.hasMore;
      const rows = nodes.items
        .map((node) => nodeRow(node, isWhole ? pods.items : null))
        .sort((a, b) => Number(isIll(b)) - Number(isIll(a)));
      return {
        kind: 'ROWS',
        matched: nodes.hasMore ? null : rows.length,
        rows: rows as Json[],
        summary: { nodes: rows.length, inTrouble: rows.filter(isIll).length },
        scope: scopeOf({ filter: filterText({ node: name }) }),
        window: null,
        dataSpan: null,
        limitHit: nodes.hasMore,
        sampled: false,
        partial: nodes.isTorn || (pods?.hasMore ?? false),
        permissionFiltered:
          (one?.standing.permissionFiltered ?? false) || (nodes.items.length > 0 && pods === null),
        selectorKnown: one === null ? null : one.standing.selectorKnown,
        suggestions: one?.standing.suggestions ?? [],
        untrustedPaths: ['/rows/*/badConditions'],
      };
    },
  );
