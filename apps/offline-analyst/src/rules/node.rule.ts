import { fields, list } from '../evidence/fields';
import type { SystemObject, View } from '../evidence/view';
import { at, factAt } from '../evidence/place';
import type { Finding, Hypothesis, Rule } from './finding';
import { eventFinding, finding, objectEntity, objectFinding, patternFinding } from './findings';
import { serviceOf } from './topology';

const PRESSURE = new Set(['MemoryPressure', 'DiskPressure', 'PIDPressure', 'NetworkUnavailable']);

type Trouble = { object: SystemObject; findings: Finding[]; words: string };

const conditionFindings = (view: View, object: SystemObject): { findings: Finding[]; words: string } => {
  const conditions = list(object.status.conditions).map(fields);
  const bad = conditions.flatMap((condition, index) => {
    const isBad =
      condition.type === 'Ready'
        ? condition.status !== 'True'
        : PRESSURE.has(String(condition.type)) && condition.status === 'True';
    return isBad ? [{ condition, place: at(object.place, 'status', 'conditions', index) }] : [];
  });
  const findings = bad.map(({ condition, place }) =>
    finding({
      key: `state:node:${object.name}:${String(condition.type)}`,
      sort: 'STATE',
      text: `Node ${object.name} has the condition ${String(condition.type)} ${String(condition.status)} (${String(condition.reason ?? 'without a reason')}).`,
      facts: ['type', 'status', 'reason'].flatMap((key) => factAt(view.documents, at(place, key))),
      entities: [objectEntity('Node', object.name, object.place)],
      weight: 3,
    }),
  );
  return {
    findings,
    words: bad
      .map(
        ({ condition }) =>
          `${String(condition.type)} ${String(condition.reason)} ${String(condition.message)}`,
      )
      .join('\n'),
  };
};

const troubleOf = (view: View, object: SystemObject): Trouble | undefined => {
  const { findings, words } = conditionFindings(view, object);
  const plain =
    object.status.ready === false
      ? [objectFinding(view, object, `${object.kind} ${object.name} is not ready.`, 3, '/status/ready')]
      : [];
  const events = view.events.filter(
    ({ object: about, type, reason, message }) =>
      about.name === object.name &&
      about.kind === object.kind &&
      (type === 'Warning' || /NotReady|Pressure|kubelet|runtime/i.test(`${reason} ${message}`)),
  );
  const all = [...findings, ...plain, ...events.slice(0, 3).map((event) => eventFinding(view, event, 3))];
  if (findings.length === 0 && plain.length === 0) return undefined;
  return {
    object,
    findings: all,
    words: `${words}\n${events.map(({ reason, message }) => `${reason} ${message}`).join('\n')}`,
  };
};

const causeOf = (words: string): { cause: string; what: string } => {
  if (/container runtime|containerd|PLEG|\bCRI\b/i.test(words))
    return { cause: 'CONTAINERD_UNAVAILABLE', what: 'its container runtime does not answer' };
  if (/(?<!No)DiskPressure/.test(words))
    return { cause: 'NODE_DISK_PRESSURE', what: 'its disk is nearly full' };
  if (/(?<!No)MemoryPressure/.test(words))
    return { cause: 'NODE_MEMORY_PRESSURE', what: 'it is short of memory' };
  if (/NetworkUnavailable/.test(words))
    return { cause: 'NODE_NETWORK_UNAVAILABLE', what: 'its network is not set up' };
  return { cause: 'KUBELET_UNAVAILABLE', what: 'its kubelet no longer reports' };
};

const SERVICES: readonly (readonly [RegExp, string, string])[] = [
  [
    /containerd|docker|cri-o|crio/,
    'CONTAINERD_UNAVAILABLE',
    'containers on it are neither started nor watched',
  ],
  [/kubelet/, 'KUBELET_UNAVAILABLE', 'the pods on it are no longer looked after'],
  [
    /kube-proxy/,
    'KUBE_PROXY_UNAVAILABLE',
    'its rules of service addresses grow stale, so that calls through them fail',
  ],
  [/kube-scheduler/, 'KUBE_SCHEDULER_UNAVAILABLE', 'new pods are not placed on any node'],
];
const NOT_RUNNING = /^(?:inactive|failed|dead|stopped|deactivating|activating)/i;

/** Pods that wait for a node, and about which no scheduler has said why. */
const unplacedPods = (view: View): Finding[] =>
  view.objects
    .filter(
      ({ kind, name, status, spec }) =>
        kind === 'Pod' &&
        status.phase === 'Pending' &&
        (spec.nodeName === undefined || spec.nodeName === '<none>') &&
        !view.events.some(
          ({ object, reason }) => object.name === name && /^(?:FailedScheduling|Scheduled)$/.test(reason),
        ),
    )
    .slice(0, 2)
    .map((object) =>
      objectFinding(
        view,
        object,
        `Pod ${object.name} is Pending, and no scheduler has said why.`,
        2,
        '/status/phase',
      ),
    );

