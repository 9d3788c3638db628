import { z } from 'zod';
import { UsageError } from './usage-error';

const Environment = z.object({
  INQUEST_URL: z.url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' }).optional(),
  INQUEST_TOKEN: z.string().min(1).optional(),
  INQUEST_SIGNING_KEY: z.string().min(1).optional(),
  INQUEST_VERIFY_KEY: z.string().min(1).optional(),
  NO_COLOR: z.string().optional(),
  FORCE_COLOR: z.string().optional(),
  TERM: z.string().optional(),
});

export type CliConfig = {
  /** A gateway that runs elsewhere; absent: the embedded stack. */
  url?: string;
  token?: string;
  /** File of the Ed25519 key that bundles are signed with. */
  signingKey?: string;
  /** File of the key that has to have signed a bundle. */
  verifyKey?: string;
  colour: (isTerminal: boolean) => boolean;
};

/** Colour on a terminal only; NO_COLOR (any value, see no-color.org) turns it off, FORCE_COLOR turns it on. */
const colourRule =
  ({ NO_COLOR, FORCE_COLOR, TERM }: z.infer<typeof Environment>) =>
  (isTerminal: boolean): boolean => {
    if (NO_COLOR) return false;
    if (FORCE_COLOR && FORCE_COLOR !== '0') return true;
    return isTerminal && TERM !== 'dumb';
  };

export const readCliConfig = (env: Readonly<Record<string, string | undefined>>): CliConfig => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) {
    throw new UsageError(
      parsed.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('; '),
    );
  }
  const { INQUEST_URL, INQUEST_TOKEN, INQUEST_SIGNING_KEY, INQUEST_VERIFY_KEY } = parsed.data;
  return {
    url: INQUEST_URL,
    token: INQUEST_TOKEN,
    signingKey: INQUEST_SIGNING_KEY,
    verifyKey: INQUEST_VERIFY_KEY,
    colour: colourRule(parsed.data),
  };
};

export const cliConfig = (): CliConfig => readCliConfig(process.env);
