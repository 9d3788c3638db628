import { fields, list } from '../evidence/fields';
import { at, factAt, type Place } from '../evidence/place';
import type { View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import { finding, objectEntity, patternFinding } from './findings';
import { serviceOf } from './topology';

const NAME = String.raw`([a-z][a-z0-9-]*)(?:\.[a-z0-9.-]+)?`;
/** The name that a lookup did not find, as programs and resolvers word it. */
const UNKNOWN_NAME = [
  new RegExp(String.raw`lookup ${NAME}(?: on [\d.:]+)?: no such host`, 'i'),
  new RegExp(String.raw`(?:ENOTFOUND|EAI_AGAIN) ${NAME}`, 'i'),
  new RegExp(String.raw`could not translate host name "${NAME}"`, 'i'),
  new RegExp(String.raw`UnknownHostException: ${NAME}`, 'i'),
];

const nameIn = (message: string): string | undefined =>
  UNKNOWN_NAME.map((pattern) => pattern.exec(message)?.[1]).find((name) => name !== undefined);

/** Where a container's variable holds an address with this name. */
const variablesNaming = (view: View, service: string, name: string) =>
  view.objects
    .filter((object) => object.described && serviceOf(object) === service)
    .flatMap((object) => {
      const inTemplate = object.spec.template !== undefined;
      const spec = inTemplate ? fields(fields(object.spec.template).spec) : object.spec;
      const base = inTemplate ? at(object.place, 'spec', 'template', 'spec') : at(object.place, 'spec');
      return list(spec.containers).flatMap((container, c) =>
        list(fields(container).env).flatMap(
          (variable, v): { object: typeof object; place: Place; name: string }[] => {
            const { name: key, value } = fields(variable);
            const host = String(value ?? '')
              .replace(/^\w+:\/\//, '')
              .split(/[:/.]/)[0];
            return host === name
              ? [{ object, place: at(base, 'containers', c, 'env', v, 'value'), name: String(key) }]
              : [];
          },
        ),
      );
    })[0];

const settingOf = (view: View, caller: string, name: string): Finding[] => {
  const variable = variablesNaming(view, caller, name);
  if (!variable) return [];
  const { object, place } = variable;
  return [
    finding({
      key: `setting:address:${caller}`,
      sort: 'SETTING',
      text: `The variable ${variable.name} of ${object.kind} ${object.name} holds an address with the name ${name}.`,
      facts: factAt(view.documents, place),
      entities: [objectEntity(object.kind, object.name, object.place)],
      weight: 3,
    }),
  ];
};

/** A caller looks up a name that no service has: its own setting is wrong, not the name service. */
export const wrongAddress: Rule = (view) => {
  const services = view.objects.filter(({ kind }) => kind === 'Service');
  if (services.length === 0) return [];
  const known = new Set(services.map(({ name }) => name));
  const found = new Map<string, { caller: string; name: string; patterns: View['patterns'] }>();
  for (const pattern of view.patterns) {
    const name = nameIn(pattern.sample?.message ?? pattern.pattern)?.toLowerCase();
    if (name === undefined || known.has(name) || /^(?:metadata|localhost)$/.test(name)) continue;
    const key = `${pattern.service} ${name}`;
    const entry = found.get(key) ?? { caller: pattern.service, name, patterns: [] };
    entry.patterns.push(pattern);
    found.set(key, entry);
  }
  return [...found.values()].flatMap(({ caller, name, patterns }): Hypothesis[] => {
    const setting = settingOf(view, caller, name);
    if (setting.length === 0) return [];
    return [
      {
        cause: 'SERVICE_ENV_VAR_ADDRESS_MISMATCH',
        object: `Service/${caller}`,
        service: caller,
        rank: 'CAUSE',
        headline: `${caller} is configured with the address of a service that does not exist`,
        mechanism: `A variable of ${caller} names a service that does not exist, so the host name that it calls is not found (DNS) and its calls fail.`,
        findings: [...setting, ...patterns.slice(0, 2).map((pattern) => patternFinding(view, pattern, 3))],
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
