import { fields, isFields, list } from '../evidence/fields';
import { at, entity } from '../evidence/place';
import type { SystemEvent, SystemObject, View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import { eventFinding, objectFinding } from './findings';
import { serviceOf, serviceOfEvent } from './topology';

type Obstacle = { cause: string; sign: RegExp; what: string; remedy: string };

/** What the scheduler says per group of nodes. The control plane's own taint is a given, not an obstacle. */
const OBSTACLES: readonly Obstacle[] = [
  {
    cause: 'NODE_CORDON_MISMATCH',
    sign: /(\d+) node\(s\) were unschedulable|(\d+) node\(s\) had untolerated taint \{node\.kubernetes\.io\/unschedulable/,
    what: 'nodes are cordoned (unschedulable)',
    remedy: 'Uncordon the nodes whose maintenance is over.',
  },
  {
    cause: 'TAINT_TOLERATION_MISMATCH',
    sign: /(\d+) node\(s\) had (?:untolerated )?taints? (?!\{node-role\.kubernetes\.io|\{node\.kubernetes\.io)/,
    what: 'nodes carry a taint that the pod does not tolerate',
    remedy: 'Add the toleration to the pod, or remove the taint from the nodes that it is meant for.',
  },
  {
    cause: 'POD_ANTI_AFFINITY_CONFLICT',
    sign: /(\d+) node\(s\) didn't (?:match|satisfy)[^,.]*anti-affinity/,
    what: "the pod's anti-affinity rules exclude nodes",
    remedy: 'Relax the required anti-affinity to a preferred one, or add nodes.',
  },
  {
    cause: 'NODE_AFFINITY_OR_SELECTOR_MISMATCH',
    sign: /(\d+) node\(s\) didn't match Pod's node affinity(?:\/selector)?|(\d+) node\(s\) didn't match node selector/,
    what: "nodes do not match the pod's node affinity or selector",
    remedy: 'Correct the node selector or affinity of the pod, or label the nodes that it means.',
  },
  {
    cause: 'CPU_CAPACITY_MISMATCH',
    sign: /(\d+) Insufficient cpu/,
    what: 'nodes lack the CPU that the pod requests',
    remedy: 'Lower the CPU request to what the service needs, or add capacity.',
  },
  {
    cause: 'MEMORY_CAPACITY_MISMATCH',
    sign: /(\d+) Insufficient memory/,
    what: 'nodes lack the memory that the pod requests',
    remedy: 'Lower the memory request to what the service needs, or add capacity.',
  },
  {
    cause: 'POD_CAPACITY_REACHED',
    sign: /(\d+) Too many pods/,
    what: 'nodes hold as many pods as they may',
    remedy: 'Add nodes, or remove pods that are not needed.',
  },
  {
    cause: 'HOST_PORT_CONFLICT',
    sign: /(\d+) node\(s\) didn't have free ports/,
    what: 'the host port that the pod asks for is taken',
    remedy: 'Do without the host port, or spread the pods over more nodes.',
  },
  {
    cause: 'VOLUME_NODE_AFFINITY_CONFLICT',
    sign: /(\d+) node\(s\) had volume node affinity conflict/,
    what: "the pod's volume lies in a zone without a fitting node",
    remedy: 'Provide a node in the zone of the volume, or move the volume.',
  },
];

const nodesOf = (message: string, { sign }: Obstacle): number => {
  const match = sign.exec(message);
  return match ? Number(match.slice(1).find((group) => group !== undefined) ?? 1) : 0;
};

const podSpecOf = (object: SystemObject): Record<string, unknown> => {
  const template = fields(fields(object.spec.template).spec);
  return Object.keys(template).length > 0 ? template : object.spec;
};

/** The scheduler names affinity and selector in one breath; the pod's own spec tells them apart. */
const precise = (cause: string, view: View, service: string): string => {
  if (cause !== 'NODE_AFFINITY_OR_SELECTOR_MISMATCH') return cause;
  const specs = view.objects.filter((object) => serviceOf(object) === service).map(podSpecOf);
  const selects = specs.some(
    ({ nodeSelector }) => isFields(nodeSelector) && Object.keys(nodeSelector).length > 0,
  );
  const prefers = specs.some(({ affinity }) => fields(affinity).nodeAffinity !== undefined);
  if (selects) return 'NODE_SELECTOR_MISMATCH';
  // A pod that was read whole and selects nothing can only have an affinity, which not every description shows.
  const isRead = view.objects.some((object) => object.described && serviceOf(object) === service);
  return prefers || isRead ? 'NODE_AFFINITY_MISMATCH' : 'NODE_SELECTOR_MISMATCH';
};

const pendingFindings = (view: View, service: string): Finding[] =>
  view.objects
    .filter(
      (object) => object.kind === 'Pod' && serviceOf(object) === service && object.status.phase === 'Pending',
    )
    .slice(0, 2)
    .map((object) => objectFinding(view, object, `Pod ${object.name} is Pending.`, 2, '/status/phase'));

/** Tainted or cordoned nodes, as the nodes themselves say. */
const nodeFindings = (view: View): Finding[] =>
  view.objects.flatMap((object) => {
    if (object.kind !== 'Node') return [];
    if (object.spec.unschedulable === true)
      return objectFinding(
        view,
        object,
        `Node ${object.name} is marked unschedulable.`,
        2,
        '/spec/unschedulable',
      );
    const own = list(object.spec.taints).findIndex(
      (taint) => !/^node(?:-role)?\.kubernetes\.io\//.test(String(fields(taint).key)),
    );
    if (own < 0) return [];
    const key = String(fields(list(object.spec.taints)[own]).key);
    const found = objectFinding(
      view,
      object,
      `Node ${object.name} carries the taint ${key}.`,
      2,
      `/spec/taints/${own}/key`,
    );
    return { ...found, entities: [...found.entities, entity('other', key, at(object.place, 'spec'))] };
  });

const CONTROL_PLANE = /^node-role\.kubernetes\.io\/(?:control-plane|master)$/;

/** Nodes on which nothing is meant to run: that they are closed is no obstacle. */
const controlPlane = (view: View): number =>
  view.objects.filter(
    ({ kind, labels }) =>
      kind === 'Node' &&
      (Object.keys(labels).some((key) => CONTROL_PLANE.test(key)) ||
        /^(?:master|control-plane)$/.test(labels['kubernetes.io/role'] ?? '')),
  ).length;

/** Whether the pods of a service select nodes by labels that some node has: those nodes are kept away by something else. */
const selectsSomeNode = (view: View, service: string): boolean => {
  const selectors = view.objects
    .filter((object) => serviceOf(object) === service)
    .map((object) => Object.entries(fields(podSpecOf(object).nodeSelector)));
  return selectors.some(
    (selector) =>
      selector.length > 0 &&
      view.objects.some(
        ({ kind, labels }) => kind === 'Node' && selector.every(([key, value]) => labels[key] === value),
      ),
  );
};

/** What keeps pods from nodes, the most telling first. */
const obstaclesOf = (view: View, service: string, message: string) => {
  const closed = controlPlane(view);
  const found = OBSTACLES.map((obstacle) => {
    const nodes = nodesOf(message, obstacle);
    return { obstacle, nodes: obstacle.cause === 'NODE_CORDON_MISMATCH' ? nodes - closed : nodes };
  })
    .filter(({ nodes }) => nodes > 0)
    .sort((a, b) => b.nodes - a.nodes);
  const others = found.filter(({ obstacle }) => obstacle.cause !== 'NODE_AFFINITY_OR_SELECTOR_MISMATCH');
  return others.length > 0 && selectsSomeNode(view, service) ? others : found;
};

const examine = (view: View, service: string, events: readonly SystemEvent[]): Hypothesis[] => {
  const last = [...events].sort((a, b) => b.timeMs - a.timeMs)[0];
  if (!last) return [];
  const obstacles = obstaclesOf(view, service, last.message);
  // Which nodes the selector means is not known before all of them were read: until then it may be innocent.
  const total = Number(/0\/(\d+) nodes/.exec(last.message)?.[1] ?? 0);
  const isOpen =
    obstacles.length > 1 &&
    obstacles.some(({ obstacle }) => obstacle.cause === 'NODE_AFFINITY_OR_SELECTOR_MISMATCH') &&
    view.objects.filter(({ kind, labels }) => kind === 'Node' && Object.keys(labels).length > 0).length <
      total;
  const [main] = obstacles;
  if (!main) return [];
  const cause = precise(main.obstacle.cause, view, service);
  const byNodes = /TAINT|CORDON/.test(cause) ? nodeFindings(view).slice(0, 2) : [];
  return [
    {
      cause,
      object: `Service/${service}`,
      service,
      rank: 'CAUSE',
      headline: `Pods of ${service} cannot be scheduled: ${main.obstacle.what}`,
      mechanism: `The scheduler finds no node for the pods of ${service}, since ${obstacles.map(({ obstacle }) => obstacle.what).join(', and ')}; they stay Pending (unschedulable).`,
      findings: [eventFinding(view, last, isOpen ? 1 : 3), ...pendingFindings(view, service), ...byNodes],
      actions: [main.obstacle.remedy, `Roll ${service} back if the constraint came with its last change.`],
      recommendations: [
        'Check scheduling constraints against the real nodes before a rollout, for instance by a server-side dry run in a staging cluster.',
      ],
      lookup: `pod pending FailedScheduling ${main.obstacle.what}`,
    },
  ];
};

/** Pods that no node takes. */
export const scheduling: Rule = (view) => {
  const failed = view.events.filter(
    ({ reason, message }) => reason === 'FailedScheduling' && /nodes? are available/.test(message),
  );
  const services = new Set(failed.map((event) => serviceOfEvent(view, event)));
  return [...services].flatMap((service) =>
    examine(
      view,
      service,
      failed.filter((event) => serviceOfEvent(view, event) === service),
    ),
  );
};
