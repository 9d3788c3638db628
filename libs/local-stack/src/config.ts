import {
  SourcesFileInvalid,
  readSourcesFile,
  variablesOf,
} from '@inquest/toolsets/sources/read-sources-file';
import { existsSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { z } from 'zod';
import { UnusableInput } from './stack-error';
import { PROJECT_ROOT } from './project-root';

const url = (...protocols: string[]) =>
  z.string().refine(
    (text) => {
      try {
        return protocols.includes(new URL(text).protocol);
      } catch {
        return false;
      }
    },
    `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  );
const port = z.coerce
  .number('must be a port number')
  .int()
  .min(1, 'must be a port number')
  .max(65_535, 'must be a port number');
const name = z.string().min(1, 'must not be empty').max(200);

/** Everything about the local stack that a person may set from outside; each name is documented in the README. */
const Environment = z.object({
  PATH: z.string().default('/usr/local/bin:/usr/bin:/bin'),
  INQUEST_DATA_DIR: z.string().min(1, 'must not be empty').optional(),
  GATEWAY_PORT: port.optional(),
  NATS_URL: url('nats:', 'tls:').optional(),
  NATS_SERVER_BIN: z.string().min(1, 'must not be empty').optional(),
  DATABASE_URL: url('postgres:', 'postgresql:').optional(),
  DATABASE_READER_URL: url('postgres:', 'postgresql:').optional(),
  OPENAI_BASE_URL: url('http:', 'https:').optional(),
  OPENAI_API_KEY: z.string().optional(),
  MODEL_ROUTER: name.optional(),
  MODEL_AGENT: name.optional(),
  MODEL_JUDGE: name.optional(),
  MODEL_EVALUATOR: name.optional(),
  JUDGE_BASE_URL: url('http:', 'https:').optional(),
  JUDGE_API_KEY: z.string().optional(),
  TOOL_CALL_IDS: z.enum(['strict', 'mint'], 'must be strict or mint').default('strict'),
  LEGACY_CHAT_URL: url('http:', 'https:').optional(),
  KNOWLEDGE_DIR: z.string().min(1, 'must not be empty').optional(),
  EMBEDDINGS_BASE_URL: url('http:', 'https:').optional(),
  EMBEDDINGS_MODEL: name.optional(),
  EMBEDDINGS_API_KEY: z.string().optional(),
  EMBEDDINGS_COSINE_MIN: z.coerce.number().min(-1).max(1).optional(),
  NODE_EXTRA_CA_CERTS: z.string().optional(),
  INQUEST_CONFIG: z.string().min(1, 'must not be empty').optional(),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'must be debug, info, warn or error').default('info'),
});

export type ModelEndpoint = {
  baseUrl: string;
  apiKey: string;
  router: string;
  agent: string;
  judge: string;
  /** Evaluates early diagnoses of cases; the judge where no other is named. */
  evaluator?: string;
  judgeBaseUrl?: string;
  judgeApiKey?: string;
};

export type StackConfig = {
  path: string;
  dataDir: string;
  gatewayPort?: number;
  natsUrl?: string;
  natsServerBin?: string;
  databaseUrl?: string;
  databaseReaderUrl?: string;
  /** Absent: the offline analyst answers in place of a model. */
  model?: ModelEndpoint;
  toolCallIds: 'strict' | 'mint';
  legacyChatUrl?: string;
  knowledgeDir?: string;
  /** Absent: knowledge is looked up by words alone. */
  embeddings?: { baseUrl: string; model: string; apiKey?: string; cosineMin?: number };
  logLevel: string;
  /** The configuration of live sources, where there is one. */
  sourcesFile?: { path: string; names: string[]; env: Record<string, string> };
  extraCaCerts?: string;
};

const OPENAI = 'https://api.openai.com/v1';

/**
 * A key alone configures nothing: many shells carry one, and an incident must not leave the machine because of it.
 * Naming an endpoint or a model is what chooses a real model.
 */
const modelFrom = (env: z.infer<typeof Environment>): ModelEndpoint | undefined => {
  const { OPENAI_BASE_URL, OPENAI_API_KEY, MODEL_AGENT } = env;
  if (OPENAI_BASE_URL === undefined && MODEL_AGENT === undefined) return undefined;
  if (MODEL_AGENT === undefined)
    throw new UnusableInput('MODEL_AGENT must name the model that OPENAI_BASE_URL serves');
  if (OPENAI_BASE_URL === undefined && !OPENAI_API_KEY) {
    throw new UnusableInput('MODEL_AGENT is set, so OPENAI_BASE_URL or OPENAI_API_KEY must be set as well');
  }
  return {
    baseUrl: OPENAI_BASE_URL ?? OPENAI,
    // Local endpoints want none; the client library wants one that is not empty.
    apiKey: OPENAI_API_KEY || 'none',
    agent: MODEL_AGENT,
    router: env.MODEL_ROUTER ?? MODEL_AGENT,
    judge: env.MODEL_JUDGE ?? MODEL_AGENT,
    evaluator: env.MODEL_EVALUATOR,
    judgeBaseUrl: env.JUDGE_BASE_URL,
    judgeApiKey: env.JUDGE_API_KEY,
  };
};

const embeddingsFrom = (env: z.infer<typeof Environment>): StackConfig['embeddings'] => {
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_MODEL: model } = env;
  if (baseUrl === undefined && model === undefined) return undefined;
  if (baseUrl === undefined || model === undefined)
    throw new UnusableInput('EMBEDDINGS_BASE_URL and EMBEDDINGS_MODEL must be set together');
  return { baseUrl, model, apiKey: env.EMBEDDINGS_API_KEY, cosineMin: env.EMBEDDINGS_COSINE_MIN };
};

const SOURCES_FILE = 'inquest.yaml';

/** Its own folder first, so that `inquest.yaml` beside a person's work is found from wherever the command runs. */
const sourcesFile = (
  named: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): StackConfig['sourcesFile'] => {
  const found = [env['INIT_CWD'], process.cwd(), PROJECT_ROOT]
    .flatMap((dir) => (dir === undefined ? [] : [resolve(dir, SOURCES_FILE)]))
    .find((path) => existsSync(path));
  const path = named === undefined ? found : absolute(named);
  if (path === undefined) return undefined;
  try {
    const config = readSourcesFile(path);
    const secrets = variablesOf(config).flatMap((variable) => {
      const value = env[variable];
      return value === undefined ? [] : [[variable, value] as const];
    });
    return { path, names: Object.keys(config.sources), env: Object.fromEntries(secrets) };
  } catch (error) {
    if (error instanceof SourcesFileInvalid) throw new UnusableInput(error.message);
    throw error;
  }
};

const absolute = (path: string): string => (isAbsolute(path) ? path : resolve(path));

/** Reads the environment; anything unusable is one {@link UnusableInput} that names the variable, never its value. */
export const readStackConfig = (env: Readonly<Record<string, string | undefined>>): StackConfig => {
  // An empty variable is how shells and compose files write "not set".
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    throw new UnusableInput(
      parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; '),
    );
  }
  const { data } = parsed;
  return {
    path: data.PATH,
    dataDir: absolute(data.INQUEST_DATA_DIR ?? `${PROJECT_ROOT}/.inquest`),
    gatewayPort: data.GATEWAY_PORT,
    natsUrl: data.NATS_URL,
    natsServerBin: data.NATS_SERVER_BIN,
    databaseUrl: data.DATABASE_URL,
    databaseReaderUrl: data.DATABASE_READER_URL,
    model: modelFrom(data),
    toolCallIds: data.TOOL_CALL_IDS,
    legacyChatUrl: data.LEGACY_CHAT_URL,
    knowledgeDir: data.KNOWLEDGE_DIR === undefined ? undefined : absolute(data.KNOWLEDGE_DIR),
    embeddings: embeddingsFrom(data),
    logLevel: data.LOG_LEVEL,
    extraCaCerts: data.NODE_EXTRA_CA_CERTS,
    sourcesFile: sourcesFile(data.INQUEST_CONFIG, given),
  };
};

/** The environment of this process, read here and nowhere else. */
export const stackConfig = (): StackConfig => readStackConfig(process.env);
