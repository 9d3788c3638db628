import OpenAI, { APIConnectionTimeoutError, APIError } from 'openai';
import { sha256 } from '@inquest/contracts/canonical-json';
import type { AttemptFailure, AttemptRecord, FailedAttempt } from '@inquest/contracts/model-call';
import { boundedText } from './bounded-text';
import type { ChatOutcome, Reading } from './chat-outcome';
import { bodyOf, type ChatRequest } from './chat-request';
import { failureOfStatus, retryAfterOf } from './http-failure';
import { proposedCalls, type IdMode } from './proposed-calls';
import { providerStateOf } from './provider-state';
import { readCompletion } from './read-completion';
import { isDone, readStream } from './read-stream';

/** An answer longer than this is no answer: white space or digits without end, most likely. */
export const BODY_BYTES_MAX = 4 * 1024 * 1024;

export type ModelEndpointOptions = {
  baseUrl: string;
  apiKey: string;
  /** Ask for server-sent events; the outcome is the same. */
  stream?: boolean;
};

export type Attempt = {
  request: ChatRequest;
  /** `<runId>/<step>`: the same attempt for an endpoint that knows such keys. */
  idempotencyKey: string;
  ids: IdMode;
  /** For the whole exchange, body included. */
  timeoutMs: number;
  /** Cancellation of the run, loss of the lease. */
  signal: AbortSignal;
};

/** An OpenAI-compatible chat completions endpoint. One call is one HTTP request, and what it does wrong is an outcome. */
export class ModelEndpoint {
  private readonly client: OpenAI;
  private readonly stream: boolean;

  constructor(options: ModelEndpointOptions) {
    this.stream = options.stream ?? false;
    this.client = new OpenAI({
      baseURL: options.baseUrl,
      apiKey: options.apiKey,
      // Set, so that the SDK takes nothing from the environment on its own.
      adminAPIKey: null,
      organization: null,
      project: null,
      // The SDK would make three requests of one; only the harness asks again (H9).
      maxRetries: 0,
      // A redirect would be a second request, and to somebody else.
      fetchOptions: { redirect: 'manual' },
      logLevel: 'off',
    });
  }

  /** Makes one attempt. Never throws for anything the endpoint or the network does. */
  async attempt(attempt: Attempt): Promise<ChatOutcome> {
    const body = bodyOf(attempt.request, this.stream);
    const requestHash = sha256(JSON.stringify(body));
    const startedAt = new Date();
    const began = performance.now();
    const record = (rest: Partial<AttemptRecord> = {}): AttemptRecord => ({
      model: attempt.request.model,
      startedAt: startedAt.toISOString(),
      ms: Math.round((performance.now() - began) * 1000) / 1000,
      requestHash,
      rawHash: null,
      usage: null,
      finishReason: null,
      ...rest,
    });
    const timeout = AbortSignal.timeout(attempt.timeoutMs);
    const signal = AbortSignal.any([attempt.signal, timeout]);
    try {
      if (attempt.signal.aborted) return failed('ABORTED', record());
      const response = await this.send(body, attempt, signal);
      const streamed = /^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '');
      const text = await boundedText(response, BODY_BYTES_MAX, streamed ? isDone : undefined);
      if (text === undefined) return failed('INVALID_RESPONSE', record());
      // An aborted body may end quietly, as if it were whole.
      if (signal.aborted) return failed(attempt.signal.aborted ? 'ABORTED' : 'TIMEOUT', record());
      const reading = streamed ? readStream(text) : readCompletion(text);
      const rawHash = sha256(text);
      return outcomeOf(
        reading,
        attempt.ids,
        record({ rawHash, usage: reading.usage, finishReason: reading.finishReason }),
      );
    } catch (error) {
      const { failure, retryAfterMs } = failureOfError(error, attempt.signal, timeout);
      return failed(failure, record(), retryAfterMs);
    }
  }

  private send(body: Record<string, unknown>, attempt: Attempt, signal: AbortSignal): Promise<Response> {
    return this.client
      .post('/chat/completions', {
        body,
        headers: { 'Idempotency-Key': attempt.idempotencyKey },
        signal,
        // The SDK's own time-out covers the headers only; ours comes first.
        timeout: attempt.timeoutMs + 1_000,
        stream: this.stream,
      })
      .asResponse();
  }
}

const failed = (
  failure: AttemptFailure,
  record: AttemptRecord,
  retryAfterMs: number | null = null,
): FailedAttempt => ({
  kind: 'FAILED',
  failure,
  retryAfterMs,
  record,
});

const outcomeOf = (reading: Reading, ids: IdMode, record: AttemptRecord): ChatOutcome => {
  switch (reading.kind) {
    case 'FAILED':
      return failed(reading.failure, record);
    case 'TEXT':
      return { kind: 'TEXT', text: reading.text, record };
    case 'TOOL_CALLS':
      return {
        kind: 'TOOL_CALLS',
        calls: proposedCalls(reading.calls, ids),
        providerState: providerStateOf(reading),
        record,
      };
  }
};

/** Our own signals first: whatever the SDK throws after an abort is only its echo. */
const failureOfError = (
  error: unknown,
  cancelled: AbortSignal,
  timeout: AbortSignal,
): { failure: AttemptFailure; retryAfterMs: number | null } => {
  if (cancelled.aborted) return { failure: 'ABORTED', retryAfterMs: null };
  if (timeout.aborted || error instanceof APIConnectionTimeoutError)
    return { failure: 'TIMEOUT', retryAfterMs: null };
  if (error instanceof APIError && typeof error.status === 'number') {
    return { failure: failureOfStatus(error.status, error.code), retryAfterMs: retryAfterOf(error.headers) };
  }
  return { failure: 'TRANSPORT', retryAfterMs: null };
};
