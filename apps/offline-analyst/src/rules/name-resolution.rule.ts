import type { LogPattern, View } from '../evidence/view';
import { listsAll } from '../evidence/without-gone';
import type { Finding, Hypothesis, Rule } from './finding';
import { at, factAt } from '../evidence/place';
import { finding, objectEntity, patternFinding } from './findings';
import { callersOf, serviceOf } from './topology';
import { addressesOf, unknownNameIn, unresolvedNames, type Unresolved } from './unknown-name';

const FAILED =
  /no such host|ENOTFOUND|EAI_AGAIN|temporary failure in name resolution|could not translate host name|name or service not known|getaddrinfo|server misbehaving|UnknownHostException|nodename nor servname|DNS resolution failed|failed to resolve|could not resolve host|host not found in upstream|Domain name not found/i;
const ADVICE = {
  actions: (service: string) => [
    `Compare the host name in the failing lines with the services that exist, and correct the address that ${service} is configured with.`,
    'If the name is right, resolve it from a pod, and look at the DNS settings of the pod and the DNS service of the cluster.',
  ],
  recommendations: [
    'Check at start-up that each configured neighbour resolves, and say so in one clear line.',
  ],
  lookup: 'DNS resolution failure no such host service name',
};

const messageOf = ({ sample, pattern }: LogPattern): string => sample?.message ?? pattern;

/** The same caller has got an address of a service since. */
const hasResolved = (view: View, caller: string): boolean =>
  view.patterns.some((pattern) => pattern.service === caller && /dial tcp \d+\.\d+/.test(messageOf(pattern)));

const unresolvable = (caller: string, findings: Finding[]): Hypothesis => ({
  cause: 'SERVICE_DNS_RESOLUTION_FAILURE',
  object: `Service/${caller}`,
  service: caller,
  rank: 'CAUSE',
  headline: `${caller} cannot resolve the name of a neighbour`,
  mechanism: `Name resolution (DNS) fails for ${caller}: the host name that it calls is not found, so its calls end before they begin.`,
  findings,
  actions: ADVICE.actions(caller),
  recommendations: ADVICE.recommendations,
  lookup: ADVICE.lookup,
});

/** What runs, is called, and has no service of its name: nobody can find it. */
const withoutService = (view: View, name: string, lines: readonly LogPattern[]): Hypothesis => {
  const lists = view.calls.filter((call) => listsAll(call, 'Service'));
  const missing = finding({
    key: `missing-service:${name}`,
    sort: 'STATE',
    text: `The list of services holds none with the name ${name}, although it is called.`,
    toolCallIds: [
      ...lists.slice(-1).map(({ toolCallId }) => toolCallId),
      ...lines.slice(0, 1).map(({ place }) => place.toolCallId),
    ],
    weight: 2,
  });
  return {
    cause: 'SERVICE_DNS_RESOLUTION_FAILURE',
    object: `Service/${name}`,
    service: name,
    rank: 'CAUSE',
    headline: `Lookups of the name ${name} fail (DNS), since its service is gone`,
    mechanism: `Name resolution (DNS) fails for ${name}, whose service is missing from the list of services; its callers look it up in vain.`,
    findings: [...lines.slice(0, 2).map((pattern) => patternFinding(view, pattern, 3)), missing],
    actions: [`Create the service ${name} again, or give it back its name.`],
    recommendations: ADVICE.recommendations,
    lookup: ADVICE.lookup,
  };
};

/** The name is right: a service has it. */
const servicesThere = (view: View, names: readonly string[]): Finding[] =>
  view.objects
    .filter(({ kind, name }) => kind === 'Service' && names.includes(name))
    .slice(0, 1)
    .map(({ name, place, described }) =>
      finding({
        key: `state:service:${name}`,
        sort: 'STATE',
        text: `Service ${name} is among the services.`,
        facts: factAt(view.documents, described ? at(place, 'metadata', 'name') : at(place, 'name')),
        entities: [objectEntity('Service', name, place)],
        weight: 1,
      }),
    );

/** Somebody that it calls says the same, and has the name among its settings: these lines are that one's, passed on. */
const isPassedOn = (view: View, { caller, name }: Unresolved, all: readonly Unresolved[]): boolean =>
  all.some(
    (other) =>
      other.name === name &&
      other.caller !== caller &&
      callersOf(view, other.caller).has(caller) &&
      !(addressesOf(view, caller) ?? []).some(({ host }) => host === name),
  );

