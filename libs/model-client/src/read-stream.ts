import { isRecord } from '@inquest/contracts/json-object';
import type { AttemptFailure, TokenUsage } from '@inquest/contracts/model-call';
import { CallAssembly } from './assemble-calls';
import type { Reading } from './chat-outcome';
import { failureOfError, finishReasonOf, messageStateOf, readChoice, usageOf } from './read-completion';

/** The `data:` of each event of a server-sent stream, in order. Comments and other fields carry nothing here. */
const eventsOf = (body: string): string[] =>
  body
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((block) =>
      block
        .split(/\r\n|\n|\r/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '');

class Assembly {
  private content = '';
  private refusal = '';
  private finishReason: string | null = null;
  private usage: TokenUsage | null = null;
  private begun = false;
  private readonly calls = new CallAssembly();
  private readonly state: Record<string, unknown> = {};

  /** Takes one chunk in; an error event ends the matter. */
  add(chunk: unknown): AttemptFailure | undefined {
    if (!isRecord(chunk)) return 'INVALID_RESPONSE';
    if (chunk.error != null) return failureOfError(chunk.error);
    this.usage = usageOf(chunk.usage) ?? this.usage;
    // No choices: usage, a ping, or a filter's preamble.
    const [choice] = Array.isArray(chunk.choices) ? (chunk.choices as unknown[]) : [];
    if (!isRecord(choice)) return undefined;
    this.begun = true;
    this.finishReason = finishReasonOf(choice.finish_reason) ?? this.finishReason;
    if (isRecord(choice.delta)) this.addDelta(choice.delta);
    return undefined;
  }

  private addDelta(delta: Record<string, unknown>): void {
    if (typeof delta.content === 'string') this.content += delta.content;
    if (typeof delta.refusal === 'string') this.refusal += delta.refusal;
    for (const [name, value] of Object.entries(messageStateOf(delta))) {
      this.state[name] = joined(this.state[name], value);
    }
    if (Array.isArray(delta.tool_calls))
      for (const call of delta.tool_calls as unknown[]) this.calls.add(call);
  }

  read(done: boolean): Reading {
    const { finishReason, usage } = this;
    const failed = (failure: AttemptFailure): Reading => ({ kind: 'FAILED', failure, usage, finishReason });
    if (!this.begun && done) return failed('EMPTY');
    // Neither a reason nor the end mark: the connection was cut, however politely.
    if (finishReason === null && !done) return failed('TRANSPORT');
    const { content, refusal, state } = this;
    const ended = done && this.calls.complete;
    return readChoice({ content, refusal, calls: this.calls.calls(), state, finishReason, usage, ended });
  }
}

/** Texts grow, lists grow, anything else is replaced. */
const joined = (known: unknown, value: unknown): unknown => {
  if (typeof known === 'string' && typeof value === 'string') return known + value;
  return Array.isArray(known) && Array.isArray(value)
    ? [...(known as unknown[]), ...(value as unknown[])]
    : value;
};

/** Reads a whole server-sent body of status 200 into what a plain body would have said. */
export const readStream = (body: string): Reading => {
  const assembly = new Assembly();
  for (const data of eventsOf(body)) {
    if (data.trim() === '[DONE]') return assembly.read(true);
    let chunk: unknown;
    try {
      chunk = JSON.parse(data);
    } catch {
      // Half an event is where a cut connection ends; in the middle of a stream it is no answer either.
      return assembly.read(false);
    }
    const failure = assembly.add(chunk);
    if (failure !== undefined) return { kind: 'FAILED', failure, usage: null, finishReason: null };
  }
  return assembly.read(false);
};

/** Some servers say that they are done and keep the connection: what is said stands in one line, near the end. */
export const isDone = (body: string): boolean => /(?:^|[\r\n])data: ?\[DONE\]\s*[\r\n]/.test(body.slice(-64));
