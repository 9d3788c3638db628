import type { MadeApp, MadeClaim, MadeEvent, MadeNode, MadeVolume } from './made-cluster';

const HASH = '6f8d9c7b5d';
export const podOf = ({ name }: MadeApp): string => `${name}-${HASH}-x7k2q`;
export const setOf = ({ name }: MadeApp): string => `${name}-${HASH}`;

export const table = (rows: string[][]): string => {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd((widths[column] ?? 0) + 3))
        .join('')
        .trimEnd(),
    )
    .join('\n');
};

const eventsBlock = (events: readonly MadeEvent[]): string =>
  events.length === 0
    ? 'Events:  <none>'
    : [
        'Events:',
        ...table([
          ['Type', 'Reason', 'Age', 'From', 'Message'],
          ['----', '------', '----', '----', '-------'],
          ...events.map(([type, reason, message, count = 4]) => [
            type,
            reason,
            `20s (x${count} over 2m)`,
            'kubelet',
            message,
          ]),
        ])
          .split('\n')
          .map((line) => `  ${line}`),
      ].join('\n');

const containerLines = (app: MadeApp, inPod: boolean): string[] => [
  '  main:',
  `    Image:      ${app.image}`,
  `    Port:       ${app.port}/TCP`,
  '    Host Port:  0/TCP',
  ...(inPod ? app.state.map((line) => `    ${line}`) : []),
  ...(inPod
    ? [`    Ready:          ${app.ready ? 'True' : 'False'}`, `    Restart Count:  ${app.restarts}`]
    : []),
  ...Object.entries(app.probes).map(([kind, text]) => `    ${kind}:     ${text}`),
  ...(app.env.length === 0
    ? ['    Environment:  <none>']
    : ['    Environment:', ...app.env.map(([key, value]) => `      ${key}:  ${value}`)]),
  ...app.sidecars.flatMap(({ name, port }) => [
    `  ${name}:`,
    '    Image:      registry.example/agent:1',
    `    Port:       ${port}/TCP`,
    '    Host Port:  0/TCP',
    ...(inPod ? ['    State:          Running', '    Ready:          True', '    Restart Count:  0'] : []),
  ]),
];

const volumeLines = ({ claim }: MadeApp): string[] =>
  claim === null
    ? []
    : [
        'Volumes:',
        '  data:',
        '    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
        `    ClaimName:  ${claim}`,
      ];

export const describedPod = (app: MadeApp, namespace: string): string =>
  [
    `Name:             ${podOf(app)}`,
    `Namespace:        ${namespace}`,
    'Service Account:  default',
    `Node:             ${app.podStatus === 'Pending' && app.state.length === 0 ? '<none>' : `${app.node}/10.0.0.9`}`,
    `Labels:           app=${app.name}`,
    `                  pod-template-hash=${HASH}`,
    `Status:           ${app.podStatus === 'Pending' ? 'Pending' : 'Running'}`,
    `Controlled By:    ReplicaSet/${setOf(app)}`,
    'Containers:',
    ...containerLines(app, true),
    ...volumeLines(app),
    `Node-Selectors:              ${app.nodeSelector ?? '<none>'}`,
    eventsBlock(app.podEvents),
  ].join('\n');

export const describedWorkload = (
  kind: 'Deployment' | 'ReplicaSet',
  app: MadeApp,
  namespace: string,
): string => {
  const live = app.ready && app.hasPod ? app.replicas : 0;
  const total = app.hasPod ? app.replicas : 0;
  const replicas =
    kind === 'Deployment'
      ? `${app.replicas} desired | ${total} updated | ${total} total | ${live} available | ${app.replicas - live} unavailable`
      : `${total} current / ${app.replicas} desired`;
  return [
    `Name:           ${kind === 'Deployment' ? app.name : setOf(app)}`,
    `Namespace:      ${namespace}`,
    `Labels:         app=${app.name}`,
    `Selector:       app=${app.name}`,
    ...(kind === 'ReplicaSet' ? [`Controlled By:  Deployment/${app.name}`] : []),
    `Replicas:       ${replicas}`,
    'Pod Template:',
    `  Labels:  app=${app.name}`,
    '  Containers:',
    ...containerLines(app, false).map((line) => ` ${line}`),
    `  Node-Selectors:  ${app.nodeSelector ?? '<none>'}`,
    eventsBlock(kind === 'Deployment' ? app.deploymentEvents : app.setEvents),
  ].join('\n');
};

