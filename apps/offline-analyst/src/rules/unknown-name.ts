import { at, type Place } from '../evidence/place';
import { fields, list } from '../evidence/fields';
import type { LogPattern, SystemObject, View } from '../evidence/view';
import { serviceOf } from './topology';

const NAME = String.raw`([a-z][a-z0-9-]*)(?:\.[a-z0-9.-]+)?`;
/** The name that a lookup did not find, as programs and resolvers word it. */
const UNKNOWN_NAME = [
  String.raw`lookup ${NAME}(?: on [\d.:]+)?: (?:no such host|server misbehaving|i/o timeout|Temporary failure)`,
  String.raw`lookup ${NAME} on [^\s:]+:\d+: `,
  String.raw`(?:ENOTFOUND|EAI_AGAIN) ${NAME}`,
  String.raw`could not translate host name "${NAME}"`,
  String.raw`UnknownHostException: ${NAME}`,
  String.raw`DNS resolution failed for ${NAME}`,
  String.raw`(?:Failed|Unable|Could not|cannot) (?:to )?resolve (?:host:? |address:? |name:? )?['"]?${NAME}`,
  String.raw`(?<![\w.-])${NAME}(?::\d+)?:? (?:Name or service not known|Temporary failure in name resolution|nodename nor servname)`,
  String.raw`host not found in upstream "${NAME}`,
  String.raw`Unknown (?:MySQL )?server host '${NAME}'`,
].map((source) => new RegExp(source, 'i'));

const messageOf = ({ sample, pattern }: LogPattern): string => sample?.message ?? pattern;

/** The name that a line says was not found, without its domain. */
export const unknownNameIn = (pattern: LogPattern): string | undefined => {
  const message = messageOf(pattern);
  const name = UNKNOWN_NAME.map((sign) => sign.exec(message)?.[1]).find((found) => found !== undefined);
  return name === undefined || /^(?:metadata|localhost)$/i.test(name) ? undefined : name.toLowerCase();
};

/** The name that a client could not connect to; why, it does not say. */
const UNREACHED = new RegExp(
  String.raw`(?:UnableToConnect on|failed to connect to|could not connect to|unable to connect to|connecting to) ['"]?${NAME}:\d+`,
  'i',
);

const unreachedNameIn = (pattern: LogPattern): string | undefined =>
  UNREACHED.exec(messageOf(pattern))?.[1]?.toLowerCase();

/** One caller that did not find one name, with the lines that say so. */
export type Unresolved = { caller: string; name: string; patterns: LogPattern[] };

export const unresolvedNames = (view: View): Unresolved[] => {
  const found = new Map<string, Unresolved>();
  const services = new Set(view.objects.filter(({ kind }) => kind === 'Service').map(({ name }) => name));
  for (const pattern of view.patterns) {
    const unreached = unreachedNameIn(pattern);
    const isNobodys = unreached !== undefined && services.size > 0 && !services.has(unreached);
    const name = unknownNameIn(pattern) ?? (isNobodys ? unreached : undefined);
    if (name === undefined) continue;
    const key = `${pattern.service} ${name}`;
    const entry = found.get(key) ?? { caller: pattern.service, name, patterns: [] };
    entry.patterns.push(pattern);
    found.set(key, entry);
  }
  return [...found.values()];
};

/** A container's variable that holds an address. */
export type Variable = {
  object: SystemObject;
  place: Place;
  name: string;
  host: string;
  port: string | null;
};

/** URLs come with their colon made harmless. */
const ADDRESS =
  /^(?:[a-z][a-z0-9+.-]*(?:\[:\]|:)(?:[a-z0-9]+:)?\/\/)?(?:[^@/]*@)?([a-z0-9][a-z0-9.-]*?)(?:\.[a-z0-9-]+\.svc[a-z0-9.-]*)?(?::(\d+))?(?:[/?].*)?$/i;

const addressesIn = (object: SystemObject): Variable[] => {
  const inTemplate = object.spec.template !== undefined;
  const spec = inTemplate ? fields(fields(object.spec.template).spec) : object.spec;
  const base = inTemplate ? at(object.place, 'spec', 'template', 'spec') : at(object.place, 'spec');
  return list(spec.containers).flatMap((container, c) =>
    list(fields(container).env).flatMap((variable, v): Variable[] => {
      const { name, value } = fields(variable);
      const [, host, port] = ADDRESS.exec(String(value ?? '').trim()) ?? [];
      if (host === undefined || typeof name !== 'string') return [];
      return [
        {
          object,
          place: at(base, 'containers', c, 'env', v, 'value'),
          name,
          host: (host.split('.')[0] ?? host).toLowerCase(),
          port: port ?? null,
        },
      ];
    }),
  );
};

/** What the described pods and workloads of a service hold as addresses; null where none of them was read whole. */
export const addressesOf = (view: View, service: string): Variable[] | null => {
  const read = view.objects.filter(
    (object) =>
      object.described &&
      ['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'].includes(object.kind) &&
      serviceOf(object) === service,
  );
  return read.length === 0 ? null : read.flatMap(addressesIn);
};

const HOST = /_?(?:HOST|HOSTNAME|SERVER|ADDR|ADDRESS)$/;

/** Ports that stand in a variable of their own beside the one of their host: `X_PORT` and `X_HOST`. */
export const portsByName = (
  view: View,
  service: string,
): { name: string; host: string; variable: Variable }[] => {
  const all = addressesOf(view, service) ?? [];
  return all
    .filter(({ name, host }) => /_?PORT$/.test(name) && /^\d+$/.test(host))
    .flatMap((variable) => {
      const stem = variable.name.replace(/_?PORT$/, '');
      const host = all.find(({ name }) => HOST.test(name) && name.replace(HOST, '') === stem)?.host;
      return host === undefined ? [] : [{ name: variable.name, host, variable }];
    });
};
