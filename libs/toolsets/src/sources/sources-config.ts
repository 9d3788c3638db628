import { Token } from '@inquest/contracts/ids';
import { z } from 'zod';
import { AlertmanagerConfig } from '../alertmanager/config';
import { KubernetesConfig } from '../kubernetes/config';
import { LokiConfig } from '../loki/config';
import { McpConfigs } from '../mcp/config';
import { PostgresConfigs } from '../postgres/config';
import { PrometheusConfig } from '../prometheus/config';

/** A recorded incident or cluster: its folder, relative to the configuration file. */
export const RecordedConfig = z.strictObject({ dir: z.string().min(1).max(4_096) });

/**
 * One named source: the connections that serve it. Each kind has its schema in its toolset's folder; nothing but schemas
 * is imported here, so that reading a configuration loads no client.
 */
export const SourceConfig = z
  .strictObject({
    /** How many hours back a live source is asked where a question names no window. */
    lookbackHours: z
      .number()
      .positive()
      .max(24 * 31)
      .default(24),
    incident: RecordedConfig.optional(),
    alertmanager: AlertmanagerConfig.optional(),
    prometheus: PrometheusConfig.optional(),
    postgres: PostgresConfigs.optional(),
    mcp: McpConfigs.optional(),
    kubernetes: KubernetesConfig.optional(),
    loki: LokiConfig.optional(),
  })
  .refine(({ lookbackHours: _, ...connections }) => Object.values(connections).some(Boolean), {
    error: 'has no connection',
  });
export type SourceConfig = z.infer<typeof SourceConfig>;

/** The whole of `inquest.yaml`. */
export const SourcesConfig = z.strictObject({
  sources: z
    .record(Token, SourceConfig)
    .refine((sources) => Object.keys(sources).length <= 100, { error: 'has more than 100 sources' }),
});
export type SourcesConfig = z.infer<typeof SourcesConfig>;
