import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Token } from '@inquest/contracts/ids';
import { readConfig, serviceEnv } from '@inquest/service-shell/config';
import { z } from 'zod';
import { Scope } from './http/scopes';

const port = z.coerce.number('must be a port number').int().min(0).max(65_535);
const url = (...protocols: string[]) =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL (${protocols.join(', ')})`,
    );

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context): unknown => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** Who may use the gateway. `token` is the secret itself; 16 characters are the least that is worth guarding. */
export const TokenGrant = z.strictObject({
  token: z.string().min(16, 'a token needs 16 characters at least').max(512),
  tenant: Token,
  subject: z.string().regex(/^[\w.@:/-]{1,128}$/, 'a subject has 1 to 128 of A-Z, a-z, 0-9 and _.@:/-'),
  scopes: z.array(Scope).min(1),
});
export type TokenGrant = z.infer<typeof TokenGrant>;
const TokenGrants = z
  .array(TokenGrant)
  .min(1)
  .max(1_000)
  .refine(
    (grants) => new Set(grants.map(({ token }) => token)).size === grants.length,
    'holds a token twice',
  );

/** A platform gateway on the bus and the tenants that it may ask for. */
export const PublisherGrant = z.strictObject({ publisher: Token, tenants: z.array(Token).min(1) });
export type PublisherGrant = z.infer<typeof PublisherGrant>;

const fileText = z.string().transform((path, context) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    context.addIssue({ code: 'custom', message: 'names a file that cannot be read' });
    return z.NEVER;
  }
});

const sourceNames = z.string().transform(
  (text): ReadonlySet<string> =>
    new Set(
      text
        .split(',')
        .map((part) => part.split('=')[0]?.trim() ?? '')
        .filter(Boolean),
    ),
);

/** Every gateway of an installation has the same tokens, and so derives the same secret where none is set. */
const derivedSecret = (grants: readonly TokenGrant[]): string =>
  createHash('sha256')
    .update(JSON.stringify(['stream-secret', ...grants.map(({ token }) => token)]))
    .digest('hex');

export const gatewayEnv = serviceEnv
  .extend({
    /** Of the read-only role. Absent: lists are unavailable, single runs are read from the log. */
    DATABASE_URL: url('postgres:', 'postgresql:').optional(),
    /** Loopback unless somebody says otherwise. */
    HOST: z.string().min(1).default('127.0.0.1'),
    GATEWAY_PORT: port.optional(),
    PORT: port.default(7080),
    /** JSON: [{token, tenant, subject, scopes}]; or a file of the same. */
    TOKENS: json(TokenGrants).optional(),
    GATEWAY_TOKENS_FILE: fileText.pipe(json(TokenGrants)).optional(),
    /** JSON: [{publisher, tenants}] */
    PUBLISHERS: json(z.array(PublisherGrant).max(100)).default([]),
    STREAM_SECRET: z.string().min(16, 'needs 16 characters at least').optional(),
    /** The chat before the cut-over; used until then and after a roll-back, never otherwise. */
    LEGACY_CHAT_URL: url('http:', 'https:').optional(),
    /** Names of the configured sources, separated by commas; of `name=dir` the name is read. Absent: the agent-runner alone knows. */
    INCIDENT_SOURCES: sourceNames.optional(),
  })
  .transform(({ TOKENS, GATEWAY_TOKENS_FILE, STREAM_SECRET, ...env }, context) => {
    const tokens = TOKENS ?? GATEWAY_TOKENS_FILE;
    if (!tokens) {
      context.addIssue({
        code: 'custom',
        path: ['TOKENS'],
        message: 'or GATEWAY_TOKENS_FILE must grant somebody access: [{token, tenant, subject, scopes}]',
      });
      return z.NEVER;
    }
    return {
      ...env,
      tokens,
      streamSecret: STREAM_SECRET ?? derivedSecret(tokens),
      port: env.GATEWAY_PORT ?? env.PORT,
    };
  });
export type GatewayConfig = z.infer<typeof gatewayEnv>;

/** Reads the environment of this process, or says what is wrong and ends it with 2. */
export const gatewayConfig = (): GatewayConfig => readConfig(gatewayEnv, process.env);
