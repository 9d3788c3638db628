import { randomBytes } from 'node:crypto';
import { canonicalJson } from '@inquest/contracts/canonical-json';
import type { Reply } from '../conversation/reply';

/** Named in every completion, so that nobody takes the rules for a language model. */
export const SYSTEM_FINGERPRINT = 'rules-no-language-model';

const CHARS_PER_TOKEN = 4;
const CONTENT_CHARS_PER_CHUNK = 1_024;
const ARGUMENT_CHARS_PER_CHUNK = 64;

type ToolCall = { id: string; type: 'function'; function: { name: string; arguments: string } };
type Usage = { prompt_tokens: number; completion_tokens: number; total_tokens: number };

export type Completion = {
  id: string;
  created: number;
  model: string;
  content: string | null;
  toolCalls: ToolCall[];
  finishReason: 'stop' | 'tool_calls';
  usage: Usage;
};

const randomId = (prefix: string) => `${prefix}${randomBytes(12).toString('hex')}`;
const tokens = (chars: number) => Math.ceil(chars / CHARS_PER_TOKEN);

export const completionOf = (input: {
  model: string;
  reply: Reply;
  promptChars: number;
  created: number;
}): Completion => {
  const { reply } = input;
  const toolCalls: ToolCall[] =
    reply.kind === 'CALLS'
      ? reply.calls.map(({ tool, args }) => ({
          id: randomId('call_'),
          type: 'function',
          function: { name: tool, arguments: canonicalJson(args) },
        }))
      : [];
  const content = reply.kind === 'TEXT' ? reply.text : null;
  const written =
    (content?.length ?? 0) + toolCalls.reduce((sum, call) => sum + JSON.stringify(call).length, 0);
  const usage = { prompt_tokens: tokens(input.promptChars), completion_tokens: tokens(written) };
  return {
    id: randomId('chatcmpl-'),
    created: input.created,
    model: input.model,
    content,
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
};

const head = ({ id, created, model }: Completion, object: string) => ({
  id,
  object,
  created,
  model,
  system_fingerprint: SYSTEM_FINGERPRINT,
});

export const bodyOf = (completion: Completion) => ({
  ...head(completion, 'chat.completion'),
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: completion.content,
        refusal: null,
        ...(completion.toolCalls.length > 0 ? { tool_calls: completion.toolCalls } : {}),
      },
      logprobs: null,
      finish_reason: completion.finishReason,
    },
  ],
  usage: completion.usage,
});

/** Cuts between code points only: half a surrogate pair is no valid JSON text. */
const pieces = function* (text: string, size: number): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + size);
    if (to < text.length && /[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to += 1;
    yield text.slice(from, to);
    from = to;
  }
};

const deltas = function* (completion: Completion): Generator<Record<string, unknown>> {
  yield { role: 'assistant', content: completion.content === null ? null : '' };
  for (const content of pieces(completion.content ?? '', CONTENT_CHARS_PER_CHUNK)) yield { content };
  for (const [index, call] of completion.toolCalls.entries()) {
    const { id, type } = call;
    yield { tool_calls: [{ index, id, type, function: { name: call.function.name, arguments: '' } }] };
    for (const piece of pieces(call.function.arguments, ARGUMENT_CHARS_PER_CHUNK))
      yield { tool_calls: [{ index, function: { arguments: piece } }] };
  }
};

/** The same completion as the chunks of a stream, without the closing `[DONE]`. */
export const chunksOf = function* (completion: Completion, includeUsage: boolean): Generator<unknown> {
  const chunk = (choices: unknown[], usage: Usage | null) => ({
    ...head(completion, 'chat.completion.chunk'),
    choices,
    ...(includeUsage ? { usage } : {}),
  });
  for (const delta of deltas(completion))
    yield chunk([{ index: 0, delta, logprobs: null, finish_reason: null }], null);
  yield chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: completion.finishReason }], null);
  if (includeUsage) yield chunk([], completion.usage);
};
