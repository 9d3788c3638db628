import { at, factAt } from '../evidence/place';
import type { SystemObject, View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import { eventFinding, finding, objectEntity } from './findings';
import { complaintsAbout } from './complaints';
import { serviceOf } from './topology';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'ReplicationController']);
const SCALED_DOWN = /scaled down .{0,120}\bto 0\b/i;

/** The line of a list gives its count as `READY 0/0`, where it gives no other. */
const zeroAt = (object: SystemObject): string[] | undefined => {
  if (object.spec.replicas === 0) return object.described ? ['spec', 'replicas'] : ['desiredReplicas'];
  return object.status.READY === '0/0' ? ['status', 'READY'] : undefined;
};

/** Whether anybody counts on it: a workload that is kept for later at nothing is no fault. */
const isMissed = (view: View, service: string): boolean =>
  view.dependencies.some(({ to }) => to === service) ||
  view.objects.some(({ kind, name }) => kind === 'Service' && name === service);

const scaledDown = (view: View, object: SystemObject): Finding[] =>
  view.events
    .filter(
      ({ message, object: about }) =>
        about.kind === object.kind && about.name === object.name && SCALED_DOWN.test(message),
    )
    .slice(0, 1)
    .map((event) => ({ ...eventFinding(view, event, 2), toMs: null }));

/** A workload that was scaled to nothing, and is missed by somebody. */
export const workload: Rule = (view: View) =>
  view.objects
    .filter(({ kind }) => WORKLOADS.has(kind))
    .flatMap((object): Hypothesis[] => {
      const path = zeroAt(object);
      if (path === undefined) return [];
      const { kind, name, place } = object;
      const service = serviceOf(object);
      const state = finding({
        key: `state:${kind}:${name}:replicas`,
        sort: 'STATE',
        text: `${kind} ${name} asks for 0 replicas.`,
        facts: [
          ...factAt(view.documents, at(place, ...path)),
          ...factAt(view.documents, object.described ? at(place, 'metadata', 'name') : at(place, 'name')),
        ],
        entities: [objectEntity(kind, name, place)],
        weight: isMissed(view, service) ? 3 : 2,
      });
      return [
        {
          cause: 'DEPLOYMENT_ZERO_REPLICAS',
          object: `Service/${service}`,
          service,
          rank: 'CAUSE',
          headline: `${kind} ${name} is scaled to 0 replicas`,
          mechanism: `${kind} ${name} asks for 0 replicas, so ${service} has no instance that could answer.`,
          findings: [state, ...scaledDown(view, object), ...complaintsAbout(view, service)],
          actions: [`Scale ${name} up again, after asking who scaled it down and why.`],
          recommendations: ['Set a lower bound for replicas where no autoscaler holds one.'],
          lookup: 'deployment scaled to zero replicas',
        },
      ];
    });
