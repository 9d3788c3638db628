import { z } from 'zod';
import type { HttpEndpoint } from '../http-json';
import { SecretRef, SecretMissing, readSecret } from './secret';
import { SourceFailure } from '../incident-source';

/** Headers whose values are secrets, by their usual names. */
const CREDENTIAL = /auth|token|secret|passw|credential|cookie|api-?key/i;

/** Members that every HTTP connection has: where it is and as whom it is asked. */
export const HTTP_CONFIG = {
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .refine((url) => !/\/\/[^/]*@/.test(url), { error: 'must hold no user and password: use basicAuth' })
    .refine((url) => !/[?#]/.test(url), { error: 'must end with its path: paths are put behind it' }),
  bearerToken: SecretRef.optional(),
  basicAuth: z.strictObject({ user: z.string().min(1).max(256), password: SecretRef }).optional(),
  /** Beside authorization, e.g. `X-Scope-OrgID` of a tenant. A secret is named here and stands elsewhere, as every other. */
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
      z.union(
        [
          z
            .string()
            .max(1_024)
            .regex(/^[\x20-\x7e]*$/),
          SecretRef,
        ],
        { error: 'must be a text of one line, or {env: NAME} or {file: PATH}' },
      ),
    )
    .superRefine((headers, context) => {
      for (const [name, value] of Object.entries(headers))
        if (typeof value === 'string' && CREDENTIAL.test(name))
          context.addIssue({
            code: 'custom',
            path: [name],
            message: 'must be {env: NAME} or {file: PATH}; a secret is not written here',
          });
    })
    .optional(),
  timeoutMs: z.number().int().min(100).max(18_000).default(15_000),
};

/** Two ways to say who asks would leave open which one holds. */
export const oneAuthorization = (config: { bearerToken?: unknown; basicAuth?: unknown }): boolean =>
  config.bearerToken === undefined || config.basicAuth === undefined;
export const ONE_AUTHORIZATION = { error: 'has both bearerToken and basicAuth: one of them' };

type HttpConfig = z.infer<z.ZodObject<typeof HTTP_CONFIG>>;

/** The endpoint that a section of the configuration means. A secret that is missing fails the request, not the start. */
export const endpointOf = (
  config: HttpConfig,
  env: Readonly<Record<string, string | undefined>>,
  bytesMax?: number,
): HttpEndpoint => ({
  url: config.url,
  timeoutMs: config.timeoutMs,
  bytesMax,
  headers: () => {
    try {
      return { ...headersOf(config, env), ...authorizationOf(config, env) };
    } catch (error) {
      if (error instanceof SecretMissing) throw new SourceFailure('ACCESS_DENIED', error.message);
      throw error;
    }
  },
});

type Env = Readonly<Record<string, string | undefined>>;

/** What fetch says of a value that no header can carry holds the value. */
const headerSecret = (ref: SecretRef, env: Env): string => {
  const secret = readSecret(ref, env);
  if (/^[\x20-\x7e]+$/.test(secret)) return secret;
  throw new SourceFailure('ACCESS_DENIED', 'a secret has characters that no header can carry');
};

const headersOf = ({ headers = {} }: HttpConfig, env: Env): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : headerSecret(value, env),
    ]),
  );

const authorizationOf = ({ bearerToken, basicAuth }: HttpConfig, env: Env): Record<string, string> => {
  if (bearerToken) return { authorization: `Bearer ${headerSecret(bearerToken, env)}` };
  if (!basicAuth) return {};
  const pair = `${basicAuth.user}:${readSecret(basicAuth.password, env)}`;
  return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
};
