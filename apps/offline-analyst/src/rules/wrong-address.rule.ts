import { factAt } from '../evidence/place';
import type { View } from '../evidence/view';
import { databasesOf } from './databases';
import type { Finding, Hypothesis, Rule } from './finding';
import { finding, objectEntity, patternFinding } from './findings';
import { wrongPortOf } from './offered-ports';
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

/** A caller looks up a name that no service has: its own setting is wrong, not the name service. */
const unknownHost: Rule = (view) => {
  if (!view.objects.some(({ kind }) => kind === 'Service')) return [];
  // What runs under that name and lacks its service is missing, not misspelt.
  const known = new Set([
    ...view.objects.map(serviceOf),
    ...view.dependencies.flatMap(({ from, to }) => [from, to]),
  ]);
  return unresolvedNames(view).flatMap(({ caller, name, patterns }): Hypothesis[] => {
    const variable = (addressesOf(view, caller) ?? []).find(({ host }) => host === name);
    if (known.has(name) || variable === undefined) return [];
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

/** A caller's address has a port that the service of that name does not offer. */
const unofferedPort: Rule = (view) => {
  const servers = databasesOf(view);
  const callers = [...new Set(view.objects.filter(({ kind }) => kind === 'Pod').map(serviceOf))];
  return callers.flatMap((caller): Hypothesis[] => {
    const wrong = wrongPortOf(view, caller);
    // How a database is called has a rule of its own.
    if (wrong === undefined || servers.has(wrong.host)) return [];
    const lines = view.patterns.filter(({ service, sample, pattern }) => {
      const message = sample?.message ?? pattern;
      return service === caller && UNANSWERED.test(message) && message.includes(wrong.host);
    });
    const others = view.patterns.filter(
      ({ service, sample, pattern }) => service === caller && UNANSWERED.test(sample?.message ?? pattern),
    );
    return [
      {
        cause: 'SERVICE_ENV_VAR_ADDRESS_MISMATCH',
        object: `Service/${caller}`,
        service: caller,
        rank: 'CAUSE',
        headline: `${caller} calls ${wrong.host} at a port that it does not offer`,
        mechanism: `A variable of ${caller} names a port that ${wrong.host} does not offer, so that its calls there fail.`,
        findings: [
          variableFinding(wrong.variable, view, `names a port that the service ${wrong.host} does not offer`),
          ...(lines.length > 0 ? lines : others)
            .slice(0, 2)
            .map((pattern) => patternFinding(view, pattern, lines.length > 0 ? 3 : 2)),
        ],
        actions: [`Correct the port in the configuration of ${caller} to one that ${wrong.host} offers.`],
        recommendations: [
          'Check at start-up that each configured neighbour answers, and say so in one clear line.',
        ],
        lookup: 'connection refused wrong port service address',
      },
    ];
  });
};

/** Addresses among a caller's own settings that lead nowhere. */
export const wrongAddress: Rule = (view) => [...unknownHost(view), ...unofferedPort(view)];
