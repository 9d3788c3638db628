import { CaseFrame } from '@inquest/contracts/case-frame';
import { CaseAccepted, CaseList, CaseReviews, CaseView } from '@inquest/contracts/case-view';
import type { NewCase } from '@inquest/contracts/new-case';
import { Problem } from '@inquest/contracts/problem';
import { RunFrame } from '@inquest/contracts/run-frame';
import { RunAccepted, RunList, RunView } from '@inquest/contracts/run-view';
import type { NewRun } from '@inquest/contracts/platform-facts';
import type { z } from 'zod';
import { serverEvents } from './sse';

const REQUEST_TIMEOUT_MS = 20_000;
/** A bundle has some megabytes at most, and may come over a slow line. */
const BUNDLE_TIMEOUT_MS = 120_000;
/** The gateway sends something at least every 10 s. */
const SILENCE_MAX_MS = 35_000;

/** The gateway understood and said no. */
export class GatewayRefusal extends Error {
  constructor(readonly problem: Problem) {
    const where = (problem.errors ?? []).map(({ at, message }) => `${at}: ${message}`).join('; ');
    super([problem.title, problem.detail, where].filter((part) => part).join(': '));
    this.name = 'GatewayRefusal';
  }
}

/** The gateway does not answer, or not in its own language. */
export class GatewayUnreachable extends Error {
  constructor(url: string, cause: unknown) {
    super(`the gateway at ${url} does not answer usably: ${(cause as Error).message}`, { cause });
    this.name = 'GatewayUnreachable';
  }
}

export type Positioned<Frame> = { position: string | undefined; frame: Frame };
export type PositionedFrame = Positioned<RunFrame>;

type ListQuery = { sessionId?: string; limit?: number; cursor?: string };

const searchOf = (query: ListQuery): string => {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.toString();
};

/** The HTTP and SSE interface of the chat-gateway, one request per call. */
export class GatewayClient {
  constructor(
    readonly url: string,
    private readonly token: string,
  ) {}

  /** @param key makes a repeated call the same run */
  async ask(run: z.input<typeof NewRun>, key: string): Promise<RunAccepted> {
    const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
    return RunAccepted.parse(await this.json('POST', '/v1/runs', { headers, body: JSON.stringify(run) }));
  }

  async run(runId: string): Promise<RunView> {
    return RunView.parse(await this.json('GET', `/v1/runs/${encodeURIComponent(runId)}`));
  }

  async runs(query: ListQuery): Promise<RunList> {
    return RunList.parse(await this.json('GET', `/v1/runs?${searchOf(query)}`));
  }

  /** @param key makes a repeated call the same case */
  async openCase(body: z.input<typeof NewCase>, key: string): Promise<CaseAccepted> {
    const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
    return CaseAccepted.parse(await this.json('POST', '/v1/cases', { headers, body: JSON.stringify(body) }));
  }

  async case(caseId: string): Promise<CaseView> {
    return CaseView.parse(await this.json('GET', `/v1/cases/${encodeURIComponent(caseId)}`));
  }

  async cases(query: ListQuery): Promise<CaseList> {
    return CaseList.parse(await this.json('GET', `/v1/cases?${searchOf(query)}`));
  }

  async reviews(caseId: string): Promise<CaseReviews> {
    return CaseReviews.parse(await this.json('GET', `/v1/cases/${encodeURIComponent(caseId)}/reviews`));
  }

  cancelCase(caseId: string): Promise<unknown> {
    return this.json('POST', `/v1/cases/${encodeURIComponent(caseId)}/cancel`);
  }

  cancel(runId: string): Promise<unknown> {
    return this.json('POST', `/v1/runs/${encodeURIComponent(runId)}/cancel`);
  }

  /** Of a run or of a case: an id belongs to one of the two, and which is not told by its look. */
  async evidence(id: string, toolCallId: string): Promise<unknown> {
    const path = `${encodeURIComponent(id)}/evidence/${encodeURIComponent(toolCallId)}`;
    try {
      return await this.json('GET', `/v1/runs/${path}`);
    } catch (error) {
      if (!(error instanceof GatewayRefusal) || error.problem.status !== 404) throw error;
      return this.json('GET', `/v1/cases/${path}`);
    }
  }

  explanation(runId: string): Promise<unknown> {
    return this.json('GET', `/v1/runs/${encodeURIComponent(runId)}/explanation`);
  }

  /** The bundle's bytes as they were sent: hashes are taken of these. */
  async bundle(runId: string): Promise<Uint8Array> {
    const path = `/v1/runs/${encodeURIComponent(runId)}/bundle`;
    const response = await this.send('GET', path, { signal: AbortSignal.timeout(BUNDLE_TIMEOUT_MS) });
    if (!response.ok) throw await refusalOf(response);
    try {
      return new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      throw new GatewayUnreachable(this.url, cause);
    }
  }

  /** Follows a run from a position (undefined: from its start), see {@link GatewayClient.frames}. */
  follow(runId: string, position: string | undefined, signal: AbortSignal): AsyncGenerator<PositionedFrame> {
    return this.frames(`/v1/runs/${encodeURIComponent(runId)}/events`, RunFrame, position, signal);
  }

  followCase(
    caseId: string,
    position: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Positioned<CaseFrame>> {
    return this.frames(`/v1/cases/${encodeURIComponent(caseId)}/events`, CaseFrame, position, signal);
  }

  /**
   * The frames of an event stream. Ends when the gateway closes the stream; fails when it stays silent or the
   * connection breaks, and the caller resumes from the last position.
   */
  private async *frames<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    position: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<Positioned<z.infer<Schema>>> {
    const quiet = new AbortController();
    const alarm = setTimeout(() => quiet.abort(new Error('the event stream fell silent')), SILENCE_MAX_MS);
    try {
      const headers: Record<string, string> = { accept: 'text/event-stream' };
      if (position !== undefined) headers['last-event-id'] = position;
      const either = AbortSignal.any([signal, quiet.signal]);
      const response = await this.send('GET', path, { headers, signal: either });
      if (!response.ok || !response.body) throw await refusalOf(response);
      const watched = touch(response.body, () => alarm.refresh());
      for await (const { id, data } of serverEvents(watched)) {
        // A newer gateway may know frames that this client does not: they are passed over.
        const frame = schema.safeParse(JSON.parse(data));
        if (frame.success) yield { position: id, frame: frame.data };
      }
    } finally {
      clearTimeout(alarm);
    }
  }

  private async json(method: string, path: string, init: RequestInit = {}): Promise<unknown> {
    const response = await this.send(method, path, {
      ...init,
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    if (!response.ok) throw await refusalOf(response);
    try {
      return await response.json();
    } catch (cause) {
      throw new GatewayUnreachable(this.url, cause);
    }
  }

  private async send(method: string, path: string, init: RequestInit = {}): Promise<Response> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(init.headers as Record<string, string> | undefined),
    };
    try {
      return await fetch(new URL(path, this.url), { ...init, method, headers, redirect: 'error' });
    } catch (error) {
      if (init.signal?.aborted && (init.signal.reason as Error).name !== 'TimeoutError') throw error;
      // Node wraps what happened on the socket one level down.
      throw new GatewayUnreachable(this.url, (error as Error).cause ?? error);
    }
  }
}

async function* touch(body: AsyncIterable<Uint8Array>, onChunk: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    onChunk();
    yield chunk;
  }
}

const refusalOf = async (response: Response): Promise<Error> => {
  const problem = Problem.safeParse(await response.json().catch(() => undefined));
  if (problem.success) return new GatewayRefusal(problem.data);
  return new Error(`the gateway answered ${response.status} without saying why`);
};
