import { z } from 'zod';
import { MAX_EARLY_REVIEWS_DEFAULT, type InvestigationPolicy } from '@inquest/contracts/case-parts';
import { RunLimits } from '@inquest/contracts/run-limits';
import { INVESTIGATION_POLICY } from './case/case.policy';
import { parseConfig, readConfig, serviceEnv } from '@inquest/service-shell/config';
import { ATTEMPT_CEILINGS, RUN_LIMITS, WALL_CLOCK_CEILING_MS } from './run/run.limits';

/** Limits as an operator may set them: each at most its ceiling (H9); `{}` keeps the defaults. */
const limits = RunLimits.partial().superRefine((wanted, context) => {
  const ceilings = { ...ATTEMPT_CEILINGS, wallClockMs: WALL_CLOCK_CEILING_MS };
  for (const [name, ceiling] of Object.entries(ceilings) as [keyof typeof ceilings, number][]) {
    const value = wanted[name];
    if (value === undefined || value <= ceiling) continue;
    context.addIssue({ code: 'custom', path: [name], message: `may be at most ${ceiling}` });
  }
});

const json = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'must be a JSON object such as {"modelCallsMax":12}' });
    return z.NEVER;
  }
});

export const orchestratorEnv = serviceEnv.extend({
  /** Read-only role; without it no run has a previous turn, and that is recorded as UNKNOWN. */
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must look like postgres://user@host:5432/db')
    .optional(),
  TOOL_CALL_IDS: z.enum(['strict', 'mint']).default('strict'),
  RUN_LIMITS: json.pipe(limits).default({}),
  /** How often a case may ask for an early diagnosis; frozen with each case's policy (E12). */
  INVESTIGATION_MAX_EARLY_REVIEWS: z.coerce.number().int().min(0).max(10).default(MAX_EARLY_REVIEWS_DEFAULT),
});
export type OrchestratorConfig = z.infer<typeof orchestratorEnv>;

export const configFrom = (env: Record<string, string | undefined>): OrchestratorConfig =>
  parseConfig(orchestratorEnv, env);

export const readOrchestratorConfig = (): OrchestratorConfig => readConfig(orchestratorEnv, process.env);

export const limitsOf = (config: OrchestratorConfig): RunLimits => ({ ...RUN_LIMITS, ...config.RUN_LIMITS });

export const policyOf = (config: OrchestratorConfig): InvestigationPolicy => ({
  ...INVESTIGATION_POLICY,
  maxEarlyReviews: config.INVESTIGATION_MAX_EARLY_REVIEWS,
});
