import { z } from 'zod';
import { HTTP_CONFIG, ONE_AUTHORIZATION, oneAuthorization } from '../sources/http-config';

export const AlertmanagerConfig = z
  .strictObject({
    ...HTTP_CONFIG,
    /** Labels that name a service, most telling first. */
    serviceLabels: z
      .array(z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/, 'must be a label name'))
      .min(1)
      .max(8)
      .default(['service', 'app', 'job']),
  })
  .refine(oneAuthorization, ONE_AUTHORIZATION);
export type AlertmanagerConfig = z.infer<typeof AlertmanagerConfig>;
