import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseLogQl, re2, type ParsedLogQl } from './parse-logql';

/**
 * A double of Loki: a real HTTP server that answers the documented paths of its API with its documented JSON, and
 * understands as much of LogQL as is documented for log queries with line and label filters. No Loki binary is at hand
 * where these tests run; the answers follow the reference of the HTTP API of Loki 3.
 */
export type Stream = {
  labels: Record<string, string>;
  /** `[instant, line]` in any order. */
  lines: readonly (readonly [string, string])[];
};

export type LokiRequest = {
  path: string;
  query: URLSearchParams;
  tenant: string | undefined;
  authorization: string | undefined;
};
export type LokiFault =
  | 'HANG'
  | 'CUT'
  | 'NO_JSON'
  | 'HALF_JSON'
  | 'HUGE'
  | 'BUSY'
  | 'REDIRECT'
  | 'RESET'
  | 'OTHER_JSON'
  | 'MATRIX'
  | 'SILENT_BODY'
  | 'PROXY';

type Options = {
  streams: readonly Stream[];
  tenant?: string;
  token?: string;
  /** `max_entries_limit_per_query` */
  entriesMax?: number;
  /** As servers that know no `query` on labels and their values. */
  ignoresBounds?: boolean;
};

const nanosOf = (instant: string): bigint => BigInt(Date.parse(instant)) * 1_000_000n;
const selects = (
  labels: Record<string, string>,
  { label, op, value }: ParsedLogQl['matchers'][number],
): boolean => (op === '=' ? (labels[label] ?? '') === value : re2(value, true).test(labels[label] ?? ''));

const keeps = (line: string, { op, text }: ParsedLogQl['lines'][number]): boolean => {
  switch (op) {
    case '|=':
      return line.includes(text);
    case '!=':
      return !line.includes(text);
    case '|~':
      return re2(text).test(line);
    case '!~':
      return !re2(text).test(line);
  }
};

export class LokiDouble {
  readonly requests: LokiRequest[] = [];
  fault: LokiFault | undefined;

  private constructor(
    private readonly server: Server,
    private readonly options: Options,
  ) {}

  static async start(options: Options): Promise<LokiDouble> {
    const server = createServer();
    const double = new LokiDouble(server, options);
    server.on('request', (request, response) => double.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return double;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://double');
    const tenant = request.headers['x-scope-orgid']?.toString();
    const { authorization } = request.headers;
    this.requests.push({ path: url.pathname, query: url.searchParams, tenant, authorization });
    if (this.fault) return this.misbehave(response, this.fault);
    const refuse = (status: number, text: string) => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' });
      response.end(`${text}\n`);
    };
    if (request.method !== 'GET') return refuse(405, 'method not allowed');
    if (this.options.token !== undefined && authorization !== `Bearer ${this.options.token}`)
      return refuse(401, 'Unauthorized');
    if (this.options.tenant !== undefined && tenant === undefined) return refuse(401, 'no org id');
    try {
      const body = this.bodyOf(url.pathname, url.searchParams, tenant);
      if (body === undefined) return refuse(404, '404 page not found');
      response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
      response.end(JSON.stringify(body));
    } catch (error) {
      refuse(400, (error as Error).message);
    }
  }

  private bodyOf(path: string, query: URLSearchParams, tenant: string | undefined): object | undefined {
    const streams = tenant === this.options.tenant ? this.streams(query) : [];
    const [, label] = /^\/loki\/api\/v1\/label\/([^/]+)\/values$/.exec(path) ?? [];
    const success = (data: unknown[]) =>
      data.length > 0 ? { status: 'success', data } : { status: 'success' };
    const within = this.options.ignoresBounds ? null : query.get('query');
    const told =
      within === null || path.endsWith('query_range') ? streams : selected(streams, parseLogQl(within));
    if (label !== undefined)
      return success(
        [...new Set(told.flatMap(({ labels }) => labels[decodeURIComponent(label)] ?? []))].sort(),
      );
    switch (path) {
      case '/loki/api/v1/labels':
        return success([...new Set(told.flatMap(({ labels }) => Object.keys(labels)))].sort());
      case '/loki/api/v1/series':
        return success(selected(streams, parseLogQl(query.get('match[]') ?? '')).map(({ labels }) => labels));
      case '/loki/api/v1/status/buildinfo':
        return {
          version: '3.1.0',
          revision: '935aee77ed',
          branch: 'HEAD',
          buildUser: '',
          buildDate: '',
          goVersion: 'go1.22',
        };
      case '/loki/api/v1/query_range':
        return this.queryRange(streams, query);
      default:
        return undefined;
    }
  }

