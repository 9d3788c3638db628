import { z } from 'zod';

const Environment = z.object({
  /** 0: any free port; the one that was taken is in the ready message. */
  PORT: z.coerce.number().int().min(0).max(65_535).default(4010),
  HOST: z.string().min(1).default('127.0.0.1'),
});

export type Config = { port: number; host: string };

/** @throws Error with one line per wrong variable */
export const readConfig = (environment: Record<string, string | undefined>): Config => {
  const parsed = Environment.safeParse(environment);
  if (!parsed.success) {
    throw new Error(
      parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'),
    );
  }
  return { port: parsed.data.PORT, host: parsed.data.HOST };
};

/** The configuration of this process; a wrong one ends it with exit code 2. */
export const configOfThisProcess = (): Config => {
  try {
    return readConfig(process.env);
  } catch (error) {
    process.stderr.write(`offline-analyst: ${(error as Error).message}\n`);
    process.exit(2);
  }
};
