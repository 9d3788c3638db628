import { fields, list } from '../evidence/fields';
import { at, factAt, type Place } from '../evidence/place';
import type { SystemObject, View } from '../evidence/view';
import { objectEntity, finding } from './findings';
import type { Finding } from './finding';
import { serviceOf } from './topology';

const WORKLOADS = new Set(['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet']);

type Sign = { text: string; place: Place };

const isShort = (ready: unknown): boolean => {
  const [have, want] = String(ready).split('/');
  return want !== undefined && have !== want;
};

/** Where an instance says of itself that it does not serve, or that it was started again. */
const ofPod = ({ name, status, place }: SystemObject): Sign[] => {
  const own = at(place, 'status');
  const containers = list(status.containerStatuses).map(fields);
  const bad = containers.findIndex(({ ready }) => ready === false);
  const again = containers.findIndex(({ restartCount }) => Number(restartCount) > 0);
  if (bad >= 0)
    return [{ text: `Pod ${name} is not ready.`, place: at(own, 'containerStatuses', bad, 'ready') }];
  if (isShort(status.ready)) return [{ text: `Pod ${name} is not ready.`, place: at(own, 'ready') }];
  if (again >= 0)
    return [
      {
        text: `Containers of pod ${name} were restarted.`,
        place: at(own, 'containerStatuses', again, 'restartCount'),
      },
    ];
  return Number(status.restarts) > 0
    ? [{ text: `Containers of pod ${name} were restarted.`, place: at(own, 'restarts') }]
    : [];
};

const ofWorkload = ({ kind, name, status, spec, place }: SystemObject): Sign[] => {
  if (Number(status.unavailableReplicas) > 0)
    return [{ text: `${kind} ${name} lacks instances.`, place: at(place, 'status', 'unavailableReplicas') }];
  return Number(spec.replicas) > 0 && status.replicas === 0
    ? [{ text: `${kind} ${name} has no instance.`, place: at(place, 'status', 'replicas') }]
    : [];
};

/**
 * That what an event or a line speaks of is really unwell: a second witness to a cause that names itself. One sign is
 * enough, since they all tell the same.
 */
export const unwellFindings = (view: View, service: string): Finding[] => {
  const own = view.objects.filter((object) => serviceOf(object) === service);
  const signs = own.flatMap((object) =>
    (object.kind === 'Pod' ? ofPod(object) : WORKLOADS.has(object.kind) ? ofWorkload(object) : []).map(
      (sign) => ({ ...sign, object }),
    ),
  );
  return signs.slice(0, 1).map(({ object, text, place }) =>
    finding({
      key: `state:unwell:${object.kind}:${object.name}`,
      sort: 'STATE',
      text,
      facts: factAt(view.documents, place),
      entities: [objectEntity(object.kind, object.name, object.place)],
      weight: 2,
    }),
  );
};
