import { INCIDENT_TOOLSET_TOOLS } from '../incident/incident-toolset';
import { SourceFailure, type IncidentSource } from '../incident-source';
import type { ReadOnlyTool } from '../tool';
import { compositeSource, servedMethods, type IncidentMethod } from './composite-source';
import type { ConnectionCheck, Toolset } from './toolset';

/** A named source with everything that serves it. */
export type Environment = {
  readonly name: string;
  /** For the incident tools; null where no connection can answer any of them. */
  readonly incident: IncidentSource | null;
  /**
   * What an agent can call for this source, knowledge aside. A connection that cannot tell its tools is left out and named
   * in `silent`.
   */
  tools(signal: AbortSignal): Promise<{ tools: readonly ReadOnlyTool[]; silent: readonly string[] }>;
  check(signal: AbortSignal): Promise<{ name: string; check: ConnectionCheck }[]>;
  close(): Promise<void>;
};

/** What each incident tool asks its source for; a tool is offered only where all of it can be answered. */
const ASKS: Readonly<Record<string, readonly IncidentMethod[]>> = {
  list_objects: ['listObjects', 'listEvents'],
  describe_object: ['describeObject'],
  search_logs: ['searchLogs'],
  list_metrics: ['listMetrics'],
  query_metric: ['queryMetric'],
  active_alerts: ['activeAlerts'],
  service_dependencies: ['dependencies'],
};

const servedTools = (served: ReadonlySet<IncidentMethod>): ReadOnlyTool[] =>
  INCIDENT_TOOLSET_TOOLS.filter(({ name }) => ASKS[name]?.every((method) => served.has(method)) ?? false);

/** Ends with the signal, whether or not the connection takes notice of it. */
const within = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  let stop: (() => void) | undefined;
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('no answer in time'));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
};

/** A connection that cannot be checked is what a check is there to find: it never keeps the others from being checked. */
const checked = async (toolset: Toolset, signal: AbortSignal): Promise<ConnectionCheck> => {
  try {
    return await within(signal, toolset.check(signal));
  } catch (error) {
    const detail = signal.aborted
      ? 'no answer in time'
      : error instanceof SourceFailure
        ? error.message
        : 'the check itself failed';
    return { ok: false, detail, remedy: 'check that it is reachable from this machine, and its own log' };
  }
};

const LOOKBACK_MS_DEFAULT = 24 * 3_600_000;

export const environmentOf = (
  name: string,
  toolsets: readonly Toolset[],
  { lookbackMs = LOOKBACK_MS_DEFAULT, nowMs }: { lookbackMs?: number; nowMs?: () => number } = {},
): Environment => {
  const parts = toolsets.flatMap(({ incident }) => (incident ? [incident] : []));
  const served = servedMethods(parts);
  const incidentTools = servedTools(served);
  return {
    name,
    incident: served.size === 0 ? null : compositeSource(name, parts, { lookbackMs, nowMs }),
    tools: async (signal) => {
      const silent: string[] = [];
      const own = await Promise.all(
        toolsets.map((toolset) =>
          within(signal, toolset.tools(signal)).catch((error: unknown) => {
            if (!(error instanceof SourceFailure || signal.aborted)) throw error;
            silent.push(toolset.name);
            return [];
          }),
        ),
      );
      return { tools: [...incidentTools, ...own.flat()], silent };
    },
    check: (signal) =>
      Promise.all(
        toolsets.map(async (toolset) => ({ name: toolset.name, check: await checked(toolset, signal) })),
      ),
    close: async () => {
      await Promise.allSettled(toolsets.map((toolset) => toolset.close()));
    },
  };
};

/** The configured sources by name. A request can only pick a name; whatever else it writes is an unknown source. */
export type Environments = {
  find(name: string): Environment | undefined;
  readonly names: readonly string[];
  close(): Promise<void>;
};

export const environmentsOf = (all: readonly Environment[]): Environments => {
  const byName = new Map(all.map((each) => [each.name, each]));
  return {
    find: (name) => byName.get(name),
    names: [...byName.keys()],
    close: async () => {
      await Promise.all(all.map((each) => each.close()));
    },
  };
};
