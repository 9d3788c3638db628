import type { IncidentObject } from '../incident-format';
import type { JsonObject } from '../tool';
import { containerStatusesOf, podSpecOf, present } from './pod-spec';
import { entryOf, linesOf, pairsOf, printedDescription, valueOf, type Entry } from './printed-description';

const MODES: Record<string, string> = {
  RWO: 'ReadWriteOnce',
  ROX: 'ReadOnlyMany',
  RWX: 'ReadWriteMany',
  RWOP: 'ReadWriteOncePod',
};
const modesOf = (text: string | null): string[] =>
  (text ?? '').split(/,\s*/).flatMap((mode) => (mode === '' ? [] : [MODES[mode] ?? mode]));

/** Rows of a table below a key, cells set apart by two blanks or more; the line of dashes is no row. */
const rowsOf = (entry: Entry | undefined): string[][] =>
  (entry?.lines ?? [])
    .filter((line) => !/^-+(?:\s+-+)*$/.test(line))
    .slice(1)
    .map((line) => line.split(/\s{2,}/));

const conditionsOf = (root: Entry): JsonObject[] =>
  rowsOf(entryOf(root, 'Conditions')).map((cells) => {
    const [type = '', status = ''] = cells;
    const [reason, message] = cells.length >= 6 ? cells.slice(4) : cells.slice(2);
    return present({ type, status: status.trim(), reason, message });
  });

type Parts = { spec: JsonObject; status: JsonObject };

const podParts = (root: Entry): Parts => ({
  spec: podSpecOf(root),
  status: present({
    phase: valueOf(root, 'Status'),
    reason: valueOf(root, 'Reason'),
    message: valueOf(root, 'Message'),
    podIP: valueOf(root, 'IP'),
    startTime: valueOf(root, 'Start Time'),
    containerStatuses: containerStatusesOf(root),
    conditions: conditionsOf(root),
  }),
});

const REPLICAS = /(\d+) (desired|current|updated|total|available|unavailable)/g;

const workloadParts = (root: Entry): Parts => {
  const counts = Object.fromEntries(
    [...(valueOf(root, 'Replicas') ?? '').matchAll(REPLICAS)].map(([, count, name = '']) => [
      name,
      Number(count),
    ]),
  );
  const template = entryOf(root, 'Pod Template');
  return {
    spec: present({
      replicas: counts['desired'],
      selector: present({ matchLabels: pairsOf(linesOf(root, 'Selector')) }),
      template: template
        ? present({
            metadata: present({ labels: pairsOf(linesOf(template, 'Labels')) }),
            spec: podSpecOf(template),
          })
        : null,
    }),
    status: present({
      replicas: counts['total'] ?? counts['current'],
      availableReplicas: counts['available'],
      unavailableReplicas: counts['unavailable'],
      podsStatus: valueOf(root, 'Pods Status'),
      conditions: conditionsOf(root),
    }),
  };
};

/** `grpc  9555/TCP` of `Port`, and `9555/TCP` of the `TargetPort` that follows it. */
const servicePorts = (root: Entry): JsonObject[] =>
  root.entries.flatMap(({ key, value }, index): JsonObject[] => {
    const [, name, port, protocol] = /^(?:(\S+)\s+)?(\d+)\/(\w+)/.exec(value) ?? [];
    if (key !== 'Port' || port === undefined) return [];
    const next = root.entries[index + 1];
    const target = next?.key === 'TargetPort' ? (next.value.split('/')[0] ?? '') : null;
    return [
      present({
        name: name === '<unset>' ? null : name,
        port: Number(port),
        protocol,
        targetPort: target === null ? null : /^\d+$/.test(target) ? Number(target) : target,
      }),
    ];
  });

const serviceParts = (root: Entry): Parts => ({
  spec: present({
    type: valueOf(root, 'Type'),
    clusterIP: valueOf(root, 'IP'),
    selector: pairsOf(linesOf(root, 'Selector')),
    ports: servicePorts(root),
  }),
  status: { endpoints: valueOf(root, 'Endpoints') ?? 'none' },
});

const taintOf = (text: string): JsonObject => {
  const [, key = text, value, effect = ''] = /^([^=:]+)(?:=([^:]*))?:(\w+)$/.exec(text) ?? [];
  return present({ key, value, effect });
};

const plain = (entry: Entry | undefined): JsonObject =>
  Object.fromEntries((entry?.entries ?? []).map(({ key, value }) => [key, value]));

