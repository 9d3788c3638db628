import { at, factAt } from '../evidence/place';
import type { View } from '../evidence/view';
import type { Finding } from './finding';
import { finding, objectEntity, patternFinding } from './findings';

/** That the service has no endpoints or does not connect, and callers that say so. */
export const complaintsAbout = (view: View, name: string): Finding[] => {
  const service = view.objects.find((object) => object.kind === 'Service' && object.name === name);
  const isBare = service?.status.endpoints === 'none';
  const fails = /^failed/.test(String(service?.status.connectivity));
  const state = isBare
    ? [
        finding({
          key: `state:endpoints:${name}`,
          sort: 'STATE' as const,
          text: `Service ${name} has no endpoints.`,
          facts: factAt(view.documents, at(service.place, 'status', 'endpoints')),
          entities: [objectEntity('Service', name, service.place)],
          weight: 2,
        }),
      ]
    : service && fails
      ? [
          finding({
            key: `state:connectivity:${name}`,
            sort: 'STATE' as const,
            text: `Connections to service ${name} fail.`,
            facts: factAt(view.documents, at(service.place, 'status', 'connectivity')),
            entities: [objectEntity('Service', name, service.place)],
            weight: 2,
          }),
        ]
      : [];
  const callers = new Set(view.dependencies.filter(({ to }) => to === name).map(({ from }) => from));
  const refused = view.patterns.filter(
    ({ service: caller, sample, pattern }) =>
      callers.has(caller) && /refused|unreachable|unavailable|timed? ?out/i.test(sample?.message ?? pattern),
  );
  return [...state, ...refused.slice(0, 1).map((pattern) => patternFinding(view, pattern, 1))];
};
