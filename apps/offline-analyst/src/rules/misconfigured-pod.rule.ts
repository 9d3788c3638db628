import { fields, list } from '../evidence/fields';
import { at, factAt } from '../evidence/place';
import type { SystemObject, View } from '../evidence/view';
import type { Finding, Rule } from './finding';
import { finding, objectEntity } from './findings';
import { signatureRule } from './signature';
import { serviceOf } from './topology';

const podSpecOf = (object: SystemObject) => {
  const inTemplate = object.spec.template !== undefined;
  return {
    spec: inTemplate ? fields(fields(object.spec.template).spec) : object.spec,
    place: inTemplate ? at(object.place, 'spec', 'template', 'spec') : at(object.place, 'spec'),
  };
};

/** Two containers of one pod that declare the same port: they share its network. */
const sharedPort = (view: View, service: string): Finding[] =>
  view.objects
    .filter((object) => object.described && serviceOf(object) === service)
    .flatMap((object): Finding[] => {
      const { spec, place } = podSpecOf(object);
      const ports = list(spec.containers).flatMap((container, c) =>
        list(fields(container).ports).map((port, p) => ({
          container: c,
          port: fields(port).containerPort,
          place: at(place, 'containers', c, 'ports', p, 'containerPort'),
        })),
      );
      const clash = ports.find(({ container, port }) =>
        ports.some((other) => other.container !== container && other.port === port),
      );
      if (!clash) return [];
      const both = ports.filter(({ port }) => port === clash.port);
      return [
        finding({
          key: `setting:shared-port:${service}`,
          sort: 'SETTING',
          text: `Containers of ${object.kind} ${object.name} declare the same port ${String(clash.port)}.`,
          facts: both.slice(0, 2).flatMap((item) => factAt(view.documents, item.place)),
          entities: [objectEntity(object.kind, object.name, object.place)],
          weight: 2,
        }),
      ];
    })
    .slice(0, 1);

const sidecar = signatureRule({
  cause: 'SERVICE_SIDECAR_PORT_CONFLICT',
  log: /address already in use|EADDRINUSE|port \d+ (?:was|is) already in use|Address in use|errno[ :=]*98\b|failed to (?:bind|listen).{0,80}in use|BindException/i,
  event: /address already in use/i,
  state: /address already in use/i,
  headline: (service) => `The containers of ${service} want the same port`,
  mechanism: (service) =>
    `The containers of a pod of ${service} share one network, and want to listen on the same port: one finds the address in use and cannot start.`,
  actions: (service) => [
    `Give the sidecar of ${service} another port, or remove it; compare the ports of all containers of the pod.`,
    `Roll ${service} back if the sidecar came with its last change.`,
  ],
  recommendations: ['Let the pipeline refuse pods whose containers declare the same port.'],
  lookup: 'address already in use sidecar port conflict',
});

/** With the declaration of both ports, where the pod was read whole. */
const sidecarConflict: Rule = (view) =>
  sidecar(view).map((hypothesis) => ({
    ...hypothesis,
    findings: [...hypothesis.findings, ...sharedPort(view, hypothesis.service ?? '')],
  }));

const GATEWAY = /gateway|ingress|\bapi-?gw\b|-gw$|edge|router|proxy/i;

const gateway = signatureRule({
  cause: 'GATEWAY_MISROUTE',
  log: /\b404 (?:NOT_FOUND|Not Found)|No matching (?:handler|route)|no route (?:found|matched|defined)|NoRouteFound|No handler found|NoResourceFoundException|Unable to find instance for|No servers available for service|no healthy upstream|no live upstreams|cluster_not_found|\bNR\b.{0,40}route_not_found|route_not_found/i,
  unless: (_view, service) => !GATEWAY.test(service),
  headline: (service) => `A route of the gateway ${service} has a wrong target`,
  mechanism: (service) =>
    `A route of ${service} probably has a wrong target: requests through it fail (not found, unavailable).`,
  actions: (service) => [
    `Compare the routes of ${service} (its configuration, config map and variables) with the services and paths that exist.`,
    `Roll ${service} back if a route came with its last change.`,
  ],
  recommendations: ['Test every route by a request after each change of the gateway.'],
  lookup: 'gateway route wrong upstream 404',
});

const secret = signatureRule({
  cause: 'MISSING_SECRET_BINDING',
  event: /secrets? "?[\w.-]+"? not found|couldn't find key \S+ in Secret|references non-existent secret key/i,
  state: /secrets? "?[\w.-]+"? not found|couldn't find key \S+ in Secret/i,
  log: /Could not resolve placeholder '[\w.]*(?:PASS|SECRET|TOKEN|CRED|USER|KEY|MYSQL|MONGO|POSTGRES|DB|DATABASE)\w*'|(?:secret|credentials?|password)\w* (?:is |are |was )?(?:missing|not set|not provided|required|undefined|not found)/i,
  headline: (service) => `${service} refers to a secret that it does not get`,
  mechanism: (service) =>
    `The containers of ${service} refer to a secret or one of its keys that is not there (not found), so they cannot start.`,
  actions: (service) => [
    `Create the secret or key that the message names in the namespace of ${service}, or correct the reference.`,
    `Roll ${service} back if the reference came with its last change.`,
  ],
  recommendations: [
    'Ship a secret and the workload that needs it in one change, and check references before the rollout.',
  ],
  lookup: 'CreateContainerConfigError secret not found',
});

/** Pods whose own description does not fit what surrounds them. */
export const misconfiguredPod: Rule = (view) => [...secret(view), ...sidecarConflict(view), ...gateway(view)];
