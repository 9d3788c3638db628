import { fields, list } from '../evidence/fields';
import type { View } from '../evidence/view';
import { addressesOf, portsByName, type Variable } from './unknown-name';

/** The ports that a service offers; empty where its object was not read whole. */
const offeredPorts = (view: View, service: string): string[] =>
  view.objects
    .filter(({ kind, name, described }) => kind === 'Service' && name === service && described)
    .flatMap(({ spec }) => list(spec.ports).map((port) => String(fields(port).port)));

/** An address with a port that its host does not offer, also where host and port are variables of their own. */
export const wrongPortOf = (view: View, client: string): { variable: Variable; host: string } | undefined => {
  const addresses = addressesOf(view, client) ?? [];
  const direct = addresses.find(({ host, port }) => {
    const offered = offeredPorts(view, host);
    return port !== null && offered.length > 0 && !offered.includes(port);
  });
  if (direct) return { variable: direct, host: direct.host };
  for (const { name, host, variable } of portsByName(view, client)) {
    const offered = offeredPorts(view, host);
    if (offered.length > 0 && !offered.includes(variable.host))
      return { variable: { ...variable, name }, host };
  }
  return undefined;
};
