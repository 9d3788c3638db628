import { join } from 'node:path';
import type { StackConfig } from './config';
import { knowledgeListFile } from './knowledge-list';

/** Every process of the system that is built here, in the order in which people read about them. */
export const SERVICES = [
  'chat-gateway',
  'harness-orchestrator',
  'agent-runner',
  'evidence-guard',
  'semantic-guard',
  'knowledge-rag',
  'run-projector',
] as const;
export type ServiceName = (typeof SERVICES)[number];

/** Stands in for a model where none is configured. */
export const ANALYST = 'offline-analyst';
export type ProgramName = ServiceName | typeof ANALYST;

/** What the started parts offer to the services. */
export type Surroundings = {
  config: StackConfig;
  natsUrlFor: (user: ServiceName) => string;
  databaseUrl: string;
  databaseReaderUrl: string;
  gatewayPort: number;
  analystPort: number;
  tokensFile: string;
  /** Platform gateways on the bus: publisher name to its tenants. */
  publishers: Readonly<Record<string, readonly string[]>>;
  /** Name to folder. */
  sources: Readonly<Record<string, string>>;
};

type Env = Record<string, string>;

const withoutGaps = (env: Record<string, string | undefined>): Env =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** The offline analyst names its roles as what they are: rules. */
const OFFLINE = { router: 'rules-router', agent: 'rules-diagnosis', judge: 'rules-judge', apiKey: 'offline' };

const modelOf = ({ config, analystPort }: Surroundings) =>
  config.model ?? {
    ...OFFLINE,
    baseUrl: `http://127.0.0.1:${analystPort}/v1`,
    judgeBaseUrl: undefined,
    judgeApiKey: undefined,
  };

export const authorOf = (config: StackConfig): string => config.model?.agent ?? OFFLINE.agent;

const sourceList = (sources: Readonly<Record<string, string>>): string =>
  Object.entries(sources)
    .map(([name, dir]) => `${name}=${dir}`)
    .join(',');

/** Everything that a request can name: folders, and the sources of a configuration. */
export const sourceNames = ({ config, sources }: Pick<Surroundings, 'config' | 'sources'>): string[] => [
  ...new Set([...Object.keys(sources), ...(config.sourcesFile?.names ?? [])]),
];

const agentEnv = (around: Surroundings): Record<string, string | undefined> => {
  const model = modelOf(around);
  return {
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: model.apiKey,
    MODEL_ROUTER: model.router,
    MODEL_AGENT: model.agent,
    TOOL_CALL_IDS: around.config.toolCallIds,
    INCIDENT_SOURCES: sourceList(around.sources),
    INQUEST_CONFIG: around.config.sourcesFile?.path,
    ...around.config.sourcesFile?.env,
    NODE_EXTRA_CA_CERTS: around.config.extraCaCerts,
  };
};

const judgeEnv = (around: Surroundings): Record<string, string | undefined> => {
  const model = modelOf(around);
  return {
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: model.apiKey,
    MODEL_JUDGE: model.judge,
    MODEL_EVALUATOR: model.evaluator,
    MODEL_AGENT: model.agent,
    JUDGE_BASE_URL: model.judgeBaseUrl,
    JUDGE_API_KEY: model.judgeApiKey,
    NODE_EXTRA_CA_CERTS: around.config.extraCaCerts,
  };
};

const knowledgeEnv = (config: StackConfig): Record<string, string | undefined> => ({
  KNOWLEDGE_DIR: config.knowledgeDir,
  KNOWLEDGE_LIST: knowledgeListFile(config.dataDir),
  EMBEDDINGS_BASE_URL: config.embeddings?.baseUrl,
  EMBEDDINGS_MODEL: config.embeddings?.model,
  EMBEDDINGS_API_KEY: config.embeddings?.apiKey,
  EMBEDDINGS_COSINE_MIN: config.embeddings?.cosineMin?.toString(),
  EMBEDDINGS_CACHE_DIR: join(config.dataDir, 'vectors'),
});

const ownEnv = (name: ProgramName, around: Surroundings): Record<string, string | undefined> => {
  switch (name) {
    case 'chat-gateway':
      return {
        DATABASE_URL: around.databaseReaderUrl,
        GATEWAY_PORT: String(around.gatewayPort),
        GATEWAY_TOKENS_FILE: around.tokensFile,
        INCIDENT_SOURCES: sourceNames(around).join(','),
        PUBLISHERS: JSON.stringify(
          Object.entries(around.publishers).map(([publisher, tenants]) => ({ publisher, tenants })),
        ),
        LEGACY_CHAT_URL: around.config.legacyChatUrl,
      };
    case 'harness-orchestrator':
      return { DATABASE_URL: around.databaseReaderUrl, TOOL_CALL_IDS: around.config.toolCallIds };
    case 'agent-runner':
      return agentEnv(around);
    case 'semantic-guard':
      return judgeEnv(around);
    case 'knowledge-rag':
      return knowledgeEnv(around.config);
    case 'run-projector':
      return { DATABASE_URL: around.databaseUrl };
    case 'offline-analyst':
      return { PORT: String(around.analystPort) };
    case 'evidence-guard':
      return {};
  }
};

/**
 * The whole environment of one service: its own broker user, and of everything else only what it works with. No
 * service inherits the shell's environment, so that a key lying there reaches none of them.
 */
export const serviceEnv = (name: ProgramName, around: Surroundings): Env =>
  withoutGaps({
    NODE_ENV: 'production',
    // Node 22 and later keep compiled code there; earlier ones take no notice.
    NODE_COMPILE_CACHE: `${around.config.dataDir}/compile-cache`,
    LOG_LEVEL: around.config.logLevel,
    ...(name === ANALYST ? {} : { NATS_URL: around.natsUrlFor(name) }),
    ...ownEnv(name, around),
  });
