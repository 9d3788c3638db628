import type { IncidentEvent, IncidentObject } from '../incident-format';
import type { IncidentSource } from '../incident-source';
import type { ClusterScope } from './cluster-scope';
import { denySecrets } from './deny-secrets';
import { emptyPage, type Standing } from './empty-page';
import { eventsOf } from './event-of';
import { findObjects } from './find-objects';
import { isForbidden } from './kubernetes-failure';
import { nameStanding, namespaceStanding } from './name-standing';
import { publicObject } from './public-object';
import { readList } from './read-list';
import { isObjectName, kindsNear, resourceNamed, resourceOf } from './resources';
import { withDerivedStatus } from './with-derived-status';

const EVENT = resourceNamed('Event');

/** Events about exactly this object; those of a node or a volume are kept in the namespace `default`. */
export const eventsAbout = async (
  { api }: ClusterScope,
  { kind, metadata: { name, namespace } }: IncidentObject,
  signal: AbortSignal,
): Promise<{ events: IncidentEvent[]; isDenied: boolean; hasMore: boolean }> => {
  const fieldSelector = [`involvedObject.kind=${kind}`, `involvedObject.name=${name}`].join(',');
  const place = namespace ?? 'default';
  try {
    const read = await readList(api, EVENT, { namespace: place, fieldSelector }, signal, 2);
    return { events: eventsOf(read.items), isDenied: false, hasMore: read.hasMore };
  } catch (error) {
    if (isForbidden(error)) return { events: [], isDenied: true, hasMore: false };
    throw error;
  }
};

export const describeObject: (
  scope: ClusterScope,
  ...rest: Parameters<IncidentSource['describeObject']>
) => ReturnType<IncidentSource['describeObject']> = async (scope, { kind, name, namespace }, signal) => {
  denySecrets(kind);
  const none = (standing: Partial<Standing>) => ({ ...emptyPage<IncidentObject>(standing), events: [] });
  const resource = resourceOf(kind);
  if (resource === undefined) return none({ selectorKnown: false, suggestions: kindsNear(kind) });
  const standing = await namespaceStanding(scope, resource.isNamespaced ? namespace : undefined, signal);
  if (standing.selectorKnown === false) return none(standing);
  if (!isObjectName(name)) return none({ selectorKnown: false });

  const { objects, isDenied } = await findObjects(scope, resource, { namespace, name }, signal);
  const [first, ...others] = objects;
  if (first === undefined)
    return none(await nameStanding(scope, resource, { namespace, name }, isDenied, signal));
  const full = await withDerivedStatus(scope, first, signal);
  const about = await eventsAbout(scope, first, signal);
  return {
    items: [publicObject(full.object)],
    matched: objects.length,
    limitHit: others.length > 0 || about.hasMore,
    sampled: false,
    partial: false,
    permissionFiltered: isDenied || full.isDenied || about.isDenied,
    selectorKnown: true,
    suggestions: others.slice(0, 5).map(({ metadata }) => `${metadata.name} in ${metadata.namespace ?? ''}`),
    events: about.events,
  };
};
