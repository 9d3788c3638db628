/** The part of the chat completions wire format that Inquest writes. Data travels as JSON text in user and tool messages. */
export type ChatMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: null; tool_calls: AssistantCall[]; [state: string]: unknown }
  | { role: 'tool'; tool_call_id: string; content: string };

export type AssistantCall = {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
  [state: string]: unknown;
};

export type OfferedTool = {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
};

export type ToolChoice = 'auto' | 'none' | { type: 'function'; function: { name: string } };

/** `strict` only for schemas in which every member is required: strict endpoints refuse the others. */
export type AnswerSchema = { name: string; strict: boolean; schema: Record<string, unknown> };

export type ChatRequest = {
  model: string;
  messages: ChatMessage[];
  tools?: OfferedTool[];
  toolChoice?: ToolChoice;
  answer?: AnswerSchema;
  temperature?: number;
};

/** The body as it is sent: the same members in the same order for the same request, so that its JSON text has one hash. */
export const bodyOf = (request: ChatRequest, stream: boolean): Record<string, unknown> => ({
  model: request.model,
  messages: request.messages,
  ...(request.tools && request.tools.length > 0
    ? { tools: request.tools, tool_choice: request.toolChoice ?? 'auto' }
    : {}),
  ...(request.answer ? { response_format: { type: 'json_schema', json_schema: request.answer } } : {}),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  ...(stream ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
});
