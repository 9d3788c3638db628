import { ACK_WAIT_MS } from '@inquest/event-log/log-settings';
import { z } from 'zod';

/** Variables that every service of the system reads. An app extends this schema in its own `config.ts`. */
export const serviceEnv = z.object({
  /** nats://user:password@host:port of this service's own user. */
  NATS_URL: z.string().regex(/^(nats|tls):\/\/.+/, 'must look like nats://user:password@host:4222'),
  /** Names this process among its equals; random when absent. */
  INSTANCE_ID: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, 'must be 1 to 64 of a-z, 0-9 and -')
    .optional(),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Port of the health endpoint on the loopback interface; 0 for none. */
  HEALTH_PORT: z.coerce.number().int().min(0).max(65_535).default(0),
  /** How many messages this process works on at once. */
  SLOTS: z.coerce.number().int().min(1).max(1_000).default(64),
  /** What the consumers were provisioned with: work is kept by heartbeats at a third of it. Shorter in tests only. */
  ACK_WAIT_MS: z.coerce.number().int().min(500).max(300_000).default(ACK_WAIT_MS),
});
export type ServiceEnv = z.infer<typeof serviceEnv>;

/** The environment does not fit; `lines` has one line per variable and never a value. */
export class BadEnvironment extends Error {
  constructor(readonly lines: string[]) {
    super(lines.join('\n'));
    this.name = 'BadEnvironment';
  }
}

type Environment = Record<string, string | undefined>;

/** Validates an environment; an empty variable counts as absent. Throws {@link BadEnvironment}. */
export const parseConfig = <Schema extends z.ZodType>(schema: Schema, env: Environment): z.infer<Schema> => {
  const present = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  throw new BadEnvironment(
    parsed.error.issues.map(({ path, message }) => {
      const name = path.join('.') || 'environment';
      return `${name}: ${name in present ? message : 'is required'}`;
    }),
  );
};

/** {@link parseConfig} for the start of a process: what is wrong goes to stderr, one line each, and the exit code is 2. */
export const readConfig = <Schema extends z.ZodType>(schema: Schema, env: Environment): z.infer<Schema> => {
  try {
    return parseConfig(schema, env);
  } catch (error) {
    if (!(error instanceof BadEnvironment)) throw error;
    for (const line of error.lines) process.stderr.write(`config: ${line}\n`);
    process.exit(2);
  }
};
