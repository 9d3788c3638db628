import { z } from 'zod';
import { parseConfig, readConfig, serviceEnv } from '@inquest/service-shell/config';

export const projectorEnv = serviceEnv.extend({
  /** The owner of the read model; nobody else writes it. */
  DATABASE_URL: z.string().regex(/^postgres(ql)?:\/\//, 'must look like postgres://user@host:5432/db'),
  /** Messages of one transaction at most. */
  BATCH_MAX: z.coerce.number().int().min(1).max(5_000).default(500),
});
export type ProjectorConfig = z.infer<typeof projectorEnv>;

export const configFrom = (env: Record<string, string | undefined>): ProjectorConfig =>
  parseConfig(projectorEnv, env);

export const readProjectorConfig = (): ProjectorConfig => readConfig(projectorEnv, process.env);