  /** Streams with a line in the time that is asked about; the start is taken in and the end left out. */
  private streams(query: URLSearchParams): Stream[] {
    const [start, end] = [BigInt(query.get('start') ?? 0), BigInt(query.get('end') ?? '9'.repeat(18))];
    return this.options.streams
      .map(({ labels, lines }) => ({
        labels,
        lines: lines.filter(([instant]) => nanosOf(instant) >= start && nanosOf(instant) < end),
      }))
      .filter(({ lines }) => lines.length > 0);
  }

  private queryRange(streams: readonly Stream[], query: URLSearchParams): object {
    const limit = Number(query.get('limit') ?? 100);
    const max = this.options.entriesMax ?? 5_000;
    if (limit > max)
      throw new Error(`max entries limit per query exceeded, limit > max_entries_limit (${limit} > ${max})`);
    const parsed = parseLogQl(query.get('query') ?? '');
    const isForward = query.get('direction') === 'forward';
    const entries = selected(streams, parsed)
      .filter(({ labels }) => parsed.labels.every((condition) => selects(labels, condition)))
      .flatMap(({ labels, lines }) =>
        lines
          .filter(([, line]) => parsed.lines.every((filter) => keeps(line, filter)))
          .map(([instant, line]) => ({ labels, nanos: nanosOf(instant), line })),
      )
      .sort((a, b) => Number(a.nanos - b.nanos) * (isForward ? 1 : -1))
      .slice(0, limit);
    const byStream = new Map<Record<string, string>, [string, string][]>();
    for (const { labels, nanos, line } of entries)
      byStream.set(labels, [...(byStream.get(labels) ?? []), [String(nanos), line]]);
    const result = [...byStream].map(([stream, values]) => ({ stream, values }));
    const stats = { summary: { totalLinesProcessed: entries.length, execTime: 0.001 } };
    return { status: 'success', data: { resultType: 'streams', result, stats } };
  }

  private misbehave(response: ServerResponse, fault: LokiFault): void {
    const json = { 'content-type': 'application/json' };
    const whole = (status: number, headers: object, body: string) => {
      response.writeHead(status, { ...headers });
      response.end(body);
    };
    switch (fault) {
      case 'HANG':
        return;
      case 'RESET':
        return void response.socket?.destroy();
      case 'CUT':
        response.writeHead(200, { ...json, 'content-length': '5000' });
        return void response.write('{"status":"success"', () => response.socket?.destroy());
      case 'SILENT_BODY':
        response.writeHead(200, json);
        return void response.write('{"status":"success"');
      case 'NO_JSON':
        return whole(200, json, 'ready');
      case 'HALF_JSON':
        return whole(200, json, '{"status":"success","data":[');
      case 'OTHER_JSON':
        return whole(200, json, '{"status":"success","data":{"result":"none"}}');
      case 'MATRIX':
        return whole(200, json, '{"status":"success","data":{"resultType":"matrix","result":[]}}');
      case 'HUGE':
        return whole(200, json, `{"status":"success","data":["${'x'.repeat(17 * 1024 * 1024)}"]}`);
      case 'BUSY':
        return whole(429, { 'content-type': 'text/plain' }, 'too many outstanding requests');
      case 'PROXY':
        return whole(502, { 'content-type': 'text/html' }, '<html>bad gateway</html>');
      case 'REDIRECT':
        return whole(302, { location: `${this.url}/login` }, '');
    }
  }
}

const selected = (streams: readonly Stream[], { matchers }: ParsedLogQl): Stream[] =>
  streams.filter(({ labels }) => matchers.every((matcher) => selects(labels, matcher)));
