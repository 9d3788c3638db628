import { z } from 'zod';

const Labels = z.record(z.string().max(256), z.string().max(4_096));
const NotifiedAlert = z.object({
  status: z.enum(['firing', 'resolved']),
  labels: Labels,
  annotations: Labels.default({}),
  startsAt: z.iso.datetime({ offset: true }),
  fingerprint: z.string().min(1).max(128),
});
export type NotifiedAlert = z.infer<typeof NotifiedAlert>;

/** What Alertmanager sends to a webhook, version 4. Members that say nothing here are passed over: senders add some. */
export const AlertNotification = z.object({
  version: z.literal('4', 'must be "4", the webhook format of Alertmanager'),
  groupKey: z.string().min(1).max(8_192),
  status: z.enum(['firing', 'resolved']),
  groupLabels: Labels.default({}),
  commonLabels: Labels.default({}),
  alerts: z.array(NotifiedAlert).min(1).max(1_000),
});
export type AlertNotification = z.infer<typeof AlertNotification>;

/** What became of a notification. */
export const AlertRun = z.strictObject({
  runId: z.string().nullable(),
  /** False: the group's run exists already, or nothing of the group fires any more. */
  created: z.boolean(),
});
export type AlertRun = z.infer<typeof AlertRun>;
