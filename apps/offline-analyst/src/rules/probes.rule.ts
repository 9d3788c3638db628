import { fields, list } from '../evidence/fields';
import type { SystemEvent, SystemObject, View } from '../evidence/view';
import type { Hypothesis, Rule } from './finding';
import { eventFinding, finding } from './findings';
import { at, factAt } from '../evidence/place';
import { looksUnhealthy } from '../investigation/suspects';
import { isMeshPort, ownContainers } from './containers';
import { containerStates } from './object-state';
import { serviceOf, serviceOfEvent } from './topology';
import { unwellFindings } from './unwell';

type Kind = 'liveness' | 'readiness' | 'startup';
const PROBE_FAILED = /(Liveness|Readiness|Startup) probe failed/i;

const PROTOCOL =
  /malformed HTTP|HTTP response to HTTPS|server gave HTTP|first record does not look like a TLS|statuscode: 4\d\d|connection reset|\bEOF\b|unexpected.*(?:protocol|preface)|Unimplemented|unknown service grpc\.health/i;
const PORT = /connection refused|connect: no route/i;
const TIMING = /timeout|deadline exceeded|context canceled/i;

const kindOf = ({ message }: SystemEvent): Kind =>
  (PROBE_FAILED.exec(message)?.[1]?.toLowerCase() as Kind | undefined) ?? 'liveness';

/** Where the service sends to: what a container that declares no port listens on. */
const targetPortsOf = (view: View, service: string): unknown[] =>
  view.objects
    .filter(({ kind, name, described }) => kind === 'Service' && name === service && described)
    .flatMap(({ spec }) => list(spec.ports).map((port) => fields(port).targetPort ?? fields(port).port));

/** The probe's port and the ports that the container declares, where the pod or its workload was read whole. */
const portsOf = (view: View, service: string, kind: Kind) =>
  view.objects
    .filter(
      (object) =>
        serviceOf(object) === service &&
        ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet'].includes(object.kind),
    )
    .flatMap((object) => {
      const inTemplate = object.spec.template !== undefined;
      const base = inTemplate ? at(object.place, 'spec', 'template', 'spec') : at(object.place, 'spec');
      const spec = inTemplate ? fields(fields(object.spec.template).spec) : object.spec;
      return ownContainers(spec).flatMap(({ container, index }) => {
        const probe = fields(container[`${kind}Probe`]);
        const handler = ['httpGet', 'tcpSocket', 'grpc'].find((name) => probe[name] !== undefined);
        if (!handler) return [];
        const port = fields(probe[handler]).port;
        if (isMeshPort(port)) return [];
        const declared = list(container.ports).map((item) => fields(item));
        const targets = declared.length > 0 ? [] : targetPortsOf(view, service);
        const known =
          declared.some(({ containerPort, name }) => containerPort === port || name === port) ||
          (declared.length === 0 && (targets.length === 0 || targets.includes(port)));
        const place = at(base, 'containers', index, `${kind}Probe`, handler, 'port');
        return [{ object, place, port: String(port), known }];
      });
    })[0];

/** A start takes longer than this with many a runtime. */
const PATIENCE_MIN_S = 20;

/** A probe that gives up on a container before it can have started, and kills it. */
const isHasty = (view: View, service: string, kind: Kind): boolean =>
  kind === 'liveness' &&
  view.objects.some((object) => {
    if (object.kind !== 'Pod' || !object.described || serviceOf(object) !== service) return false;
    // Some programs end in good order when they are told to: then only the kubelet tells that it was the probe.
    const wasKilled =
      containerStates(object).some(({ exitCode }) => exitCode === 137 || exitCode === 143) ||
      view.events.some(
        ({ reason, message, object: about }) =>
          about.name === object.name && reason === 'Killing' && /liveness/i.test(message),
      );
    return list(object.spec.containers).some((container) => {
      const probe = fields(fields(container).livenessProbe);
      const patience =
        Number(probe.initialDelaySeconds ?? 0) +
        Number(probe.periodSeconds ?? 10) * Number(probe.failureThreshold ?? 3);
      return wasKilled && patience < PATIENCE_MIN_S;
    });
  });

/** One probe asks by gRPC, where another of the same container and port asks otherwise: one of them is wrong. */
const speaksOtherwise = (view: View, service: string, kind: Kind): boolean =>
  view.objects
    .filter((object) => object.described && object.kind === 'Pod' && serviceOf(object) === service)
    .flatMap(({ spec }) => ownContainers(spec))
    .some(({ container }) => {
      const grpcOf = (of: Kind) => fields(fields(container[`${of}Probe`]).grpc).port;
      const other = fields(container[`${kind === 'liveness' ? 'readiness' : 'liveness'}Probe`]);
      const elsewhere = fields(other.httpGet).port ?? fields(other.tcpSocket).port;
      return grpcOf(kind) !== undefined && grpcOf(kind) === elsewhere;
    });

