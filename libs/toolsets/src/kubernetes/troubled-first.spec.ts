import type { IncidentObject } from '../incident-format';
import { troubledFirst } from './troubled-first';

const object = (kind: string, status: object, spec: object = {}, metadata: object = {}): IncidentObject => ({
  kind,
  metadata: { name: 'x', ...metadata },
  spec,
  status,
});

describe('what is in trouble', () => {
  it.each<[boolean, string, IncidentObject]>([
    [
      false,
      'a pod that runs',
      object('Pod', { phase: 'Running', containerStatuses: [{ ready: true, restartCount: 0 }] }),
    ],
    [
      false,
      'a pod that has done its work',
      object('Pod', { phase: 'Succeeded', containerStatuses: [{ ready: false }] }),
    ],
    [
      true,
      'a pod that is not ready',
      object('Pod', { phase: 'Running', containerStatuses: [{ ready: false }] }),
    ],
    [
      true,
      'a pod that restarts',
      object('Pod', { phase: 'Running', containerStatuses: [{ ready: true, restartCount: 3 }] }),
    ],
    [true, 'a pod that waits', object('Pod', { phase: 'Pending' })],
    [
      true,
      'a pod that does not go',
      object('Pod', { phase: 'Running' }, {}, { deletionTimestamp: '2026-05-01T10:00:00Z' }),
    ],
    [false, 'a deployment at its number', object('Deployment', { availableReplicas: 2 }, { replicas: 2 })],
    [false, 'a deployment of none', object('Deployment', {}, { replicas: 0 })],
    [true, 'a deployment below its number', object('Deployment', { availableReplicas: 1 }, { replicas: 2 })],
    [
      true,
      'a daemon that is missing on a node',
      object('DaemonSet', { desiredNumberScheduled: 3, numberReady: 2 }),
    ],
    [false, 'a daemon on every node', object('DaemonSet', { desiredNumberScheduled: 3, numberReady: 3 })],
    [true, 'a full quota', object('ResourceQuota', { hard: { pods: '3' }, used: { pods: '3' } })],
    [false, 'a quota with room', object('ResourceQuota', { hard: { pods: '3' }, used: { pods: '2' } })],
    [true, 'a node that is not ready', object('Node', { ready: false })],
    [true, 'a node that takes no pods', object('Node', { ready: true }, { unschedulable: true })],
    [false, 'a node', object('Node', { ready: true })],
    [true, 'a service without endpoints', object('Service', { endpoints: 'none' })],
    [false, 'a service whose endpoints are not known', object('Service', {})],
    [true, 'a claim that waits', object('PersistentVolumeClaim', { phase: 'Pending' })],
    [true, 'a volume that was released', object('PersistentVolume', { phase: 'Released' })],
    [false, 'a volume that is free', object('PersistentVolume', { phase: 'Available' })],
    [true, 'a job that failed', object('Job', { failed: 1 })],
    [false, 'a kind of which nothing is known', object('Widget', { phase: 'Broken' })],
  ])('%s: %s', (isTroubled, _, candidate) => {
    const other = object('ConfigMap', {});
    expect(troubledFirst([other, candidate])).toEqual(isTroubled ? [candidate, other] : [other, candidate]);
  });
});
