import { z } from 'zod';

const Name = z
  .string()
  .min(1)
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'must be a name of Kubernetes');

/** One cluster: a kubeconfig and one of its contexts, or the service account of the pod that this runs in. */
export const KubernetesConfig = z
  .strictObject({
    kubeconfig: z
      .strictObject({
        file: z.string().min(1).max(4_096),
        /** Default: the file's current context. */
        context: z.string().min(1).max(253).optional(),
      })
      .optional(),
    inCluster: z.literal(true).optional(),
    /** The only namespaces that are read; absent: all that the credential may read. */
    namespaces: z.array(Name).min(1).max(20).optional(),
    /** The API server's `--event-ttl`: for how long events can be asked for. */
    eventsKeptMinutes: z
      .number()
      .positive()
      .max(7 * 24 * 60)
      .default(60),
  })
  .refine(({ kubeconfig, inCluster }) => (kubeconfig === undefined) !== (inCluster === undefined), {
    error: 'needs either kubeconfig or inCluster: true',
  });
export type KubernetesConfig = z.infer<typeof KubernetesConfig>;