const nodeParts = (root: Entry): Parts => {
  const conditions = conditionsOf(root);
  const ready = conditions.find(({ type }) => type === 'Ready');
  return {
    spec: present({
      unschedulable: valueOf(root, 'Unschedulable') === 'true' ? true : null,
      taints: linesOf(root, 'Taints').map(taintOf),
    }),
    status: present({
      ready: ready === undefined ? null : ready['status'] === 'True',
      conditions,
      capacity: plain(entryOf(root, 'Capacity')),
      allocatable: plain(entryOf(root, 'Allocatable')),
      allocated: rowsOf(entryOf(root, 'Allocated resources'))
        .filter(([resource]) => resource === 'cpu' || resource === 'memory')
        .map(([resource = '', requests = '', limits = '']) => ({ resource, requests, limits })),
    }),
  };
};

const claimParts = (root: Entry): Parts => ({
  spec: present({
    storageClassName: valueOf(root, 'StorageClass'),
    volumeName: valueOf(root, 'Volume'),
    accessModes: modesOf(valueOf(root, 'Access Modes')),
  }),
  status: present({
    phase: valueOf(root, 'Status'),
    capacity: valueOf(root, 'Capacity'),
    usedBy: valueOf(root, 'Used By'),
  }),
});

const volumeParts = (root: Entry): Parts => {
  const [namespace, name] = (valueOf(root, 'Claim') ?? '').split('/');
  const storage = valueOf(root, 'Capacity');
  return {
    spec: present({
      storageClassName: valueOf(root, 'StorageClass'),
      accessModes: modesOf(valueOf(root, 'Access Modes')),
      capacity: storage === null ? null : { storage },
      claimRef: name ? { namespace: namespace ?? '', name } : null,
    }),
    status: present({ phase: valueOf(root, 'Status') }),
  };
};

/** `Resource  Used  Hard` */
const quotaParts = (root: Entry): Parts => {
  const rows = [...root.lines, ...root.entries.flatMap(({ lines }) => lines)]
    .map((line) => line.split(/\s{2,}/))
    .filter(
      ([name, used, hard]) =>
        name !== 'Resource' && used !== undefined && hard !== undefined && /\d/.test(hard),
    );
  const column = (at: 1 | 2) => Object.fromEntries(rows.map((cells) => [cells[0] ?? '', cells[at] ?? '']));
  return { spec: { hard: column(2) }, status: { hard: column(2), used: column(1) } };
};

const HEAD = new Set(['Name', 'Namespace', 'Labels', 'Annotations', 'Controlled By', 'Events']);

/** Of a kind that nothing here knows more about: what is printed, as it is printed. */
const otherParts = (root: Entry): Parts => ({
  spec: {},
  status: Object.fromEntries(
    root.entries
      .filter(({ key }) => !HEAD.has(key))
      .map((entry) => [
        entry.key,
        entry.value === ''
          ? [...entry.lines, ...entry.entries.map(({ key, value }) => `${key}: ${value}`)]
          : entry.value,
      ]),
  ),
});

const PARTS: Record<string, (root: Entry) => Parts> = {
  Pod: podParts,
  Deployment: workloadParts,
  StatefulSet: workloadParts,
  DaemonSet: workloadParts,
  ReplicaSet: workloadParts,
  Service: serviceParts,
  Node: nodeParts,
  PersistentVolumeClaim: claimParts,
  PersistentVolume: volumeParts,
  ResourceQuota: quotaParts,
};

/** What stands before `Events:`; events are read apart, since their messages look like anything. */
const withoutEvents = (text: string): string => text.split(/\nEvents:/, 1)[0] ?? text;

/** A printed description in the shape of the object that it describes. */
export const objectOf = (kind: string, text: string): IncidentObject => {
  const root = printedDescription(withoutEvents(text));
  const [ownerKind, ownerName] = (valueOf(root, 'Controlled By') ?? '').split('/');
  const { spec, status } = (PARTS[kind] ?? otherParts)(root);
  return {
    kind,
    metadata: {
      name: valueOf(root, 'Name') ?? '',
      ...(valueOf(root, 'Namespace') === null ? {} : { namespace: valueOf(root, 'Namespace') as string }),
      labels: pairsOf(linesOf(root, 'Labels')),
      ...(ownerKind && ownerName ? { ownerReferences: [{ kind: ownerKind, name: ownerName }] } : {}),
    },
    spec,
    status,
  };
};
