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
          toolset.tools(signal).catch((error: unknown) => {
            if (!(error instanceof SourceFailure)) throw error;
            silent.push(toolset.name);
            return [];
          }),
        ),
      );
      return { tools: [...incidentTools, ...own.flat()], silent };
    },
    check: (signal) =>
      Promise.all(
        toolsets.map(async (toolset) => ({ name: toolset.name, check: await toolset.check(signal) })),
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
