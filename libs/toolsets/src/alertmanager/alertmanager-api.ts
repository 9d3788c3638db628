import { z } from 'zod';
import { getJson, type HttpEndpoint } from '../http-json';
import { SourceFailure } from '../incident-source';

const Labels = z.record(z.string(), z.string());
export const ManagedAlert = z.object({
  labels: Labels,
  annotations: Labels.default({}),
  startsAt: z.string(),
  endsAt: z.string().optional(),
  fingerprint: z.string(),
  status: z.object({
    state: z.enum(['unprocessed', 'active', 'suppressed']),
    silencedBy: z.array(z.string()).default([]),
    inhibitedBy: z.array(z.string()).default([]),
  }),
});
export type ManagedAlert = z.infer<typeof ManagedAlert>;

export const Silence = z.object({
  id: z.string(),
  status: z.object({ state: z.enum(['expired', 'active', 'pending']) }),
  matchers: z.array(
    z.object({
      name: z.string(),
      value: z.string(),
      isRegex: z.boolean(),
      isEqual: z.boolean().default(true),
    }),
  ),
  startsAt: z.string(),
  endsAt: z.string(),
  createdBy: z.string().default(''),
  comment: z.string().default(''),
});
export type Silence = z.infer<typeof Silence>;

const Status = z.object({ versionInfo: z.object({ version: z.string() }) });

/** The documented API, version 2. */
export class AlertmanagerApi {
  constructor(private readonly endpoint: HttpEndpoint) {}

  alerts(signal: AbortSignal): Promise<ManagedAlert[]> {
    return this.ask('/api/v2/alerts', z.array(ManagedAlert), signal);
  }

  silences(signal: AbortSignal): Promise<Silence[]> {
    return this.ask('/api/v2/silences', z.array(Silence), signal);
  }

  async version(signal: AbortSignal): Promise<string> {
    return (await this.ask('/api/v2/status', Status, signal)).versionInfo.version;
  }

  private async ask<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<z.output<Schema>> {
    const { status, body } = await getJson(this.endpoint, path, {}, signal);
    const parsed = schema.safeParse(body);
    if (status === 200 && parsed.success) return parsed.data;
    throw new SourceFailure(
      status >= 500 ? 'SOURCE_FAILED' : 'RESULT_UNUSABLE',
      `${path} answered ${status} in another form than Alertmanager does`,
    );
  }
}
