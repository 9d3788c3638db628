import { fields, list, strings } from '../evidence/fields';
import { at, entity, factAt } from '../evidence/place';
import type { SystemObject, View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import { ownContainers } from './containers';
import { complaintsAbout } from './complaints';
import { finding, objectEntity } from './findings';
import { listed } from './wording';

const matches = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

const labelsOfPods = ({ kind, labels, spec }: SystemObject): Record<string, string> => {
  if (kind === 'Pod') return labels;
  return strings(fields(fields(spec.template).metadata).labels);
};

const podsIn = (view: View, namespace: string | null): SystemObject[] =>
  view.objects.filter(
    (object) =>
      ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet'].includes(object.kind) &&
      object.namespace === namespace,
  );

const routed = (
  service: string,
  cause: string,
  what: string,
  mechanism: string,
  findings: Finding[],
  fix: string,
): Hypothesis => ({
  cause,
  object: `Service/${service}`,
  service,
  rank: 'CAUSE',
  headline: `The service ${service} does not reach its pods: ${what}`,
  mechanism,
  findings,
  actions: [fix, `Confirm with the endpoints of ${service} that the pods are behind it again.`],
  recommendations: [
    'Test a service by a request through it after each change, not only the readiness of its pods.',
  ],
  lookup: `kubernetes service has no endpoints selector port mismatch ${what}`,
});

/** Selects no pod, while pods that carry its name exist. */
const selectorHypothesis = (view: View, service: SystemObject): Hypothesis[] => {
  const selector = strings(service.spec.selector);
  const candidates = podsIn(view, service.namespace).filter(
    (object) => Object.keys(labelsOfPods(object)).length > 0,
  );
  if (Object.keys(selector).length === 0 || candidates.length === 0) return [];
  if (candidates.some((object) => matches(selector, labelsOfPods(object)))) return [];
  const meant = candidates.find(
    (object) => object.name === service.name || object.name.startsWith(`${service.name}-`),
  );
  if (!meant) return [];
  const [wrong] = Object.entries(selector).filter(([key, value]) => labelsOfPods(meant)[key] !== value);
  if (!wrong) return [];
  const place = at(service.place, 'spec', 'selector', wrong[0]);
  const shown = finding({
    key: `setting:selector:${service.name}`,
    sort: 'SETTING',
    text: `The selector of service ${service.name} asks for the label ${wrong[0]} with the value ${wrong[1]}; ${meant.kind} ${meant.name} does not carry it.`,
    facts: factAt(view.documents, place),
    entities: [
      objectEntity('Service', service.name, service.place),
      objectEntity(meant.kind, meant.name, meant.place),
    ],
    weight: 3,
  });
  const mechanism = `The selector of service ${service.name} does not match the labels of its pods, so that it has no endpoints behind it.`;
  return [
    routed(
      service.name,
      'SERVICE_SELECTOR_MISMATCH',
      'its selector matches other labels',
      mechanism,
      [shown],
      `Correct the selector of service ${service.name} to the labels of its pods.`,
    ),
  ];
};

const containerPorts = (
  object: SystemObject,
): { ports: Set<unknown>; declared: boolean; isNamed: boolean } => {
  const spec = object.kind === 'Pod' ? object.spec : fields(fields(object.spec.template).spec);
  const ports = ownContainers(spec).flatMap(({ container }) => list(container.ports).map(fields));
  return {
    ports: new Set(ports.flatMap(({ containerPort, name }) => [containerPort, name])),
    declared: ports.length > 0,
    isNamed: ports.some(({ name }) => name !== undefined),
  };
};

/** No endpoint, or one without a port, although a pod that is selected is ready: a name of a port that no container has. */
const leadsNowhere = (service: SystemObject, behind: readonly SystemObject[]): boolean =>
  typeof service.status.endpoints === 'string' &&
  !/:\d+/.test(service.status.endpoints) &&
  behind.some(
    ({ kind, status }) =>
      kind === 'Pod' &&
      list(status.containerStatuses).length > 0 &&
      list(status.containerStatuses).every((container) => fields(container).ready === true),
  );

/** Sends to a port that the containers behind it do not declare. */
const portHypothesis = (view: View, service: SystemObject): Hypothesis[] => {
  const selector = strings(service.spec.selector);
  const behind = podsIn(view, service.namespace).filter(
    (object) =>
      Object.keys(selector).length > 0 &&
      matches(selector, labelsOfPods(object)) &&
      containerPorts(object).declared,
  );
  const [pod] = behind;
  if (!pod) return [];
  const index = list(service.spec.ports).findIndex((port) => {
    const { targetPort, port: own } = fields(port);
    const { ports, isNamed } = containerPorts(pod);
    // A description does not print the names of ports: that no endpoint came of a name shows that no container has it.
    const isKnown = typeof targetPort !== 'string' || isNamed || leadsNowhere(service, behind);
    return isKnown && !ports.has(targetPort ?? own);
  });
  if (index < 0) return [];
  const { targetPort, port } = fields(list(service.spec.ports)[index]);
  const place = at(service.place, 'spec', 'ports', index, targetPort === undefined ? 'port' : 'targetPort');
  const shown = finding({
    key: `setting:port:${service.name}`,
    sort: 'SETTING',
    text: `Service ${service.name} sends to the target port ${String(targetPort ?? port)}, which ${pod.kind} ${pod.name} does not declare.`,
    facts: factAt(view.documents, place),
    entities: [objectEntity('Service', service.name, service.place), entity('other', pod.name, pod.place)],
    weight: 3,
  });
  const mechanism = `Service ${service.name} forwards to a port that its containers do not declare, so connections through it do not reach them.`;
  return [
    routed(
      service.name,
      'SERVICE_PORT_MAPPING_MISMATCH',
      'it forwards to another port than they listen on',
      mechanism,
      [shown],
      `Correct targetPort of service ${service.name} to the port of its containers.`,
    ),
  ];
};

/** Forwards by another protocol than the containers behind it declare for that port. */
const protocolHypothesis = (view: View, service: SystemObject): Hypothesis[] => {
  const selector = strings(service.spec.selector);
  const behind = podsIn(view, service.namespace).filter(
    (object) => Object.keys(selector).length > 0 && matches(selector, labelsOfPods(object)),
  );
  const declared = (pod: SystemObject, number: unknown) => {
    const spec = pod.kind === 'Pod' ? pod.spec : fields(fields(pod.spec.template).spec);
    return list(spec.containers)
      .flatMap((container) => list(fields(container).ports).map(fields))
      .filter(({ containerPort }) => containerPort === number)
      .map(({ protocol }) => String(protocol ?? 'TCP'));
  };
  const ports = list(service.spec.ports).map(fields);
  for (const [index, { targetPort, port, protocol = 'TCP' }] of ports.entries()) {
    const pod = behind.find((object) => declared(object, targetPort ?? port).length > 0);
    const spoken = pod ? declared(pod, targetPort ?? port) : [];
    if (!pod || spoken.includes(String(protocol))) continue;
    const shown = finding({
      key: `setting:protocol:${service.name}`,
      sort: 'SETTING',
      text: `Service ${service.name} forwards its port ${String(port)} by ${String(protocol)}, while ${pod.kind} ${pod.name} declares ${listed(spoken)} there.`,
      facts: ['port', 'protocol'].flatMap((key) =>
        factAt(view.documents, at(service.place, 'spec', 'ports', index, key)),
      ),
      entities: [objectEntity('Service', service.name, service.place), entity('other', pod.name, pod.place)],
      weight: 3,
    });
    const mechanism = `Service ${service.name} forwards by another protocol than its containers declare, so connections through it do not reach them.`;
    return [
      routed(
        service.name,
        'SERVICE_PROTOCOL_MISMATCH',
        'it forwards by another protocol than they speak',
        mechanism,
        [shown],
        `Correct the protocol of the port of service ${service.name}.`,
      ),
    ];
  }
  return [];
};

/** Services that lead nowhere although their pods run. Only whole objects tell: the line of a list has no selector. */
export const serviceRouting: Rule = (view) =>
  view.objects
    .filter(({ kind, described, spec }) => kind === 'Service' && described && spec.selector !== undefined)
    .flatMap((service) => {
      const found = [
        ...selectorHypothesis(view, service),
        ...portHypothesis(view, service),
        ...protocolHypothesis(view, service),
      ];
      const felt = complaintsAbout(view, service.name);
      return found.map((hypothesis) => ({ ...hypothesis, findings: [...hypothesis.findings, ...felt] }));
    });
