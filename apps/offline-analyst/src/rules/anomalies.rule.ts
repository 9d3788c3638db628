import { at, factAt } from '../evidence/place';
import type { View } from '../evidence/view';
import { anomaliesOf, anomalyFinding, type Anomaly } from './anomaly';
import type { Finding, Hypothesis, Rule } from './finding';
import { finding, objectEntity } from './findings';
import { dependenciesOf, serviceOf } from './topology';
import { listed } from './wording';

/** A dependency that is this share as slow as its caller explains the caller's slowness. */
const EXPLAINS_SHARE = 0.5;
/** From this share of the services on, what is wrong lies below them. */
const WIDESPREAD_SHARE = 0.7;
const SLOW_MIN = 2;
const ALERTS_MAX = 3;

const levelOf = ({ level }: Anomaly): number => level ?? 0;
const byLevel = (a: Anomaly, b: Anomaly): number => levelOf(b) - levelOf(a);

const latencyFindings = (view: View, slow: readonly Anomaly[], weight: number): Finding[] =>
  slow.slice(0, ALERTS_MAX).map((anomaly) => anomalyFinding(view, anomaly, 'ALERT', weight));

/** A service whose CPU is used up, as an alert about it says. */
const overloads = (view: View, anomalies: readonly Anomaly[]): Hypothesis[] => {
  const services = new Set(
    anomalies.flatMap(({ measure, alert: { service } }) =>
      measure === 'CPU' && service !== null ? [service] : [],
    ),
  );
  return [...services].map((service) => {
    const own = anomalies.filter(({ alert }) => alert.service === service);
    const cpu = own.filter(({ measure }) => measure === 'CPU').slice(0, 2);
    const slow = own.filter(({ measure }) => measure === 'LATENCY').sort(byLevel);
    return {
      cause: 'POD_CPU_OVERLOAD',
      object: `Service/${service}`,
      service,
      rank: 'CAUSE',
      headline: `${service} uses nearly its whole share of CPU`,
      mechanism: `${service} is short of CPU, so its work queues up and its requests take longer.`,
      findings: [
        ...cpu.map((anomaly) => anomalyFinding(view, anomaly, 'METRIC', 3)),
        ...latencyFindings(view, slow, 2),
      ],
      actions: [
        `Give ${service} more CPU, or another instance, to relieve it now.`,
        'Find what began when it rose: load, a release, a batch job, a stray process in the container.',
      ],
      recommendations: ['Alert on saturation together with latency; saturation alone may be harmless.'],
      lookup: 'high CPU saturation latency',
    };
  });
};

/** The node whose segments get lost: of several that complain, the one that is far ahead. */
const losses = (view: View, anomalies: readonly Anomaly[], slow: readonly Anomaly[]): Hypothesis[] => {
  const lossy = anomalies
    .filter(({ measure, alert }) => measure === 'LOSS' && alert.node !== null)
    .sort(byLevel);
  const most = lossy[0] ? levelOf(lossy[0]) : 0;
  return lossy
    .filter((anomaly) => levelOf(anomaly) >= EXPLAINS_SHARE * most)
    .map((anomaly) => {
      const node = anomaly.alert.node ?? '';
      return {
        cause: 'NODE_NETWORK_PACKET_LOSS',
        object: `Node/${node}`,
        service: null,
        rank: 'CAUSE',
        headline: `The network of the node ${node} loses packets`,
        mechanism: `Packets are lost on the network of the node ${node} and have to be sent again (retransmission), so that calls over it take longer.`,
        findings: [anomalyFinding(view, anomaly, 'METRIC', 3), ...latencyFindings(view, slow, 2)],
        actions: [
          `Look at the interfaces of ${node}: errors, drops, queueing rules (tc), cabling; compare with a node that is well.`,
          `Cordon ${node} and move its pods, if it does not recover soon.`,
        ],
        recommendations: ['Alert on retransmissions by node, since every service on it suffers at once.'],
        lookup: 'node network packet loss retransmission',
      };
    });
};

/** Slow services whose slowness no slow dependency explains, the slowest first. */
const origins = (view: View, slow: readonly Anomaly[]): Anomaly[] =>
  slow.filter(
    (anomaly) =>
      !dependenciesOf(view, anomaly.alert.service ?? '').some((dependency) =>
        slow.some(
          (other) =>
            other.alert.service === dependency && levelOf(other) >= EXPLAINS_SHARE * levelOf(anomaly),
        ),
      ),
  );

const nodesOf = (view: View): Map<string, string> =>
  new Map(
    view.objects.flatMap((object) => {
      const { nodeName } = object.spec;
      return object.kind === 'Pod' && typeof nodeName === 'string' ? [[serviceOf(object), nodeName]] : [];
    }),
  );

