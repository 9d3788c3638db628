import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { SourceFailure } from '../incident-source';
import { endpointOf } from '../sources/http-config';
import { SecretMissing, readSecret } from '../sources/secret';
import type { McpConfig } from './config';

const CONNECT_MS = 10_000;
const RESPONSE_BYTES_MAX = 8 * 1024 * 1024;
const PATH_DEFAULT = '/usr/local/bin:/usr/bin:/bin';
const BACKOFF_MIN_MS = 1_000;
const BACKOFF_MAX_MS = 60_000;
const PAGES_MAX = 10;

export type ListedTool = {
  name: string;
  description?: string;
  inputSchema: unknown;
  annotations?: { readOnlyHint?: boolean };
};

/** With the first connection: most processes have no such server, and would pay for the library at each start. */
const loadSdk = () =>
  // eslint-disable-next-line @nx/enforce-module-boundaries -- a relative dynamic import needs the compiled file's extension
  import('@inquest/toolsets/mcp/mcp-sdk');

type Env = Readonly<Record<string, string | undefined>>;

/** An answer that is longer than anybody could read ends with an error instead of filling the memory. */
const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  if (init?.method !== 'POST' || !response.body) return response;
  let bytes = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > RESPONSE_BYTES_MAX) controller.error(new Error('the answer is too large'));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
};

/**
 * The connection to one server, made when it is first used. One that ended is made anew by the next call, but not at once
 * after it failed: a server that does not start is not started a hundred times by one diagnosis.
 */
export class McpConnection {
  private client: Promise<Client> | undefined;
  private listed: Promise<ListedTool[]> | undefined;
  private failures = 0;
  private notBefore = 0;
  private closed = false;

  constructor(
    readonly name: string,
    private readonly config: McpConfig,
    private readonly env: Env,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** All tools of the server, allowed or not. Throws SourceFailure. */
  async tools(signal: AbortSignal): Promise<ListedTool[]> {
    const client = await this.connected(signal);
    this.listed ??= this.list(client);
    const listed = this.listed;
    listed.catch(() => {
      if (this.listed === listed) this.listed = undefined;
    });
    try {
      return await listed;
    } catch (error) {
      throw failureOf(error, signal);
    }
  }

  /** One call, one attempt. Throws SourceFailure; an abort of `signal` rejects with its reason. */
  async call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const client = await this.connected(signal);
    try {
      const { timeoutMs } = this.config;
      return await client.callTool({ name: tool, arguments: args }, undefined, {
        signal,
        timeout: timeoutMs,
        maxTotalTimeout: timeoutMs,
      });
    } catch (error) {
      throw failureOf(error, signal);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    const client = await this.client?.catch(() => undefined);
    await client?.close().catch(() => undefined);
  }

  private async connected(signal: AbortSignal): Promise<Client> {
    signal.throwIfAborted();
    if (this.closed) throw new SourceFailure('SOURCE_FAILED', 'the connection is closed');
    if (this.client === undefined) {
      if (this.nowMs() < this.notBefore)
        throw new SourceFailure(
          'SOURCE_FAILED',
          'the server failed a moment ago and is not started again yet',
        );
      this.client = this.connect();
      this.client.catch(() => this.failed());
    }
    try {
      return await this.client;
    } catch (error) {
      throw failureOf(error, signal);
    }
  }

  private failed(): void {
    this.client = undefined;
    this.listed = undefined;
    this.failures += 1;
    this.notBefore = this.nowMs() + Math.min(BACKOFF_MIN_MS * 2 ** (this.failures - 1), BACKOFF_MAX_MS);
  }

  private async connect(): Promise<Client> {
    const { Client: Protocol } = await loadSdk();
    const client = new Protocol({ name: 'inquest', version: '1' }, { capabilities: {} });
    const transport = await this.transport();
    client.onclose = () => {
      this.client = undefined;
      this.listed = undefined;
    };
    try {
      await client.connect(transport, { timeout: CONNECT_MS });
    } catch (error) {
      await transport.close().catch(() => undefined);
      throw error;
    }
    this.failures = 0;
    return client;
  }

  private async transport(): Promise<Transport> {
    const { command, args, dir, url, bearerToken, headers, timeoutMs } = this.config;
    if (command !== undefined) {
      const { StdioClientTransport } = await loadSdk();
      return new StdioClientTransport({
        command,
        args,
        cwd: dir,
        env: this.commandEnv(),
        stderr: 'ignore',
        maxBufferSize: RESPONSE_BYTES_MAX,
      });
    }
    const { StreamableHTTPClientTransport } = await loadSdk();
    const endpoint = endpointOf({ url: url ?? '', bearerToken, headers, timeoutMs }, this.env);
    return new StreamableHTTPClientTransport(new URL(endpoint.url), {
      requestInit: { headers: endpoint.headers?.() },
      fetch: boundedFetch,
      // A stream that breaks is told by the next call; nothing is retried behind its back.
      reconnectionOptions: {
        maxRetries: 0,
        initialReconnectionDelay: 1_000,
        maxReconnectionDelay: 1_000,
        reconnectionDelayGrowFactor: 1,
      },
    }) as Transport;
  }

  private commandEnv(): Record<string, string> {
    try {
      const own = Object.entries(this.config.env).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : readSecret(value, this.env),
      ]);
      return {
        PATH: this.env['PATH'] ?? PATH_DEFAULT,
        ...(Object.fromEntries(own) as Record<string, string>),
      };
    } catch (error) {
      if (error instanceof SecretMissing) throw new SourceFailure('ACCESS_DENIED', error.message);
      throw error;
    }
  }

  private async list(client: Client): Promise<ListedTool[]> {
    const found: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const answer = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout: CONNECT_MS });
      found.push(...answer.tools);
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    return found;
  }
}

const failureOf = (error: unknown, signal: AbortSignal): Error => {
  if (signal.aborted) return signal.reason as Error;
  if (error instanceof SourceFailure) return error;
  const { code } = error as { code?: unknown };
  if (code === 401 || code === 403)
    return new SourceFailure('ACCESS_DENIED', `the server answered ${code}`, error);
  return new SourceFailure('SOURCE_FAILED', 'the server failed or does not speak the protocol', error);
};
