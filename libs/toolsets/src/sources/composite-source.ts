import { SourceFailure, type IncidentSource } from '../incident-source';
import type { IncidentPart } from './toolset';

export type IncidentMethod = Exclude<keyof IncidentSource, 'name' | 'extent'>;

const METHODS: readonly IncidentMethod[] = [
  'listObjects',
  'listEvents',
  'describeObject',
  'searchLogs',
  'listMetrics',
  'queryMetric',
  'activeAlerts',
  'dependencies',
];

/** The methods that some part serves. */
export const servedMethods = (parts: readonly IncidentPart[]): ReadonlySet<IncidentMethod> =>
  new Set(METHODS.filter((method) => parts.some((part) => part[method] !== undefined)));

/**
 * One source made of what several backends know: each question goes to the first part that can answer it. What no part
 * can answer fails; it is never an empty answer.
 *
 * @param lookbackMs how far back a live source is asked where nobody says from when
 */
export const compositeSource = (
  name: string,
  parts: readonly IncidentPart[],
  { lookbackMs, nowMs = Date.now }: { lookbackMs: number; nowMs?: () => number },
): IncidentSource => {
  const ask = <Method extends IncidentMethod>(method: Method): IncidentSource[Method] => {
    const part = parts.find((each) => each[method] !== undefined);
    const answer = part?.[method];
    if (part && answer) return answer.bind(part) as IncidentSource[Method];
    return (() =>
      Promise.reject(
        new SourceFailure('SOURCE_FAILED', `no connection of ${name} can answer ${method}`),
      )) as unknown as IncidentSource[Method];
  };
  return {
    name,
    extent: async (signal) => {
      const known = await Promise.all(parts.flatMap((part) => (part.extent ? [part.extent(signal)] : [])));
      const to = nowMs();
      const windows =
        known.length > 0
          ? known.map(({ window }) => window)
          : [{ from: new Date(to - lookbackMs).toISOString(), to: new Date(to).toISOString() }];
      const [from, until] = [
        windows.map((w) => w.from).sort()[0],
        windows
          .map((w) => w.to)
          .sort()
          .at(-1),
      ];
      return {
        window: { from: from ?? '', to: until ?? '' },
        services: [...new Set(known.flatMap(({ services }) => services))].sort(),
      };
    },
    listObjects: ask('listObjects'),
    listEvents: ask('listEvents'),
    describeObject: ask('describeObject'),
    searchLogs: ask('searchLogs'),
    listMetrics: ask('listMetrics'),
    queryMetric: ask('queryMetric'),
    activeAlerts: async (query, signal) => {
      const page = await ask('activeAlerts')(query, signal);
      const { service } = query;
      // Who keeps alerts alone has heard of no service without one; another connection may have.
      if (service === undefined || page.items.length > 0 || page.selectorKnown !== false) return page;
      // One that fails knows nothing, which leaves the answer as it is.
      const known = await Promise.all(
        parts.flatMap((part) => part.knowsService?.(service, signal).catch(() => false) ?? []),
      );
      return known.includes(true) ? { ...page, selectorKnown: true, suggestions: [] } : page;
    },
    dependencies: ask('dependencies'),
  };
};
