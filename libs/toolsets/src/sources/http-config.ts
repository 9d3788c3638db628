import { z } from 'zod';
import type { HttpEndpoint } from '../http-json';
import { SecretRef, SecretMissing, readSecret } from './secret';
import { SourceFailure } from '../incident-source';

/** Members that every HTTP connection has: where it is and as whom it is asked. */
export const HTTP_CONFIG = {
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
    .refine((url) => !/\/\/[^/]*@/.test(url), { error: 'must hold no user and password: use basicAuth' }),
  bearerToken: SecretRef.optional(),
  basicAuth: z.strictObject({ user: z.string().min(1).max(256), password: SecretRef }).optional(),
  /** Beside authorization, e.g. `X-Scope-OrgID` of a tenant. No secrets: their values stand in the configuration. */
  headers: z
    .record(
      z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
      z
        .string()
        .max(1_024)
        .regex(/^[\x20-\x7e]*$/),
    )
    .optional(),
  timeoutMs: z.number().int().min(100).max(18_000).default(15_000),
};
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
      return { ...config.headers, ...authorizationOf(config, env) };
    } catch (error) {
      if (error instanceof SecretMissing) throw new SourceFailure('ACCESS_DENIED', error.message);
      throw error;
    }
  },
});

const authorizationOf = (
  { bearerToken, basicAuth }: HttpConfig,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> => {
  if (bearerToken) return { authorization: `Bearer ${readSecret(bearerToken, env)}` };
  if (!basicAuth) return {};
  const pair = `${basicAuth.user}:${readSecret(basicAuth.password, env)}`;
  return { authorization: `Basic ${Buffer.from(pair, 'utf8').toString('base64')}` };
};
