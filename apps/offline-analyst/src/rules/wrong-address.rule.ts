import { factAt } from '../evidence/place';
import type { View } from '../evidence/view';
import { databasesOf } from './databases';
import type { Finding, Hypothesis, Rule } from './finding';
import { finding, objectEntity, patternFinding } from './findings';
import { complaintsAbout } from './complaints';
import { isTargetOf, wrongPortOf } from './offered-ports';
import { serviceOf } from './topology';
import { addressesOf, unresolvedNames, type Variable } from './unknown-name';

export const variableFinding = ({ object, place, name }: Variable, view: View, text: string): Finding =>
  finding({
    key: `setting:address:${serviceOf(object)}:${name}`,
    sort: 'SETTING',
    text: `The variable ${name} of ${object.kind} ${object.name} ${text}.`,
    facts: factAt(view.documents, place),
    entities: [objectEntity(object.kind, object.name, object.place)],
    weight: 3,
  });

const AMBIENT_MIN = 3;

/** A caller looks up a name that no service has: its own setting is wrong, not the name service. */
const unknownHost: Rule = (view) => {
  if (!view.objects.some(({ kind }) => kind === 'Service')) return [];
  // What runs under that name and lacks its service is missing, not misspelt.
  const known = new Set([
    ...view.objects.map(serviceOf),
    // Pods of a stateful set can be called by their own names.
    ...view.objects.flatMap(({ kind, name }) => (kind === 'Pod' ? [name] : [])),
    ...view.dependencies.flatMap(({ from, to }) => [from, to]),
  ]);
  const all = unresolvedNames(view);
  // What many look for in vain was never there: a collector of traces, for instance.
  const isAmbient = (name: string): boolean => all.filter((item) => item.name === name).length >= AMBIENT_MIN;
  return all.flatMap(({ caller, name, patterns }): Hypothesis[] => {
    const variable = (addressesOf(view, caller) ?? []).find(({ host }) => host === name);
    if (known.has(name) || variable === undefined || isAmbient(name)) return [];
    return [
      {
        cause: 'SERVICE_ENV_VAR_ADDRESS_MISMATCH',
        object: `Service/${caller}`,
        service: caller,
        rank: 'CAUSE',
        headline: `${caller} is configured with the address of a service that does not exist`,
        mechanism: `A variable of ${caller} names a service that does not exist, so the host name that it calls is not found (DNS) and its calls fail.`,
        findings: [
          variableFinding(variable, view, `holds an address with the name ${name}`),
          ...patterns.slice(0, 2).map((pattern) => patternFinding(view, pattern, 3)),
        ],
        actions: [
          `Correct the address in the configuration of ${caller} to the name of the service that it means.`,
        ],
        recommendations: [
          'Check at start-up that each configured neighbour resolves, and say so in one clear line.',
        ],
        lookup: 'DNS resolution failure no such host service name',
      },
    ];
  });
};

const UNANSWERED = /refused|timed? ?out|unreachable|unavailable|no route|reset|deadline exceeded/i;

const unanswered = (view: View, caller: string, host: string): Finding[] => {
  const lines = view.patterns.filter(
    ({ service, sample, pattern }) => service === caller && UNANSWERED.test(sample?.message ?? pattern),
  );
  const named = lines.filter(({ sample, pattern }) => (sample?.message ?? pattern).includes(host));
  return (named.length > 0 ? named : lines)
    .slice(0, 2)
    .map((pattern) => patternFinding(view, pattern, named.length > 0 ? 3 : 2));
};

type Wrong = { caller: string; variable: Variable; host: string };

const mismatch = (view: View, { caller, variable, host }: Wrong, what: string): Hypothesis => ({
  cause: 'SERVICE_ENV_VAR_ADDRESS_MISMATCH',
  object: `Service/${caller}`,
  service: caller,
  rank: 'CAUSE',
  headline: `A variable of ${caller} ${what}`,
  mechanism: `A variable of ${caller} ${what}, so that its calls there fail.`,
  findings: [variableFinding(variable, view, what), ...unanswered(view, caller, host)],
  actions: [
    `Correct the address in the configuration of ${caller} to one that the service which it means offers.`,
  ],
  recommendations: [
    'Check at start-up that each configured neighbour answers, and say so in one clear line.',
  ],
  lookup: 'connection refused wrong port service address',
});

/** A service that offers the port of its containers under a number that its callers do not use. */
const renumbered = (view: View, { caller, variable, host }: Wrong): Hypothesis => ({
  cause: 'SERVICE_PORT_MAPPING_MISMATCH',
  object: `Service/${host}`,
  service: host,
  rank: 'CAUSE',
  headline: `The service ${host} offers its port under another number than its callers use`,
  mechanism: `Service ${host} sends to the port that ${caller} calls, and offers it under another number, so connections through it fail.`,
  findings: [
    variableFinding(variable, view, `names a port that the service ${host} does not offer`),
    ...complaintsAbout(view, host),
    ...unanswered(view, caller, host),
  ],
  actions: [`Give the service ${host} back the port that its callers use, or correct them all.`],
  recommendations: [
    'Test a service by a request through it after each change, not only the readiness of its pods.',
  ],
  lookup: 'kubernetes service port mismatch',
});

/** A caller's address has a port that the service of that name does not offer. */
const unofferedPort = (view: View, caller: string): Hypothesis[] => {
  const wrong = wrongPortOf(view, caller);
  // How a database is called has a rule of its own.
  if (wrong === undefined || databasesOf(view).has(wrong.host)) return [];
  return [
    isTargetOf(view, wrong.host, wrong.port)
      ? renumbered(view, { caller, ...wrong })
      : mismatch(view, { caller, ...wrong }, `names a port that the service ${wrong.host} does not offer`),
  ];
};

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');
const SUFFIX = /_?(?:ADDR|ADDRESS|HOST|HOSTNAME|URL|URI|ENDPOINT|BASE_?URL)$/i;

/** A variable is called after one service and holds the address of another. */
const exchangedHost = (view: View, caller: string): Hypothesis[] => {
  const services = view.objects.filter(({ kind }) => kind === 'Service').map(({ name }) => name);
  const wrong = (addressesOf(view, caller) ?? []).find(({ name, host }) => {
    const meant = services.find(
      (service) => SUFFIX.test(name) && bare(service) === bare(name.replace(SUFFIX, '')),
    );
    return meant !== undefined && meant !== host && services.includes(host);
  });
  return wrong === undefined
    ? []
    : [
        mismatch(
          view,
          { caller, variable: wrong, host: wrong.host },
          `holds the address of ${wrong.host}, and is called after another service`,
        ),
      ];
};

/** Addresses among a caller's own settings that lead nowhere. */
export const wrongAddress: Rule = (view) => {
  const callers = [...new Set(view.objects.filter(({ kind }) => kind === 'Pod').map(serviceOf))];
  return [
    ...unknownHost(view),
    ...callers.flatMap((caller) => [...unofferedPort(view, caller), ...exchangedHost(view, caller)]),
  ];
};
