import type { Window } from '@inquest/contracts/scope';
import { z } from 'zod';
import { getJson, type HttpEndpoint } from '../http-json';
import { SourceFailure } from '../incident-source';

/** One line as the server holds it: its labels, with structured metadata among them, and its instant in nanoseconds. */
export type Entry = { labels: Readonly<Record<string, string>>; nanos: bigint; line: string };

const Labels = z.record(z.string(), z.string());
/** `[nanoseconds, line]`, and since 3.0 the line's structured metadata where it was asked for. */
const Value = z.tuple([z.string().regex(/^\d{1,19}$/), z.string()]).rest(z.unknown());
const Streams = z.object({
  status: z.literal('success'),
  data: z.object({
    resultType: z.literal('streams'),
    result: z.array(z.object({ stream: Labels, values: z.array(Value) })),
  }),
});
/** The server leaves `data` out where there is nothing. */
const Names = z.object({ status: z.literal('success'), data: z.array(z.string()).nullish() });
const Series = z.object({ status: z.literal('success'), data: z.array(Labels).nullish() });
const BuildInfo = z.object({ version: z.string() });

const NANOS_PER_MS = 1_000_000n;
const nanosOf = (instant: string): string => String(BigInt(Date.parse(instant)) * NANOS_PER_MS);

/** `[from, to)`: the server takes its start in and leaves its end out, as a window does. */
const between = ({ from, to }: Window) => ({ start: nanosOf(from), end: nanosOf(to) });

const inOrder = (direction: 'forward' | 'backward') => (a: Entry, b: Entry) => {
  const difference = a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  return direction === 'forward' ? difference : -difference;
};

/** The documented HTTP API of Loki, its reading part. One request per call. */
export class LokiApi {
  /** @param within a selector that bounds which labels and values are told; older servers tell those of all streams */
  constructor(
    private readonly endpoint: HttpEndpoint,
    private readonly within?: string,
  ) {}

  /** Lines of all matching streams in one order, at most `limit`. */
  async queryRange(
    query: string,
    window: Window,
    { limit, direction }: { limit: number; direction: 'forward' | 'backward' },
    signal: AbortSignal,
  ): Promise<Entry[]> {
    const asked = { query, ...between(window), limit: String(limit), direction };
    const { data } = await this.ask('/loki/api/v1/query_range', asked, Streams, signal);
    return data.result
      .flatMap(({ stream, values }) =>
        values.map(([nanos, line]): Entry => ({ labels: stream, nanos: BigInt(nanos), line })),
      )
      .sort(inOrder(direction));
  }

  async labelNames(window: Window, signal: AbortSignal): Promise<string[]> {
    return (await this.ask('/loki/api/v1/labels', this.bounded(window), Names, signal)).data ?? [];
  }

  async labelValues(name: string, window: Window, signal: AbortSignal): Promise<string[]> {
    const path = `/loki/api/v1/label/${encodeURIComponent(name)}/values`;
    return (await this.ask(path, this.bounded(window), Names, signal)).data ?? [];
  }

  /** The label sets of the streams that a selector matches. */
  async series(selector: string, window: Window, signal: AbortSignal): Promise<Record<string, string>[]> {
    const query = { 'match[]': selector, ...between(window) };
    return (await this.ask('/loki/api/v1/series', query, Series, signal)).data ?? [];
  }

  async version(signal: AbortSignal): Promise<string> {
    return (await this.ask('/loki/api/v1/status/buildinfo', {}, BuildInfo, signal)).version;
  }

  private bounded(window: Window): Record<string, string> {
    return { ...between(window), ...(this.within === undefined ? {} : { query: this.within }) };
  }

  private async ask<Answer>(
    path: string,
    query: Record<string, string>,
    schema: z.ZodType<Answer>,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { status, body } = await getJson(this.endpoint, path, query, signal);
    if (status !== 200) throw new SourceFailure('SOURCE_FAILED', `Loki answered ${status}`);
    const parsed = schema.safeParse(body);
    if (!parsed.success)
      throw new SourceFailure('RESULT_UNUSABLE', 'the answer is not that of Loki', parsed.error.message);
    return parsed.data;
  }
}
