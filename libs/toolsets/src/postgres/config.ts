import { Token } from '@inquest/contracts/ids';
import { z } from 'zod';
import { SecretRef } from '../sources/secret';

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

/** One database, asked as a role that can only read. */
export const PostgresConfig = z
  .strictObject({
    host: z.string().min(1).max(253),
    port: z.number().int().min(1).max(65_535).default(5_432),
    database: z.string().min(1).max(63),
    user: z.string().min(1).max(63),
    password: SecretRef.optional(),
    /** verify-full: certificate and name are checked; require: encrypted only; disable: on the loopback interface. */
    tls: z.enum(['verify-full', 'require', 'disable']).optional(),
    /** Certificate of the authority, PEM. */
    caFile: z.string().min(1).max(4_096).optional(),
    statementTimeoutMs: z.number().int().min(100).max(15_000).default(8_000),
  })
  .transform((config) => ({
    ...config,
    tls: config.tls ?? (LOOPBACK.test(config.host) ? ('disable' as const) : ('verify-full' as const)),
  }))
  .refine(({ tls, host }) => tls !== 'disable' || LOOPBACK.test(host), {
    path: ['tls'],
    error: 'may be disabled on the loopback interface only',
  });
export type PostgresConfig = z.infer<typeof PostgresConfig>;

/** A source may have several databases, each with a name of its own. */
export const PostgresConfigs = z
  .record(Token, PostgresConfig)
  .refine((databases) => Object.keys(databases).length >= 1 && Object.keys(databases).length <= 20, {
    error: 'has between 1 and 20 databases',
  });
