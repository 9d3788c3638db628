import type { Window } from '@inquest/contracts/scope';
import type { IncidentEvent, IncidentObject } from '../incident-format';
import type { ObjectQuery, Page } from '../incident-source';
import { placesOf, type ClusterScope } from './cluster-scope';
import { denySecrets } from './deny-secrets';
import { emptyPage } from './empty-page';
import { eventsOf, tellingFirst } from './event-of';
import { namespaceStanding } from './name-standing';
import { publicObject } from './public-object';
import { readLists } from './read-lists';
import { kindsNear, RESOURCES, resourceNamed, resourceOf, type Resource } from './resources';
import { troubledFirst } from './troubled-first';
import { derived, servicesWithEndpoints } from './with-derived-status';

const contains = (name: string, part: string | undefined): boolean =>
  part === undefined || name.toLowerCase().includes(part.toLowerCase());

const overview = (): Resource[] => RESOURCES.filter(({ isOverview }) => isOverview);

export const listObjects = async (
  scope: ClusterScope,
  { kind, namespace, nameContains, limit }: ObjectQuery,
  signal: AbortSignal,
): Promise<Page<IncidentObject>> => {
  denySecrets(kind);
  const resource = kind === undefined ? undefined : resourceOf(kind);
  if (kind !== undefined && resource === undefined)
    return emptyPage({ selectorKnown: false, suggestions: kindsNear(kind) });
  const standing = await namespaceStanding(scope, namespace, signal);
  if (standing.selectorKnown === false) return emptyPage(standing);

  const resources = resource ? [resource] : overview();
  const lists = resources.flatMap((one) =>
    placesOf(scope, one, namespace).map((place) => ({ resource: one, namespace: place })),
  );
  const read = await readLists(scope, lists, {}, signal);
  if (read.isAbsent && resource) return emptyPage({ selectorKnown: false, suggestions: [] });
  const matching = read.items.filter(({ metadata }) => contains(metadata.name, nameContains));
  const shown = await servicesWithEndpoints(scope, matching, namespace, signal);
  const telling = troubledFirst(shown.objects.map(derived)).slice(0, limit);
  const unread = nameContains === undefined ? read.remaining : null;
  return {
    items: telling.map(publicObject),
    matched: read.hasMore ? (unread === null ? null : matching.length + unread) : matching.length,
    limitHit: matching.length > limit || read.hasMore,
    sampled: false,
    partial: read.isTorn,
    permissionFiltered: read.isDenied || shown.isDenied,
    selectorKnown: kind === undefined && namespace === undefined ? null : true,
    suggestions: [],
  };
};

const EVENT = resourceNamed('Event');

export const listEvents = async (
  scope: ClusterScope,
  { namespace, nameContains, limit }: ObjectQuery,
  signal: AbortSignal,
): Promise<Page<IncidentEvent> & { window?: Window }> => {
  const standing = await namespaceStanding(scope, namespace, signal);
  if (standing.selectorKnown === false) return emptyPage(standing);
  const lists = placesOf(scope, EVENT, namespace).map((place) => ({ resource: EVENT, namespace: place }));
  const read = await readLists(scope, lists, {}, signal);
  const matching = tellingFirst(
    eventsOf(read.items).filter(({ object }) => contains(object.name, nameContains)),
  );
  const unread = nameContains === undefined ? read.remaining : null;
  const to = scope.nowMs();
  return {
    window: { from: new Date(to - scope.eventsKeptMs).toISOString(), to: new Date(to).toISOString() },
    items: matching.slice(0, limit),
    matched: read.hasMore ? (unread === null ? null : matching.length + unread) : matching.length,
    limitHit: matching.length > limit || read.hasMore,
    sampled: false,
    partial: read.isTorn,
    permissionFiltered: read.isDenied,
    selectorKnown: standing.selectorKnown,
    suggestions: [],
  };
};
