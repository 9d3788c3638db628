import { readFileSync } from 'node:fs';
import { z } from 'zod';

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;
const SECRET_CHARS_MAX = 16_384;

/** Where a secret stands. It is never written into the configuration itself, which people copy and commit. */
export const SecretRef = z.union(
  [
    z.strictObject({ env: z.string().regex(VARIABLE, 'must be the name of an environment variable') }),
    z.strictObject({ file: z.string().min(1).max(4_096) }),
  ],
  { error: 'must be {env: NAME} or {file: PATH}; a secret is not written here' },
);
export type SecretRef = z.infer<typeof SecretRef>;

/** A secret that a configuration names and that is not there. Names the place, never a value. */
export class SecretMissing extends Error {
  constructor(where: string) {
    super(`${where} holds no secret`);
    this.name = 'SecretMissing';
  }
}

/** Reads a secret anew each time, since mounted ones are renewed in place. Throws {@link SecretMissing}. */
export const readSecret = (ref: SecretRef, env: Readonly<Record<string, string | undefined>>): string => {
  const [where, text] =
    'env' in ref ? [`the variable ${ref.env}`, env[ref.env]] : [`the file ${ref.file}`, contentOf(ref.file)];
  const secret = text?.trim();
  if (!secret || secret.length > SECRET_CHARS_MAX) throw new SecretMissing(where);
  return secret;
};

const contentOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};
