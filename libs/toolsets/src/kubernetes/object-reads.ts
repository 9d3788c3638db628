import type { IncidentSource } from '../incident-source';
import type { ClusterScope } from './cluster-scope';
import { describeObject } from './describe-object';
import { listEvents, listObjects } from './list-objects';

/** The part of an incident's interface that a cluster serves. */
export const objectReads = (
  scope: ClusterScope,
): Pick<IncidentSource, 'listObjects' | 'listEvents' | 'describeObject'> => ({
  listObjects: (query, signal) => listObjects(scope, query, signal),
  listEvents: (query, signal) => listEvents(scope, query, signal),
  describeObject: (query, signal) => describeObject(scope, query, signal),
});
