import { z } from 'zod';
import { getJson, type HttpEndpoint } from '../http-json';
import { SourceFailure } from '../incident-source';
import { ArgumentsRefused } from '../tool';

/** `[seconds, "value"]`; NaN and the infinities come as words. */
const Sample = z.tuple([z.number(), z.string()]);
const Labels = z.record(z.string(), z.string());
const Vector = z.object({ metric: Labels, value: Sample });
const Matrix = z.object({ metric: Labels, values: z.array(Sample) });

const QueryData = z.discriminatedUnion('resultType', [
  z.object({ resultType: z.literal('vector'), result: z.array(Vector) }),
  z.object({ resultType: z.literal('matrix'), result: z.array(Matrix) }),
  z.object({ resultType: z.literal('scalar'), result: Sample }),
  z.object({ resultType: z.literal('string'), result: Sample }),
]);
export type QueryData = z.infer<typeof QueryData>;
export type Labelled = z.infer<typeof Labels>;

export const PrometheusAlert = z.object({
  labels: Labels,
  annotations: Labels.default({}),
  state: z.string(),
  activeAt: z.string().optional(),
  value: z.string().optional(),
});
export type PrometheusAlert = z.infer<typeof PrometheusAlert>;

export const PrometheusRule = z.object({
  type: z.enum(['alerting', 'recording']),
  name: z.string(),
  query: z.string(),
  health: z.string().default('unknown'),
  lastError: z.string().optional(),
  state: z.string().optional(),
  duration: z.number().optional(),
  labels: Labels.optional(),
  annotations: Labels.optional(),
});
const RuleGroup = z.object({
  name: z.string(),
  file: z.string().default(''),
  rules: z.array(PrometheusRule),
});
export type RuleGroup = z.infer<typeof RuleGroup>;

const Metadata = z.record(
  z.string(),
  z.array(z.object({ type: z.string(), help: z.string().default(''), unit: z.string().default('') })),
);
export type MetricMetadata = z.infer<typeof Metadata>;

const Success = z.object({
  status: z.literal('success'),
  data: z.unknown(),
  warnings: z.array(z.string()).optional(),
  /** How a cluster of VictoriaMetrics says that a store did not answer. */
  isPartial: z.boolean().optional(),
});
const Failure = z.object({
  status: z.literal('error'),
  errorType: z.string(),
  error: z.string().default(''),
});

export type Told<Data> = {
  data: Data;
  /** The server says that its answer leaves something out (a store of Thanos that is away, a limit). */
  partial: boolean;
};

/** What the parser of the server says about a query that it does not take: one line, bounded. */
const complaint = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 160);

/** The documented HTTP API, version 1: https://prometheus.io/docs/prometheus/latest/querying/api/ */
export class PrometheusApi {
  constructor(private readonly endpoint: HttpEndpoint) {}

  query(query: string, timeSeconds: number, signal: AbortSignal): Promise<Told<QueryData>> {
    return this.ask('/api/v1/query', { query, time: String(timeSeconds), timeout: '15s' }, QueryData, signal);
  }

  queryRange(
    query: string,
    range: { start: number; end: number; step: number },
    signal: AbortSignal,
  ): Promise<Told<QueryData>> {
    const { start, end, step } = range;
    const asked = { query, start: String(start), end: String(end), step: String(step), timeout: '15s' };
    return this.ask('/api/v1/query_range', asked, QueryData, signal);
  }

  /** Names of labels, or values of one. Without a selector: of everything that the server holds. */
  labels(
    label: string | null,
    selectors: readonly string[],
    range: { start: number; end: number },
    signal: AbortSignal,
  ): Promise<Told<string[]>> {
    const path = label === null ? '/api/v1/labels' : `/api/v1/label/${encodeURIComponent(label)}/values`;
    const asked = { 'match[]': selectors, start: String(range.start), end: String(range.end) };
    return this.ask(path, asked, z.array(z.string()), signal);
  }

  /** Type, help and unit by metric name. Some servers have none. */
  metadata(signal: AbortSignal): Promise<Told<MetricMetadata>> {
    return this.ask('/api/v1/metadata', { limit_per_metric: '1' }, Metadata, signal);
  }

  async alerts(signal: AbortSignal): Promise<Told<PrometheusAlert[]>> {
    const told = await this.ask('/api/v1/alerts', {}, z.object({ alerts: z.array(PrometheusAlert) }), signal);
    return { ...told, data: told.data.alerts };
  }

  async rules(signal: AbortSignal): Promise<Told<RuleGroup[]>> {
    const told = await this.ask('/api/v1/rules', {}, z.object({ groups: z.array(RuleGroup) }), signal);
    return { ...told, data: told.data.groups };
  }

  /** Version of the server, where it tells. */
  async version(signal: AbortSignal): Promise<string> {
    const told = await this.ask('/api/v1/status/buildinfo', {}, z.object({ version: z.string() }), signal);
    return told.data.version;
  }

  private async ask<Schema extends z.ZodType>(
    path: string,
    query: Readonly<Record<string, string | readonly string[]>>,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Told<z.output<Schema>>> {
    const { status, body } = await getJson(this.endpoint, path, query, signal);
    const failure = Failure.safeParse(body);
    if (failure.success) throw this.refusal(status, failure.data);
    const success = Success.safeParse(body);
    const data = success.success ? schema.safeParse(success.data.data) : undefined;
    if (status !== 200 || !success.success || !data?.success)
      throw new SourceFailure(
        status >= 500 ? 'SOURCE_FAILED' : 'RESULT_UNUSABLE',
        `${path} answered ${status} in another form than Prometheus does`,
      );
    const { warnings, isPartial } = success.data;
    return { data: data.data, partial: isPartial === true || (warnings?.length ?? 0) > 0 };
  }

  /** 400 and 422 are about the question; everything else is about the server. */
  private refusal(status: number, { errorType, error }: z.infer<typeof Failure>): Error {
    return status === 400 || status === 422
      ? new ArgumentsRefused(`query: refused as ${complaint(errorType)}: ${complaint(error)}`)
      : new SourceFailure('SOURCE_FAILED', `the server answered ${status} ${complaint(errorType)}`);
  }
}
