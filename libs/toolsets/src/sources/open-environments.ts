import { openAlertmanager } from '../alertmanager/alertmanager-toolset';
import { parseIncidentSources } from '../incident-sources';
import { openKubernetes } from '../kubernetes/kubernetes-toolset';
import { openLoki } from '../loki/loki-toolset';
import { openMcp } from '../mcp/mcp-toolset';
import { openPostgres } from '../postgres/postgres-toolset';
import { openPrometheus } from '../prometheus/prometheus-toolset';
import { environmentOf, environmentsOf, type Environment, type Environments } from './environment';
import { readSourcesFile } from './read-sources-file';
import { recordedToolset } from './recorded-toolset';
import type { SourceConfig } from './sources-config';
import type { Toolset } from './toolset';

const HOUR_MS = 3_600_000;

type Env = Readonly<Record<string, string | undefined>>;

/**
 * One line for each kind of connection: its section opens its toolset. Where two can answer the same question, the first
 * does: Alertmanager knows what is silenced, a Prometheus does not.
 */
const toolsetsOf = (source: string, config: SourceConfig, env: Env): Toolset[] => {
  const around = (instance: string) => ({
    source,
    instance,
    env,
    lookbackMs: config.lookbackHours * HOUR_MS,
  });
  const toolsets: Toolset[] = [];
  if (config.incident) toolsets.push(recordedToolset(source, config.incident.dir));
  if (config.alertmanager) toolsets.push(openAlertmanager(config.alertmanager, around('alertmanager')));
  if (config.prometheus) toolsets.push(openPrometheus(config.prometheus, around('prometheus')));
  if (config.kubernetes) toolsets.push(openKubernetes(config.kubernetes, around('kubernetes')));
  if (config.loki) toolsets.push(openLoki(config.loki, around('loki')));
  if (config.postgres) toolsets.push(...openPostgres(config.postgres, around('postgres')));
  for (const [name, server] of Object.entries(config.mcp ?? {})) toolsets.push(openMcp(server, around(name)));
  return toolsets;
};

const environmentFrom = (name: string, config: SourceConfig, env: Env): Environment =>
  environmentOf(name, toolsetsOf(name, config, env), { lookbackMs: config.lookbackHours * HOUR_MS });

/**
 * All sources of a process: folders named in INCIDENT_SOURCES (`name=dir[,name=dir]`) and those of a configuration file.
 * Nothing is connected yet. Throws IncidentSourcesInvalid and SourcesFileInvalid.
 */
export const openEnvironments = (options: {
  folders: string;
  file: string | undefined;
  env: Env;
}): Environments => {
  const folders = parseIncidentSources(options.folders).map(({ name, dir }) =>
    environmentOf(name, [recordedToolset(name, dir)]),
  );
  const configured = options.file === undefined ? {} : readSourcesFile(options.file).sources;
  const live = Object.entries(configured).map(([name, config]) => environmentFrom(name, config, options.env));
  return environmentsOf([...folders, ...live]);
};
