import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunLimits } from '@inquest/contracts/run-limits';
import { readStackConfig } from '@inquest/local-stack/config';
import { startStack, type Stack, type StackOptions } from '@inquest/local-stack/stack';
import {
  startScriptedModel,
  type ScriptedModel,
  type ScriptedRequest,
} from '@inquest/testing/scripted-model';
import { scriptedRun, type ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { Api } from './api';
import { assertBuilt } from './built';
import { RunLog } from './run-log';
import { scriptByQuestion } from './scripts';

export type TheStack = {
  stack: Stack;
  /** A folder of this stack's test for whatever it has to write. */
  scratch: string;
  api: Api;
  /** As another holder of a token. */
  apiAs: (holder: string) => Api;
  log: RunLog;
  model: ScriptedModel;
  /** What the model does from now on. */
  play: (knobs?: ScriptedRunKnobs) => void;
  /** The same by question, so that runs that go different ways can be under way side by side. */
  playEach: (byQuestion: Record<string, ScriptedRunKnobs>) => void;
  /** Requests of one run that reached the model, in order. */
  requestsOf: (runId: string) => ScriptedRequest[];
  stop: () => Promise<void>;
};

export type TheStackOptions = Pick<
  StackOptions,
  'instances' | 'tokens' | 'cutOver' | 'services' | 'publishers' | 'ackWaitMs'
> & {
  /** Of the environment, as a person would set it. */
  env?: Record<string, string>;
  limits?: Partial<RunLimits>;
  /** How long a model call that is not renewed counts as held. */
  leaseMs?: number;
  /** Writes the test's own incident folders and returns them by name. */
  incidents?: (scratch: string) => Record<string, string>;
  /** What the model does while the stack starts: the judge's canaries come to it then. */
  model?: ScriptedRunKnobs;
  /** True: the offline analyst answers in place of the scripted model. */
  offline?: boolean;
};

const MODELS = {
  MODEL_ROUTER: 'scripted-router',
  MODEL_AGENT: 'scripted-author',
  MODEL_JUDGE: 'scripted-judge',
};

/** Everything as in production: built services as processes, NATS with its users, Postgres, HTTP; only the model is a script. */
export const startTheStack = async (options: TheStackOptions = {}): Promise<TheStack> => {
  assertBuilt();
  const scratch = mkdtempSync(join(tmpdir(), 'inquest-e2e-'));
  // As root, Postgres runs as another user, who has to pass through.
  chmodSync(scratch, 0o755);
  const model = await startScriptedModel(scriptedRun(options.model));
  const { env = {}, limits = {}, offline = false, leaseMs } = options;
  const lease: Record<string, string> = leaseMs === undefined ? {} : { LEASE_MS: String(leaseMs) };
  const config = readStackConfig({
    PATH: process.env['PATH'],
    LOG_LEVEL: 'warn',
    ...(offline ? {} : { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'scripted', ...MODELS }),
    ...env,
  });
  const dataDir = join(scratch, 'data');
  const stack = await startStack({
    config,
    dataDir,
    services: options.services,
    instances: options.instances,
    tokens: options.tokens,
    publishers: options.publishers,
    cutOver: options.cutOver,
    incidents: options.incidents?.(scratch),
    ackWaitMs: options.ackWaitMs,
    env: {
      'harness-orchestrator': { RUN_LIMITS: JSON.stringify(limits) },
      'agent-runner': lease,
      'semantic-guard': lease,
    },
  }).catch(async (error: unknown) => {
    await model.close();
    rmSync(scratch, { recursive: true, force: true });
    throw error;
  });
  const log = await RunLog.open(stack.natsUrl);
  const apiAs = (holder: string): Api => new Api(stack.gatewayUrl, stack.tokens[holder] ?? '');
  return {
    stack,
    scratch,
    api: apiAs('local-operator'),
    apiAs,
    log,
    model,
    play: (knobs) => model.play(scriptedRun(knobs)),
    playEach: (byQuestion) => model.play(scriptByQuestion(byQuestion)),
    requestsOf: (runId) => model.requests.filter(({ key }) => key.startsWith(`${runId}/`)),
    stop: async () => {
      await log.close();
      await stack.stop();
      await model.close();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
};