const classified = (view: View, service: string, event: SystemEvent) => {
  const kind = kindOf(event);
  const ports = portsOf(view, service, kind);
  if (ports && !ports.known) return { kind, fault: 'PORT' as const, ports };
  if (PROTOCOL.test(event.message)) return { kind, fault: 'PROTOCOL' as const, ports };
  if (PORT.test(event.message) && !ports) return { kind, fault: 'PORT' as const, ports };
  // The port is the container's own: nothing listens there yet, or not any more.
  if (PORT.test(event.message))
    return { kind, fault: isHasty(view, service, kind) ? ('TIMING' as const) : ('FAILING' as const), ports };
  if (TIMING.test(event.message) && speaksOtherwise(view, service, kind))
    return { kind, fault: 'PROTOCOL' as const, ports };
  if (TIMING.test(event.message)) return { kind, fault: 'TIMING' as const, ports };
  return { kind, fault: 'FAILING' as const, ports };
};

const WHAT = {
  PORT: 'asks a port on which nothing listens',
  PROTOCOL: 'speaks another protocol, or asks for another path, than the container answers',
  TIMING: 'gives the container too little time to answer',
  FAILING: 'fails',
} as const;

const causeOf = (kind: Kind, fault: keyof typeof WHAT) =>
  fault === 'FAILING'
    ? `${kind.toUpperCase()}_PROBE_FAILING`
    : `${kind.toUpperCase()}_PROBE_INCORRECT_${fault}`;

/** As many failures in a row as Kubernetes waits for, unless it is told otherwise, before it acts. */
const FAILURES_MIN = 3;

/** Not ready, or started again: what a failing probe does to a pod. */
const isHarmed = (object: SystemObject): boolean =>
  looksUnhealthy(object) ||
  containerStates(object).length > 0 ||
  Number(object.status.restarts ?? 0) > 0 ||
  list(object.status.containerStatuses)
    .map(fields)
    .some(({ ready, restartCount }) => ready === false || Number(restartCount) > 0);

/** Whether it was read that a pod is ready. */
const isReady = ({ status }: SystemObject): boolean =>
  typeof status.ready === 'string' ||
  list(status.containerStatuses).some((container) => fields(container).ready === true);

const podsOf = (view: View, { object }: SystemEvent): SystemObject[] =>
  view.objects.filter(({ kind, name }) => kind === object.kind && name === object.name);

/** Slow starts make probes fail once or twice: only what goes on, or has an effect, is a failure. */
const isLasting = (view: View, event: SystemEvent): boolean => {
  const of = podsOf(view, event);
  return event.count >= FAILURES_MIN || of.some(isHarmed) || of.length === 0;
};

/** What is ready and was never started again has got over it, however often it failed. */
const isOverIt = (view: View, event: SystemEvent): boolean => {
  const of = podsOf(view, event);
  return of.some(isReady) && !of.some(isHarmed);
};

const examine = (view: View, service: string, events: readonly SystemEvent[]): Hypothesis[] => {
  // A container that is killed for it makes every other probe fail as well.
  const killing = (event: SystemEvent) =>
    kindOf(event) === 'liveness' &&
    view.events.some(
      ({ reason, message, object }) =>
        object.name === event.object.name && reason === 'Killing' && /liveness/i.test(message),
    );
  const [event] = [...events].sort((a, b) => Number(killing(b)) - Number(killing(a)) || b.count - a.count);
  if (!event) return [];
  const { kind, fault, ports } = classified(view, service, event);
  const setting = ports
    ? [
        finding({
          key: `setting:probe:${service}`,
          sort: 'SETTING',
          text: `The ${kind} probe of ${ports.object.name} asks port ${ports.port}${ports.known ? '' : ', which the container does not declare'}.`,
          facts: factAt(view.documents, ports.place),
          toolCallIds: [ports.object.place.toolCallId],
          weight: ports.known ? 1 : 3,
        }),
      ]
    : [];
  const effect =
    kind === 'readiness' ? 'its pods are taken out of the service' : 'its containers are restarted';
  const kills = view.events.filter(
    ({ reason, message, object }) =>
      object.name === event.object.name && reason === 'Killing' && /probe/i.test(message),
  );
  return [
    {
      cause: causeOf(kind, fault),
      object: `Service/${service}`,
      service,
      // A probe that finds a dead program is right: something else is wrong then.
      rank: fault === 'FAILING' || isOverIt(view, event) ? 'SYMPTOM' : 'CAUSE',
      headline: `The ${kind} probe of ${service} ${WHAT[fault]}, so ${effect}`,
      mechanism: `The ${kind} probe of ${service} ${WHAT[fault]}; it fails, and ${effect}.`,
      findings: [
        eventFinding(view, event, 3),
        ...setting,
        ...kills.slice(0, 1).map((kill) => eventFinding(view, kill, 2)),
        ...unwellFindings(view, service),
      ],
      actions: [
        `Compare port, path, scheme and timing of the ${kind} probe of ${service} with what its container serves, and correct the probe.`,
        `If the probe is right, look at why ${service} does not answer: its log, its CPU, its dependencies.`,
      ],
      recommendations: [
        'Name container ports and refer to them by name in probes and services.',
        'Use a startup probe for slow starters instead of a long initial delay.',
      ],
      lookup: `${kind} probe failed wrong port protocol timing`,
    },
  ];
};

/** Probes that fail, and why. */
export const probes: Rule = (view) => {
  const failed = view.events.filter((event) => PROBE_FAILED.test(event.message) && isLasting(view, event));
  const services = new Set(failed.map((event) => serviceOfEvent(view, event)));
  return [...services].flatMap((service) =>
    examine(
      view,
      service,
      failed.filter((event) => serviceOfEvent(view, event) === service),
    ),
  );
};
