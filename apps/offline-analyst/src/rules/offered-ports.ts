import { fields, list } from '../evidence/fields';
import type { View } from '../evidence/view';
import { addressesOf, portsByName, type Variable } from './unknown-name';

/** What a service offers, and where it sends that to; empty where it was not read. */
const portsOf = (view: View, service: string): { offered: string; target: string }[] =>
  view.objects
    .filter(({ kind, name }) => kind === 'Service' && name === service)
    .flatMap(({ spec }) =>
      list(spec.ports).map((item) => {
        const { port, targetPort = port } = fields(item);
        return { offered: String(port), target: String(targetPort) };
      }),
    );

const offeredPorts = (view: View, service: string): string[] =>
  portsOf(view, service).map(({ offered }) => offered);

/** The service sends to that very port, and offers it under another number. */
export const isTargetOf = (view: View, service: string, port: string): boolean =>
  portsOf(view, service).some(({ target }) => target === port);

/** An address with a port that its host does not offer, also where host and port are variables of their own. */
export const wrongPortOf = (
  view: View,
  client: string,
): { variable: Variable; host: string; port: string } | undefined => {
  const addresses = addressesOf(view, client) ?? [];
  const direct = addresses.find(({ host, port }) => {
    const offered = offeredPorts(view, host);
    return port !== null && offered.length > 0 && !offered.includes(port);
  });
  if (direct) return { variable: direct, host: direct.host, port: direct.port ?? '' };
  for (const { name, host, variable } of portsByName(view, client)) {
    const offered = offeredPorts(view, host);
    if (offered.length > 0 && !offered.includes(variable.host))
      return { variable: { ...variable, name }, host, port: variable.host };
  }
  return undefined;
};
