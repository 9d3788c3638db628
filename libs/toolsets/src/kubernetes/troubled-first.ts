import type { IncidentObject } from '../incident-format';
import { list, record, text } from './json-fields';

const isPodTroubled = ({ status, metadata }: IncidentObject): boolean => {
  const { phase, containerStatuses } = record(status);
  if (phase === 'Succeeded') return false;
  if (phase !== 'Running' || metadata['deletionTimestamp'] !== undefined) return true;
  return list(containerStatuses).some((container) => {
    const { ready, restartCount } = record(container);
    return ready === false || (typeof restartCount === 'number' && restartCount > 0);
  });
};

const isWorkloadTroubled = ({ spec, status }: IncidentObject): boolean => {
  const { replicas } = record(spec);
  const { availableReplicas, numberReady, desiredNumberScheduled, unavailableReplicas } = record(status);
  if (typeof unavailableReplicas === 'number' && unavailableReplicas > 0) return true;
  if (typeof desiredNumberScheduled === 'number') return desiredNumberScheduled !== (numberReady ?? 0);
  return typeof replicas === 'number' && replicas !== (availableReplicas ?? 0);
};

const isQuotaFull = ({ status }: IncidentObject): boolean => {
  const { hard, used } = record(status);
  return Object.entries(record(hard)).some(([resource, limit]) => record(used)[resource] === limit);
};

const TROUBLED: Readonly<Record<string, (object: IncidentObject) => boolean>> = {
  Pod: isPodTroubled,
  Deployment: isWorkloadTroubled,
  StatefulSet: isWorkloadTroubled,
  DaemonSet: isWorkloadTroubled,
  ResourceQuota: isQuotaFull,
  Node: ({ status, spec }) => record(status)['ready'] === false || record(spec)['unschedulable'] === true,
  Service: ({ status }) => record(status)['endpoints'] === 'none',
  PersistentVolumeClaim: ({ status }) => text(record(status)['phase']) !== 'Bound',
  PersistentVolume: ({ status }) => !['Bound', 'Available'].includes(text(record(status)['phase']) ?? ''),
  Job: ({ status }) => Number(record(status)['failed'] ?? 0) > 0,
};

/** Objects whose own state says that something is wrong before all others, so that a limit cuts the healthy ones. */
export const troubledFirst = (objects: readonly IncidentObject[]): IncidentObject[] => {
  const isTroubled = (object: IncidentObject) => TROUBLED[object.kind]?.(object) ?? false;
  return [...objects.filter(isTroubled), ...objects.filter((object) => !isTroubled(object))];
};
