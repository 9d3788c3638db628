import type { ClusterScope } from './cluster-scope';
import { isForbidden, isNotFound } from './kubernetes-failure';
import { readList, type Listed } from './read-list';
import type { Resource } from './resources';

type Outcome = { resource: Resource } & (
  { kind: 'READ'; listed: Listed } | { kind: 'DENIED' | 'ABSENT'; error: unknown }
);

const LISTS_AT_ONCE = 4;

/** One list; what may not be read and what the cluster does not serve are told apart from what failed. */
const outcomeOf = async (
  { api }: ClusterScope,
  resource: Resource,
  query: Parameters<typeof readList>[2],
  signal: AbortSignal,
): Promise<Outcome> => {
  try {
    return { resource, kind: 'READ', listed: await readList(api, resource, query, signal) };
  } catch (error) {
    if (isForbidden(error)) return { resource, kind: 'DENIED', error };
    if (isNotFound(error)) return { resource, kind: 'ABSENT', error };
    throw error;
  }
};

/** A few lists at a time; the first that fails ends the others. */
export const inTurn = async <Task, Result>(
  tasks: readonly Task[],
  run: (task: Task, signal: AbortSignal) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result[]> => {
  const results: Result[] = [];
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < tasks.length) {
      const at = next;
      next += 1;
      results[at] = await run(tasks[at] as Task, both);
    }
  };
  try {
    await Promise.all(Array.from({ length: LISTS_AT_ONCE }, worker));
    return results;
  } finally {
    failed.abort();
  }
};

/** All lists of a query together. Throws where nothing could be read because access was denied. */
export const readLists = async (
  scope: ClusterScope,
  lists: readonly { resource: Resource; namespace: string | undefined }[],
  selectors: { fieldSelector?: string },
  signal: AbortSignal,
) => {
  const outcomes = await inTurn(
    lists,
    ({ resource, namespace }, both) => outcomeOf(scope, resource, { namespace, ...selectors }, both),
    signal,
  );
  const read = outcomes.flatMap((outcome) => (outcome.kind === 'READ' ? [outcome.listed] : []));
  const denied = outcomes.filter(({ kind }) => kind === 'DENIED');
  const [first] = denied;
  if (read.length === 0 && first && first.kind !== 'READ') throw first.error;
  const hasMore = read.some((listed) => listed.hasMore);
  return {
    items: read.flatMap(({ items }) => items),
    hasMore,
    remaining: read.reduce<number | null>(
      (sum, { remaining }) => (sum === null || remaining === null ? null : sum + remaining),
      0,
    ),
    isTorn: read.some(({ isTorn }) => isTorn),
    isDenied: denied.length > 0,
    isAbsent: read.length === 0,
  };
};