/** The node that most of the slow services run on, where nearly everything suffers at once. */
const slowNode = (
  view: View,
  anomalies: readonly Anomaly[],
  slow: readonly Anomaly[],
): string | undefined => {
  const nodes = nodesOf(view);
  const troubled = new Set(
    anomalies.flatMap(({ alert: { service } }) => (service === null ? [] : [service])),
  );
  const known = [...nodes.keys()].filter((service) =>
    view.dependencies.some(({ from, to }) => [from, to].includes(service)),
  );
  const share = known.filter((service) => troubled.has(service)).length / Math.max(known.length, 1);
  if (slow.length < SLOW_MIN || share < WIDESPREAD_SHARE) return undefined;
  const counts = new Map<string, number>();
  for (const { alert } of slow) {
    const node = nodes.get(alert.service ?? '');
    if (node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1);
  }
  const [first, second] = [...counts].sort((a, b) => b[1] - a[1]);
  return first && first[1] > (second?.[1] ?? 0) ? first[0] : undefined;
};

/** Which pods of slow services run there. Of the sort of the alerts: where something runs is no second witness of a delay. */
const placementFinding = (view: View, node: string, slow: readonly Anomaly[]): Finding => {
  const services = new Set(slow.map(({ alert }) => alert.service));
  const pods = view.objects.filter(
    (object) => object.kind === 'Pod' && object.spec.nodeName === node && services.has(serviceOf(object)),
  );
  return finding({
    key: `placement:${node}`,
    sort: 'ALERT',
    text: `Of the services that are slow, ${listed(pods.slice(0, 4).map(serviceOf))} run on the node ${node}.`,
    facts: pods
      .slice(0, 4)
      .flatMap(({ place, described }) =>
        factAt(view.documents, described ? at(place, 'spec', 'nodeName') : at(place, 'nodeName')),
      ),
    entities: pods.slice(0, 4).map(({ name, place }) => objectEntity('Pod', name, place)),
    weight: 1,
  });
};

const delayedNode = (view: View, node: string, slow: readonly Anomaly[]): Hypothesis => ({
  cause: 'NODE_NETWORK_DELAY',
  object: `Node/${node}`,
  service: null,
  rank: 'CAUSE',
  headline: `The network of the node ${node} is slow`,
  mechanism: `Most services are affected at once, and slow ones run on the node ${node}: its network probably delays what goes over it, which shows as latency.`,
  findings: [...latencyFindings(view, slow, 3), placementFinding(view, node, slow)],
  actions: [
    `Measure the round trip to and from ${node} (ping, tc qdisc show), and compare with a node that is well.`,
    `Cordon ${node} and move its pods, if it does not recover soon.`,
  ],
  recommendations: ['Measure round trips between nodes all the time.'],
  lookup: 'node network delay latency',
});

const delayedPod = (view: View, anomaly: Anomaly, weight: number): Hypothesis => {
  const service = anomaly.alert.service ?? '';
  return {
    cause: 'POD_NETWORK_DELAY',
    object: `Service/${service}`,
    service,
    rank: 'CAUSE',
    headline: `${service} is slow, and none of its dependencies explains it`,
    mechanism: `${service} answers with a latency that neither its CPU nor a dependency explains: probably its network delays what it sends and receives.`,
    findings: latencyFindings(view, [anomaly], weight),
    actions: [
      `Measure the round trip to a pod of ${service} and out of it (tc qdisc show in its network namespace), and restart the pod on another node.`,
      `Look at what ${service} waits for: traces, thread dumps, its own queue.`,
    ],
    recommendations: ['Keep traces of slow requests, which show where the time goes.'],
    lookup: 'service latency slow network delay',
  };
};

/** Without saturation and without loss, slowness itself is all that shows; where it begins is where to look. */
const delays = (view: View, anomalies: readonly Anomaly[], slow: readonly Anomaly[]): Hypothesis[] => {
  const node = slowNode(view, anomalies, slow);
  // Without a figure an alert says that people wait, not where.
  const first = origins(view, slow).find(({ level }) => level !== null);
  return [
    ...(node === undefined ? [] : [delayedNode(view, node, slow)]),
    ...(first === undefined ? [] : [delayedPod(view, first, node === undefined ? 3 : 2)]),
  ];
};

/** What firing alerts measure: saturation, loss, delay. */
export const anomalies: Rule = (view) => {
  const all = anomaliesOf(view);
  const slow = all
    .filter(({ measure, alert: { service } }) => measure === 'LATENCY' && service !== null)
    .sort(byLevel);
  const explained = [...overloads(view, all), ...losses(view, all, slow)];
  return explained.length > 0 ? explained : delays(view, all, slow);
};