export const describedService = (app: MadeApp, namespace: string): string =>
  [
    `Name:                     ${app.name}`,
    `Namespace:                ${namespace}`,
    `Labels:                   app=${app.name}`,
    `Selector:                 ${app.selector}`,
    'Type:                     ClusterIP',
    'IP:                       10.90.1.1',
    `Port:                     http  ${app.servicePort}/${app.protocol}`,
    `TargetPort:               ${app.targetPort}/${app.protocol}`,
    `Endpoints:                ${app.selector === `app=${app.name}` && app.ready && app.hasPod && app.replicas > 0 ? `10.9.1.7:${app.targetPort}` : ''}`,
    'Events:                   <none>',
  ].join('\n');

export const describedNode = (node: MadeNode): string =>
  [
    `Name:               ${node.name}`,
    `Labels:             kubernetes.io/hostname=${node.name}`,
    ...[...node.labels, ...(node.isControl ? ['node-role.kubernetes.io/control-plane='] : [])].map(
      (label) => `                    ${label}`,
    ),
    `Taints:             ${node.taints}`,
    `Unschedulable:      ${String(node.unschedulable)}`,
    'Conditions:',
    ...table([
      ['Type', 'Status', 'LastHeartbeatTime', 'LastTransitionTime', 'Reason', 'Message'],
      ['----', '------', '-----------------', '------------------', '------', '-------'],
      [
        'MemoryPressure',
        'False',
        'Tue, 07 Apr 2026 10:19:00 +0000',
        'Tue, 07 Apr 2026 09:00:00 +0000',
        'KubeletHasSufficientMemory',
        'kubelet has sufficient memory available',
      ],
      [
        'Ready',
        node.ready[0],
        'Tue, 07 Apr 2026 10:19:00 +0000',
        'Tue, 07 Apr 2026 10:15:00 +0000',
        node.ready[1],
        node.ready[2],
      ],
    ])
      .split('\n')
      .map((line) => `  ${line}`),
    'Capacity:',
    '  cpu:     8',
    eventsBlock(node.events),
  ].join('\n');

export const describedClaim = (claim: MadeClaim, namespace: string): string =>
  [
    `Name:          ${claim.name}`,
    `Namespace:     ${namespace}`,
    `StorageClass:  ${claim.storageClass}`,
    `Status:        ${claim.status}`,
    `Volume:        ${claim.volume}`,
    'Labels:        <none>',
    'Capacity:      ',
    'Access Modes:  ',
    `Used By:       ${claim.usedBy}`,
    eventsBlock(claim.events),
  ].join('\n');

export const describedVolume = (volume: MadeVolume): string =>
  [
    `Name:            ${volume.name}`,
    `Labels:          ${volume.labels}`,
    `StorageClass:    ${volume.storageClass}`,
    `Status:          ${volume.status}`,
    `Claim:           ${volume.claim}`,
    `Access Modes:    ${volume.modes}`,
    `Capacity:        ${volume.capacity}`,
    'Events:          <none>',
  ].join('\n');

const MODES: Record<string, string> = { RWO: 'ReadWriteOnce', RWX: 'ReadWriteMany' };
export const claimYaml = (claim: MadeClaim): string =>
  [
    'apiVersion: v1',
    'kind: PersistentVolumeClaim',
    'metadata:',
    `  name: ${claim.name}`,
    'spec:',
    '  accessModes:',
    `    - ${MODES[claim.modes] ?? claim.modes}`,
    '  resources:',
    '    requests:',
    `      storage: ${claim.requested}`,
    `  storageClassName: "${claim.storageClass}"`,
    ...(claim.selector === null
      ? []
      : ['  selector:', '    matchLabels:', `      ${claim.selector.replace('=', ': ')}`]),
  ].join('\n');
