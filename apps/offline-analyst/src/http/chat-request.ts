import { z } from 'zod';
import { OpenAiError } from './openai-error';

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const Content = z
  .union([z.string(), z.array(TextPart), z.null()])
  .optional()
  .transform((content) =>
    Array.isArray(content) ? content.map((part) => part.text).join('') : (content ?? ''),
  );

const ToolCall = z.looseObject({
  id: z.string().min(1),
  type: z.literal('function').optional(),
  function: z.looseObject({ name: z.string().min(1), arguments: z.string() }),
});

const Message = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: Content }),
  z.looseObject({ role: z.literal('developer'), content: Content }),
  z.looseObject({ role: z.literal('user'), content: Content }),
  z.looseObject({ role: z.literal('assistant'), content: Content, tool_calls: z.array(ToolCall).optional() }),
  z.looseObject({ role: z.literal('tool'), content: Content, tool_call_id: z.string().min(1) }),
]);
export type Message = z.infer<typeof Message>;

const Tool = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: z.string().min(1), parameters: z.unknown().optional() }),
});

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string().min(1) }) }),
]);

/** The part of POST /v1/chat/completions that the rules read; everything else of the API is accepted and ignored. */
export const ChatRequest = z.looseObject({
  model: z.string().min(1),
  messages: z.array(Message).min(1).max(2_000),
  tools: z.array(Tool).max(128).optional(),
  tool_choice: ToolChoice.optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  n: z.literal(1).nullish(),
});
export type ChatRequest = z.infer<typeof ChatRequest>;

const where = (path: PropertyKey[]): string | null =>
  path.length === 0
    ? null
    : path
        .map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at ? '.' : ''}${String(part)}`))
        .join('');

/** @throws OpenAiError 400 that names the first wrong member */
export const parseChatRequest = (text: string): ChatRequest => {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new OpenAiError(400, 'The body is not valid JSON.');
  }
  const parsed = ChatRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const param = where(issue?.path ?? []);
  throw new OpenAiError(400, `Invalid request: ${param ?? 'body'}: ${issue?.message}`, null, param);
};
