import type { JsonObject } from '../tool';
import { entryOf, linesOf, pairsOf, valueOf, type Entry } from './printed-description';

export const present = (fields: Record<string, JsonObject[string] | null | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, JsonObject[string]] => {
      const [, value] = entry;
      const isEmpty =
        value === null ||
        value === undefined ||
        (typeof value === 'object' && Object.keys(value as object).length === 0);
      return !isEmpty;
    }),
  );

const plain = (entry: Entry | undefined): JsonObject =>
  Object.fromEntries((entry?.entries ?? []).map(({ key, value }) => [key, value]));

const portOf = (text: string): number | string => (/^\d+$/.test(text) ? Number(text) : text);

const PROBES: readonly [RegExp, (match: RegExpExecArray) => JsonObject][] = [
  [/^grpc <pod>:(\d+)/, ([, port = '']) => ({ grpc: { port: Number(port) } })],
  [
    /^http-get (https?):\/\/[^:/\s]*:(\w+)(\/\S*)?/,
    ([, scheme = '', port = '', path = '/']) => ({
      httpGet: { scheme: scheme.toUpperCase(), port: portOf(port), path },
    }),
  ],
  [/^tcp-socket [^:\s]*:(\w+)/, ([, port = '']) => ({ tcpSocket: { port: portOf(port) } })],
  [/^exec (\[.*?\])/, ([, command = '']) => ({ exec: { command } })],
];

/** `grpc <pod>:9555  delay=5s timeout=1s period=10s #success=1 #failure=3` */
const probeOf = (text: string | null): JsonObject | null => {
  if (text === null) return null;
  const handler = PROBES.flatMap(([pattern, make]) => {
    const match = pattern.exec(text);
    return match ? [make(match)] : [];
  })[0];
  const number = (name: string): number | null => {
    const match = new RegExp(`${name}=(\\d+)`).exec(text);
    return match ? Number(match[1]) : null;
  };
  return present({
    ...(handler ?? { handler: text }),
    initialDelaySeconds: number('delay'),
    timeoutSeconds: number('timeout'),
    periodSeconds: number('period'),
    failureThreshold: number('#failure'),
  });
};

const portsOf = (container: Entry): JsonObject[] =>
  (valueOf(container, 'Port') ?? valueOf(container, 'Ports') ?? '').split(/,\s*/).flatMap((text) => {
    const [, port, protocol] = /^(\d+)\/(\w+)/.exec(text) ?? [];
    return port === undefined || port === '0'
      ? []
      : [{ containerPort: Number(port), protocol: protocol ?? 'TCP' }];
  });

const containerOf = (container: Entry): JsonObject =>
  present({
    name: container.key,
    image: valueOf(container, 'Image'),
    command: linesOf(container, 'Command').join(' ') || null,
    args: linesOf(container, 'Args').join(' ') || null,
    ports: portsOf(container),
    env: (entryOf(container, 'Environment')?.entries ?? []).map(({ key, value }) => ({ name: key, value })),
    resources: present({
      limits: plain(entryOf(container, 'Limits')),
      requests: plain(entryOf(container, 'Requests')),
    }),
    livenessProbe: probeOf(valueOf(container, 'Liveness')),
    readinessProbe: probeOf(valueOf(container, 'Readiness')),
    startupProbe: probeOf(valueOf(container, 'Startup')),
    mounts: entryOf(container, 'Mounts')?.lines ?? [],
  });

const volumeOf = (volume: Entry): JsonObject => {
  const claimName = valueOf(volume, 'ClaimName');
  return {
    name: volume.key,
    ...(claimName === null ? plain(volume) : { persistentVolumeClaim: { claimName } }),
  };
};

/** The spec of a pod, or of the template that makes pods. */
export const podSpecOf = (pod: Entry): JsonObject => {
  const node = valueOf(pod, 'Node')?.split('/')[0];
  return present({
    serviceAccountName: valueOf(pod, 'Service Account'),
    nodeName: node,
    nodeSelector: pairsOf(linesOf(pod, 'Node-Selectors')),
    tolerations: linesOf(pod, 'Tolerations'),
    containers: (entryOf(pod, 'Containers')?.entries ?? []).map(containerOf),
    initContainers: (entryOf(pod, 'Init Containers')?.entries ?? []).map(containerOf),
    volumes: (entryOf(pod, 'Volumes')?.entries ?? []).map(volumeOf),
  });
};

const stateOf = (state: Entry | undefined): JsonObject => {
  if (state === undefined || state.value === '') return {};
  const exitCode = valueOf(state, 'Exit Code');
  const detail = present({
    reason: valueOf(state, 'Reason'),
    message: valueOf(state, 'Message'),
    startedAt: valueOf(state, 'Started'),
    finishedAt: valueOf(state, 'Finished'),
    exitCode: exitCode === null ? null : Number(exitCode),
  });
  return { [state.value.toLowerCase()]: detail };
};

/** Why containers run or do not, in the shape of a pod's status. */
export const containerStatusesOf = (pod: Entry): JsonObject[] =>
  (entryOf(pod, 'Containers')?.entries ?? []).map((container) => ({
    name: container.key,
    ready: valueOf(container, 'Ready') === 'True',
    restartCount: Number(valueOf(container, 'Restart Count') ?? 0),
    state: stateOf(entryOf(container, 'State')),
    lastState: stateOf(entryOf(container, 'Last State')),
  }));
