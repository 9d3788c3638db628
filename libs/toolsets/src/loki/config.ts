import { z } from 'zod';
import { HTTP_CONFIG, ONE_AUTHORIZATION, oneAuthorization } from '../sources/http-config';

const LabelName = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/, 'must be a label name');

/** One Loki, or anything that answers its HTTP API, seen as one tenant. */
export const LokiConfig = z
  .strictObject({
    ...HTTP_CONFIG,
    /** Sent as X-Scope-OrgID; several joined by | where the server allows it. */
    tenant: z
      .string()
      .regex(/^[A-Za-z0-9!\-_.*'()|]{1,150}$/, 'must be a tenant id')
      .optional(),
    /** Labels that name a service, most telling first: the first that a stream's labels know is used. */
    serviceLabels: z
      .array(LabelName)
      .min(1)
      .max(8)
      .default(['service_name', 'service', 'app', 'job', 'container']),
    /** A label, or a member of structured metadata, that holds the level; absent: the level that a line itself names. */
    levelLabel: LabelName.optional(),
    /** Put into every selector, e.g. `{cluster: eu-1}`. */
    matchers: z.record(LabelName, z.string().min(1).max(253)).default({}),
    /** Lines that one search reads at most; the server's own limit (max_entries_limit_per_query) must allow it. */
    linesMax: z.number().int().min(100).max(10_000).default(5_000),
  })
  .refine(oneAuthorization, ONE_AUTHORIZATION);
export type LokiConfig = z.infer<typeof LokiConfig>;
