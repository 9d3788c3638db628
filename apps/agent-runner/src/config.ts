import { z } from 'zod';
import { LEASE_TIMING } from '@inquest/model-client/lease-timing';
import { readConfig, serviceEnv } from '@inquest/service-shell/config';
import { parseIncidentSources } from '@inquest/toolsets/incident-sources';
import { readSourcesFile } from '@inquest/toolsets/sources/read-sources-file';

const url = z.url({
  protocol: /^https?$/,
  error: 'must be an http(s) URL such as https://api.openai.com/v1',
});

const sources = z
  .string()
  .max(16_384)
  .superRefine((text, context) => {
    try {
      parseIncidentSources(text);
    } catch (error) {
      context.addIssue({
        code: 'custom',
        message: error instanceof Error ? error.message : 'must be name=dir[,name=dir]',
      });
    }
  });

/** Read here as well, so that a file that does not hold refuses the start before anything is connected. */
const sourcesFile = z
  .string()
  .min(1)
  .max(4_096)
  .superRefine((path, context) => {
    try {
      readSourcesFile(path);
    } catch (error) {
      context.addIssue({
        code: 'custom',
        message: error instanceof Error ? error.message : 'cannot be read',
      });
    }
  });

export const agentRunnerEnv = serviceEnv.extend({
  /** How long a model call that is not renewed counts as held; the same for all processes. */
  LEASE_MS: z.coerce.number().int().min(500).max(300_000).default(LEASE_TIMING.leaseMs),
  /** Base URL of an OpenAI-compatible endpoint, with its `/v1`. */
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: z.string().min(1),
  MODEL_ROUTER: z.string().min(1).max(200),
  MODEL_AGENT: z.string().min(1).max(200),
  /** Ask for server-sent events. */
  MODEL_STREAM: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  /** Sent when set; some models take none but their own. */
  MODEL_TEMPERATURE: z.coerce.number().min(0).max(2).optional(),
  /** `name=dir[,name=dir]`: the incident folders that a request can name. */
  INCIDENT_SOURCES: sources.default(''),
  /** The configuration of live sources, see docs/sources. */
  INQUEST_CONFIG: sourcesFile.optional(),
});
export type AgentRunnerConfig = z.infer<typeof agentRunnerEnv>;

export const readAgentRunnerConfig = (): AgentRunnerConfig => readConfig(agentRunnerEnv, process.env);

/** Where the configuration of sources takes its secrets from: it names the variables, so that no schema can list them here. */
export const sourceSecrets = (): Readonly<Record<string, string | undefined>> => process.env;
