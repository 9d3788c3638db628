import { z } from 'zod';
import { HTTP_CONFIG, ONE_AUTHORIZATION, oneAuthorization } from '../sources/http-config';

/** A Prometheus, or anything that answers its HTTP API: Thanos, Mimir, VictoriaMetrics. */
export const PrometheusConfig = z
  .strictObject({
    ...HTTP_CONFIG,
    /** Labels that name a service, most telling first: `service` in a question is looked for in each of them. */
    serviceLabels: z
      .array(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/, 'must be a label name'))
      .min(1)
      .max(8)
      .default(['service', 'app', 'job']),
    /** Put into every selector of the incident tools, e.g. `{cluster: eu-1}`. */
    matchers: z
      .record(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/, 'must be a label name'), z.string().max(253))
      .default({}),
  })
  .refine(oneAuthorization, ONE_AUTHORIZATION);
export type PrometheusConfig = z.infer<typeof PrometheusConfig>;
