import { IncidentObject } from '../incident-format';
import { list, record, text } from './json-fields';
import type { KubernetesApi, Query } from './kubernetes-api';
import { isGone, KubernetesFailure } from './kubernetes-failure';
import { pathOf, type Resource } from './resources';

/** Objects of one list, and what is known of its end. */
export type Listed = {
  items: IncidentObject[];
  /** More objects are there that were not read. */
  hasMore: boolean;
  /** How many are there and were not read; null where the API does not say. */
  remaining: number | null;
  /** The list's snapshot expired between two pages: what follows the read pages is not known. */
  isTorn: boolean;
};

export const PAGE_ITEMS = 250;
export const PAGES_MAX = 8;

type Page = { items: IncidentObject[]; next: string | undefined; remaining: number | null };

/** Objects of a list bear neither kind nor version: the list does. */
const pageOf = (answer: unknown, kind: string): Page => {
  const body = record(answer);
  if (!Array.isArray(body['items']) || !/List$/.test(text(body['kind']) ?? ''))
    throw new KubernetesFailure(null, 'RESULT_UNUSABLE', 'no list of the Kubernetes API');
  const items = list(body['items']).map((item) => {
    const parsed = IncidentObject.safeParse({ ...record(item), kind });
    if (!parsed.success)
      throw new KubernetesFailure(
        null,
        'RESULT_UNUSABLE',
        'no object of the Kubernetes API',
        parsed.error.message,
      );
    return parsed.data;
  });
  const metadata = record(body['metadata']);
  const remaining = metadata['remainingItemCount'];
  return {
    items,
    next: text(metadata['continue']),
    remaining: typeof remaining === 'number' ? remaining : null,
  };
};

/** Reads a list page by page, each page once, up to a bound. */
export const readList = async (
  api: KubernetesApi,
  resource: Resource,
  { namespace, ...selectors }: { namespace?: string; fieldSelector?: string; labelSelector?: string },
  signal: AbortSignal,
  pagesMax = PAGES_MAX,
): Promise<Listed> => {
  const items: IncidentObject[] = [];
  let next: string | undefined;
  let remaining: number | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const query: Query = { ...selectors, limit: PAGE_ITEMS, continue: next };
    try {
      const read = pageOf(await api.getJson(pathOf(resource, { namespace }), query, signal), resource.kind);
      items.push(...read.items);
      ({ next, remaining } = read);
    } catch (error) {
      // The first page has no token that could expire: there it is a failure like any other.
      if (page === 0 || !isGone(error)) throw error;
      return { items, hasMore: true, remaining: null, isTorn: true };
    }
    if (next === undefined) return { items, hasMore: false, remaining: 0, isTorn: false };
  }
  return { items, hasMore: true, remaining, isTorn: false };
};

/** One object by name. */
export const readObject = async (
  api: KubernetesApi,
  resource: Resource,
  place: { namespace?: string; name: string },
  signal: AbortSignal,
): Promise<IncidentObject> => {
  const answer = record(await api.getJson(pathOf(resource, place), {}, signal));
  const parsed = IncidentObject.safeParse({ ...answer, kind: resource.kind });
  if (!parsed.success)
    throw new KubernetesFailure(
      null,
      'RESULT_UNUSABLE',
      'no object of the Kubernetes API',
      parsed.error.message,
    );
  return parsed.data;
};