const BROKEN =
  /refused|unreachable|no route|time-?d? ?out|timeout|unavailable|no such host|deadline exceeded/i;

/** Services with a pod on the node that complain about calls: these go through the node's own rules. */
const brokenCalls = (view: View, node: string): Finding[] => {
  const there = new Set(
    view.objects.flatMap((object) =>
      object.kind === 'Pod' && object.spec.nodeName === node ? [serviceOf(object)] : [],
    ),
  );
  return view.patterns
    .filter(
      ({ service, level, sample, pattern }) =>
        there.has(service) && ['ERROR', 'FATAL'].includes(level) && BROKEN.test(sample?.message ?? pattern),
    )
    .slice(0, 2)
    .map((pattern) => ({ ...patternFinding(view, pattern, 2), toMs: null }));
};

/** A service of the node's machine that does not run, where the node shows them. */
const stoppedService = (view: View, object: SystemObject): Hypothesis[] => {
  const services = list(object.status.services).map(fields);
  const stopped = services.flatMap(({ name, active }, index) => {
    const known = SERVICES.find(([pattern]) => pattern.test(String(name)));
    return known && NOT_RUNNING.test(String(active)) ? [{ name: String(name), index, known }] : [];
  });
  const [worst] = SERVICES.flatMap((known) => stopped.filter((item) => item.known === known));
  if (!worst) return [];
  const [, cause, effect] = worst.known;
  const state = finding({
    key: `state:node:${object.name}:service:${worst.name}`,
    sort: 'STATE',
    text: `The service ${worst.name} of node ${object.name} does not run.`,
    facts: [
      ...['name', 'active'].flatMap((key) =>
        factAt(view.documents, at(object.place, 'status', 'services', worst.index, key)),
      ),
      ...object.alsoAt.flatMap((place) => factAt(view.documents, at(place, 'status', 'stoppedServices'))),
    ],
    entities: [objectEntity('Node', object.name, object.place)],
    weight: 3,
  });
  const events = view.events.filter(
    ({ object: about, type, reason, message }) =>
      about.name === object.name && (type === 'Warning' || /NotReady/.test(`${reason} ${message}`)),
  );
  return [
    {
      cause,
      object: `${object.kind}/${object.name}`,
      service: null,
      rank: 'CAUSE',
      isPlain: true,
      headline: `The service ${worst.name} of the node ${object.name} does not run`,
      mechanism: `The service ${worst.name} of the node ${object.name} does not run (inactive), so that ${effect}.`,
      findings: [
        state,
        ...conditionFindings(view, object).findings,
        ...(cause === 'KUBE_SCHEDULER_UNAVAILABLE' ? unplacedPods(view) : []),
        ...(cause === 'KUBE_PROXY_UNAVAILABLE' ? brokenCalls(view, object.name) : []),
        ...events.slice(0, 2).map((event) => eventFinding(view, event, 2)),
      ],
      actions: [
        `Start ${worst.name} on ${object.name} again, and read its journal for why it ended.`,
        `If it does not stay up, drain ${object.name}.`,
      ],
      recommendations: ['Let the service manager restart it, and alert when it is not active.'],
      lookup: `node service ${worst.name} stopped`,
    },
  ];
};

/** Nodes and hosts that are not ready take down whatever runs on them. */
export const node: Rule = (view) =>
  view.objects
    .filter(({ kind }) => kind === 'Node' || kind === 'Host')
    .flatMap((object): Hypothesis[] => {
      const stopped = stoppedService(view, object);
      if (stopped.length > 0) return stopped;
      const trouble = troubleOf(view, object);
      if (!trouble) return [];
      const { cause, what } = causeOf(trouble.words);
      return [
        {
          cause,
          object: `${object.kind}/${object.name}`,
          service: null,
          rank: 'CAUSE',
          headline: `The node ${object.name} is not ready: ${what}`,
          mechanism: `The node ${object.name} is not ready, since ${what}; what runs on it is unreachable or is moved away.`,
          findings: trouble.findings,
          actions: [
            `Log on to ${object.name} and look at kubelet, container runtime, disk and memory; restart what has died.`,
            `If it does not come back soon, drain ${object.name}, so that its pods start elsewhere.`,
          ],
          recommendations: [
            'Keep room on the other nodes for the pods of one that fails, and spread replicas over nodes.',
          ],
          lookup: `node NotReady ${what}`,
        },
      ];
    });
