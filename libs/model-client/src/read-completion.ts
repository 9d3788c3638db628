import { isRecord } from '@inquest/contracts/json-object';
import type { AttemptFailure, TokenUsage } from '@inquest/contracts/model-call';
import type { RawCall, Reading } from './chat-outcome';
import { cleanText } from './clean-text';

const count = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;

export const usageOf = (value: unknown): TokenUsage | null => {
  if (!isRecord(value)) return null;
  const promptTokens = count(value.prompt_tokens);
  const completionTokens = count(value.completion_tokens);
  return promptTokens === undefined || completionTokens === undefined
    ? null
    : { promptTokens, completionTokens };
};

const FINISH_REASONS = ['stop', 'tool_calls', 'function_call', 'length', 'content_filter'];

/** A reason of ours, never the endpoint's own text. */
export const finishReasonOf = (value: unknown): string | null => {
  if (value === null || value === undefined || value === '') return null;
  return typeof value === 'string' && FINISH_REASONS.includes(value) ? value : 'other';
};

/** An `error` member in a body of status 200: some gateways report their upstream so. */
export const failureOfError = (error: unknown): AttemptFailure => {
  if (!isRecord(error)) return 'SERVER_ERROR';
  const words = [error.code, error.type, error.status].map(String).join(' ').toLowerCase();
  if (/context_length|context_window|maximum_context/.test(words)) return 'OVER_CONTEXT';
  if (/\b429\b|rate_limit|too_many_requests|resource_exhausted/.test(words)) return 'RATE_LIMITED';
  if (/content_filter|content_policy/.test(words)) return 'CONTENT_FILTER';
  if (/\b4\d\d\b|invalid_request|authentication|permission/.test(words)) return 'CLIENT_ERROR';
  return 'SERVER_ERROR';
};

/** Members of a message that are the provider's own and that some providers demand back with the next request. */
const MESSAGE_STATE = ['reasoning_content', 'reasoning_details', 'extra_content', 'provider_specific_fields'];

export const pick = (from: Record<string, unknown>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.filter((name) => from[name] != null).map((name) => [name, from[name]]));

export const messageStateOf = (message: Record<string, unknown>) => pick(message, MESSAGE_STATE);

const CALL_STATE = ['extra_content', 'thought_signature', 'provider_specific_fields'];
export const callStateOf = (call: Record<string, unknown>) => pick(call, CALL_STATE);

const rawCall = (value: unknown): RawCall => {
  const call = isRecord(value) ? value : {};
  const named = isRecord(call.function) ? call.function : {};
  return { id: call.id, name: named.name, arguments: named.arguments, state: callStateOf(call) };
};

/** Some servers write the content as parts; only text is content here. */
const textOf = (content: unknown): string => {
  if (typeof content === 'string') return cleanText(content);
  if (!Array.isArray(content)) return '';
  return cleanText(
    content.map((part) => (isRecord(part) && typeof part.text === 'string' ? part.text : '')).join(''),
  );
};

export type Choice = {
  content: unknown;
  refusal: unknown;
  calls: RawCall[];
  state: Record<string, unknown>;
  finishReason: string | null;
  usage: TokenUsage | null;
  /** The transport itself has told that the answer is complete: stands in for a finish reason that some servers leave out. */
  ended: boolean;
};

/** Reads one choice that has arrived whole: refusal, finish reason, calls, text, in this order. */
export const readChoice = ({
  content,
  refusal,
  calls,
  state,
  finishReason,
  usage,
  ended,
}: Choice): Reading => {
  const failed = (failure: AttemptFailure): Reading => ({ kind: 'FAILED', failure, usage, finishReason });
  if (typeof refusal === 'string' && refusal.trim() !== '') return failed('REFUSED');
  if (finishReason === 'length') return failed('LENGTH');
  if (finishReason === 'content_filter') return failed('CONTENT_FILTER');
  // Malformed calls, errors and reasons that nobody has defined: whatever the message holds is not to be acted on.
  if (finishReason === 'other' || (finishReason === null && !ended)) return failed('INVALID_RESPONSE');
  if (calls.length > 0) return { kind: 'TOOL_CALLS', calls, state, usage, finishReason };
  const text = textOf(content);
  return text.trim() === '' ? failed('EMPTY') : { kind: 'TEXT', text, usage, finishReason };
};

/** Reads a body of status 200 that is one JSON document: error, choices, then the choice. */
export const readCompletion = (body: string): Reading => {
  const failed = (failure: AttemptFailure, usage: TokenUsage | null = null): Reading => ({
    kind: 'FAILED',
    failure,
    usage,
    finishReason: null,
  });
  const document = parsed(body);
  if (!isRecord(document)) return failed('INVALID_RESPONSE');
  if (document.error != null) return failed(failureOfError(document.error));
  const usage = usageOf(document.usage);
  if (!Array.isArray(document.choices)) return failed('INVALID_RESPONSE', usage);
  const [choice] = document.choices as unknown[];
  if (choice === undefined) return failed('EMPTY', usage);
  if (!isRecord(choice) || !isRecord(choice.message)) return failed('INVALID_RESPONSE', usage);
  const { message } = choice;
  return readChoice({
    content: message.content,
    refusal: message.refusal,
    calls: Array.isArray(message.tool_calls) ? message.tool_calls.map(rawCall) : [],
    state: messageStateOf(message),
    finishReason: finishReasonOf(choice.finish_reason),
    usage,
    ended: false,
  });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
