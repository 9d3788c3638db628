import { fields, list, number, text } from '../evidence/fields';
import { at, type Place } from '../evidence/place';
import type { SystemObject, View } from '../evidence/view';
import type { Finding } from './finding';
import { finding, objectEntity } from './findings';
import { factAt } from '../evidence/place';
import { serviceOf } from './topology';

/** Why one container of a pod does not run, or ended last time. */
export type ContainerState = {
  reason: string;
  reasonAt: Place;
  message: string | null;
  exitCode: number | null;
  restarts: number;
  restartsAt: Place | null;
};

const stateOf = (container: unknown, place: Place): ContainerState[] => {
  const { state, lastState, restartCount } = fields(container);
  const restarts = { restarts: number(restartCount) ?? 0, restartsAt: at(place, 'restartCount') };
  return [
    { holder: fields(state), of: 'state' },
    { holder: fields(lastState), of: 'lastState' },
  ].flatMap(({ holder, of }) =>
    ['waiting', 'terminated'].flatMap((phase) => {
      const detail = fields(holder[phase]);
      const reason = text(detail.reason);
      if (reason === null || reason === 'Completed') return [];
      const reasonAt = at(place, of, phase, 'reason');
      return [
        { reason, reasonAt, message: text(detail.message), exitCode: number(detail.exitCode), ...restarts },
      ];
    }),
  );
};

/** From the full object, or from the line of a list, which gives the reasons only. */
export const containerStates = (object: SystemObject): ContainerState[] => {
  const { status, place } = object;
  const statuses = at(place, 'status');
  const detailed = ['containerStatuses', 'initContainerStatuses'].flatMap((key) =>
    list(status[key]).flatMap((container, index) => stateOf(container, at(statuses, key, index))),
  );
  if (detailed.length > 0) return detailed;
  const restarts = { restarts: number(status.restarts) ?? 0, restartsAt: at(statuses, 'restarts') };
  return list(status.reasons).flatMap((reason, index) =>
    typeof reason === 'string'
      ? [{ reason, reasonAt: at(statuses, 'reasons', index), message: null, exitCode: null, ...restarts }]
      : [],
  );
};

export const stateFinding = (
  view: View,
  object: SystemObject,
  state: ContainerState,
  weight: number,
): Finding => {
  const often = state.restarts > 0 ? ` and counts ${state.restarts} restarts` : '';
  return finding({
    key: `state:${object.kind}:${object.name}:${state.reason}`,
    sort: 'STATE',
    text: `${object.kind} ${object.name} reports ${state.reason}${often}.`,
    facts: [
      ...factAt(view.documents, state.reasonAt),
      ...(state.restartsAt && state.restarts > 0 ? factAt(view.documents, state.restartsAt) : []),
      ...object.alsoAt
        .slice(0, 1)
        .flatMap((place) => factAt(view.documents, at(place, 'status', 'reasons', 0))),
    ],
    entities: [objectEntity(object.kind, object.name, object.place)],
    weight,
  });
};

/** Objects of a service whose containers report a reason that fits. */
export const statesMatching = (
  view: View,
  pattern: RegExp,
): { object: SystemObject; service: string; state: ContainerState }[] =>
  view.objects.flatMap((object) => {
    const state = containerStates(object).find(({ reason, message }) =>
      pattern.test(`${reason}: ${message ?? ''}`),
    );
    return state ? [{ object, service: serviceOf(object), state }] : [];
  });
