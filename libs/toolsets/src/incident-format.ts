import { z } from 'zod';

/** Version 1 of the incident folder. Unknown members are kept on objects (they are Kubernetes-shaped) and dropped elsewhere. */
const Instant = z.iso.datetime({ offset: true });
const Name = z.string().min(1).max(253);

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export const LogLevel = z.enum(LOG_LEVELS);
export type LogLevel = z.infer<typeof LogLevel>;

export const IncidentManifest = z.object({
  format: z.literal(1),
  name: Name,
  title: z.string(),
  namespace: Name,
  zone: z.string(),
  window: z.object({ from: Instant, to: Instant }),
  recordedAt: Instant,
  question: z.string(),
  services: z.array(Name),
  /** Says honestly which log lines were thinned when they were recorded; absent: none. */
  logSampling: z
    .object({ services: z.array(Name), levels: z.array(LogLevel), keepOneIn: z.number().int().min(2) })
    .optional(),
});
export type IncidentManifest = z.infer<typeof IncidentManifest>;

export const IncidentObject = z.looseObject({
  kind: Name,
  metadata: z.looseObject({
    name: Name,
    namespace: Name.optional(),
    labels: z.record(z.string(), z.string()).optional(),
    ownerReferences: z.array(z.looseObject({ kind: z.string(), name: z.string() })).optional(),
    creationTimestamp: z.string().nullish(),
  }),
  spec: z.unknown().optional(),
  status: z.unknown().optional(),
});
export type IncidentObject = z.infer<typeof IncidentObject>;

export const IncidentEvent = z.object({
  time: Instant,
  type: z.string(),
  reason: z.string(),
  object: z.object({ kind: z.string(), name: z.string(), namespace: z.string().optional() }),
  message: z.string(),
  count: z.number().int().nonnegative(),
});
export type IncidentEvent = z.infer<typeof IncidentEvent>;

export const LogLine = z.object({
  time: Instant,
  service: Name,
  pod: z.string().optional(),
  level: LogLevel,
  message: z.string(),
});
export type LogLine = z.infer<typeof LogLine>;

/** `[seconds since the epoch, value]` */
export const MetricPoint = z.tuple([z.number(), z.number()]);
export type MetricPoint = z.infer<typeof MetricPoint>;

export const MetricSeries = z.object({
  name: Name,
  unit: z.string(),
  labels: z.record(z.string(), z.string()),
  stepSeconds: z.number().positive(),
  points: z.array(MetricPoint),
});
export type MetricSeries = z.infer<typeof MetricSeries>;

export const Alert = z.object({
  name: Name,
  severity: z.string(),
  service: z.string().optional(),
  startsAt: Instant,
  /** Absent: still firing at the end of the window. */
  endsAt: Instant.optional(),
  summary: z.string(),
  labels: z.record(z.string(), z.string()),
});
export type Alert = z.infer<typeof Alert>;

export const Dependency = z.object({
  from: Name,
  to: Name,
  protocol: z.string().optional(),
  port: z.number().int().optional(),
});
export type Dependency = z.infer<typeof Dependency>;