/** From so many callers on, a name that nobody has belongs to something that was never there, a collector for instance. */
const AMBIENT_MIN = 3;

/** Names that several look for: what is wrong lies with the name, not with one of them. */
const lookedForBy = (all: readonly Unresolved[], name: string): number =>
  new Set(all.filter((item) => item.name === name).map(({ caller }) => caller)).size;

/** A service that is there, and that nobody finds. */
const unfindable = (view: View, name: string, lines: readonly LogPattern[]): Hypothesis => ({
  ...unresolvable(name, [
    ...lines.slice(0, 3).map((pattern) => patternFinding(view, pattern, 2)),
    ...servicesThere(view, [name]),
  ]),
  headline: `Lookups of the name ${name} fail (DNS) for those who call it`,
  mechanism: `Name resolution (DNS) fails for ${name}: those who call it do not get its address.`,
});

const byCaller = (items: readonly Unresolved[]): Map<string, LogPattern[]> => {
  const callers = new Map<string, LogPattern[]>();
  for (const { caller, patterns } of items)
    callers.set(caller, [...(callers.get(caller) ?? []), ...patterns]);
  return callers;
};

const named = (view: View): Hypothesis[] => {
  const all = unresolvedNames(view);
  const services = new Set(view.objects.filter(({ kind }) => kind === 'Service').map(({ name }) => name));
  const pods = new Set(view.objects.filter(({ kind }) => kind === 'Pod').map(({ name }) => name));
  const running = new Set([...view.objects.map(serviceOf), ...view.dependencies.map(({ to }) => to)]);
  // Only a whole list shows that something is not in it.
  const isListed = view.calls.some((call) => listsAll(call, 'Service')) && services.size > 0;
  const absent = [
    ...new Set(all.map(({ name }) => name).filter((name) => isListed && !services.has(name))),
  ].filter((name) => running.has(name));
  const open = all.filter(
    (item) =>
      !absent.includes(item.name) &&
      !isPassedOn(view, item, all) &&
      // A pod of a stateful set has a name of its own while it is ready.
      !pods.has(item.name) &&
      (services.has(item.name) ? !hasResolved(view, item.caller) : lookedForBy(all, item.name) < AMBIENT_MIN),
  );
  const several = new Set(
    open.map(({ name }) => name).filter((name) => services.has(name) && lookedForBy(open, name) > 1),
  );
  const linesOf = (name: string) =>
    all.filter((item) => item.name === name).flatMap(({ patterns }) => patterns);
  return [
    ...absent.map((name) => withoutService(view, name, linesOf(name))),
    ...[...several].map((name) => unfindable(view, name, linesOf(name))),
    ...[...byCaller(open.filter(({ name }) => !several.has(name)))].map(([caller, lines]) =>
      unresolvable(caller, [
        // While everything starts, right names are unknown for a while.
        ...lines
          .slice(0, 3)
          .map((line) => patternFinding(view, line, services.has(unknownNameIn(line) ?? '') ? 2 : 3)),
        ...servicesThere(
          view,
          lines.flatMap((line) => unknownNameIn(line) ?? []),
        ),
      ]),
    ),
  ];
};

/** Lines that tell of a lookup and give no name. */
const nameless = (view: View): Hypothesis[] => {
  const lines = view.patterns.filter(
    (pattern) =>
      ['WARN', 'ERROR', 'FATAL'].includes(pattern.level) &&
      FAILED.test(messageOf(pattern)) &&
      unknownNameIn(pattern) === undefined,
  );
  const named_ = new Set(unresolvedNames(view).map(({ caller }) => caller));
  const callers = new Set(lines.map(({ service }) => service).filter((service) => !named_.has(service)));
  return [...callers].map((caller) =>
    unresolvable(
      caller,
      lines
        .filter(({ service }) => service === caller)
        .slice(0, 3)
        .map((pattern) => patternFinding(view, pattern, 3)),
    ),
  );
};

/** Names that are not found: by one caller, or of one service. */
export const nameResolution: Rule = (view) => [...named(view), ...nameless(view)];
