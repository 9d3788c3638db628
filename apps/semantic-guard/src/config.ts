import { z } from 'zod';
import { LEASE_TIMING } from '@inquest/model-client/lease-timing';
import { readConfig, serviceEnv } from '@inquest/service-shell/config';

const url = z.url({
  protocol: /^https?$/,
  error: 'must be an http(s) URL such as https://api.openai.com/v1',
});

export const semanticGuardEnv = serviceEnv.extend({
  /** How long a model call that is not renewed counts as held; the same for all processes. */
  LEASE_MS: z.coerce.number().int().min(500).max(300_000).default(LEASE_TIMING.leaseMs),
  /** The author's endpoint, which also judges where no other is given. */
  OPENAI_BASE_URL: url,
  OPENAI_API_KEY: z.string().min(1),
  /** Better another model than the author's, and better another provider. */
  MODEL_JUDGE: z.string().min(1).max(200),
  /** Evaluates early diagnoses of cases, at the judge's endpoint; the judge's model where no other is given. */
  MODEL_EVALUATOR: z.string().min(1).max(200).optional(),
  JUDGE_BASE_URL: url.optional(),
  JUDGE_API_KEY: z.string().min(1).optional(),
  /**
   * What the judge's model takes in; a snapshot over it is refused before the call, never cut. The default takes any run
   * that keeps to the default limits, whatever its tools return; a smaller one needs smaller limits.
   */
  JUDGE_CONTEXT_BYTES: z.coerce
    .number()
    .int()
    .min(16_384)
    .max(64 * 1024 * 1024)
    .default(4 * 1024 * 1024),
});
export type SemanticGuardConfig = z.infer<typeof semanticGuardEnv>;

export const readSemanticGuardConfig = (): SemanticGuardConfig => readConfig(semanticGuardEnv, process.env);

/** A key is for the endpoint that it was given with: the author's never goes to a judge elsewhere. */
export const judgeEndpointOf = (config: SemanticGuardConfig): { baseUrl: string; apiKey: string } => ({
  baseUrl: config.JUDGE_BASE_URL ?? config.OPENAI_BASE_URL,
  apiKey: config.JUDGE_API_KEY ?? (config.JUDGE_BASE_URL === undefined ? config.OPENAI_API_KEY : 'none'),
});
