import { z } from 'zod';
import type { ChatRequest, Message } from '../http/chat-request';

const Question = z.looseObject({
  kind: z.literal('question'),
  intent: z.enum(['DIAGNOSIS', 'KNOWLEDGE_QUERY', 'OUT_OF_SCOPE']),
  question: z.string(),
  window: z.looseObject({ from: z.string(), to: z.string() }).nullish(),
  zone: z.string().nullish(),
  asOf: z.string().nullish(),
  limits: z.looseObject({ toolCallsLeft: z.number(), callsPerResponseMax: z.number() }).optional(),
});
export type Question = z.infer<typeof Question>;

export const RepairOrder = z.looseObject({
  kind: z.literal('repair'),
  draft: z.string(),
  violations: z.array(
    z.looseObject({
      ruleId: z.string(),
      analysisId: z.string().nullish(),
      path: z.string(),
      toolCallId: z.string().nullish(),
      message: z.string().optional(),
      candidates: z.array(z.string()).optional(),
    }),
  ),
  validToolCallIds: z.array(z.string()).default([]),
});
export type RepairOrder = z.infer<typeof RepairOrder>;

const WindowOfCall = z.looseObject({ from: z.string(), to: z.string() });

const Meta = z.looseObject({
  toolCallId: z.string(),
  tool: z.string(),
  status: z.string(),
  evidenceStatus: z.string(),
  errorClass: z.string().nullish(),
  scope: z.record(z.string(), z.string()).nullish(),
  window: WindowOfCall.nullish(),
  matched: z.number().nullish(),
  returned: z.number().nullish(),
  truncated: z.boolean().nullish(),
  limitHit: z.boolean().nullish(),
  sampled: z.boolean().nullish(),
  partial: z.boolean().nullish(),
  selectorKnown: z.boolean().nullish(),
});
export type Meta = z.infer<typeof Meta>;

/** One answered call: what was asked, how it went, and the projection (its document is null where there is none). */
export type ToolAnswer = {
  toolCallId: string;
  tool: string;
  args: Record<string, unknown>;
  meta: Meta;
  text: string;
  document: unknown;
};

export type Conversation = {
  question: Question;
  answers: ToolAnswer[];
  /** Turns with accepted calls; a turn whose calls were all rejected leaves no assistant message. */
  assistantTurns: number;
  /** Turns in which calls were rejected. */
  rejectedTurns: number;
  concluding: boolean;
  repair: RepairOrder | null;
};

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const kindOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string'
    ? value.kind
    : undefined;

/** The JSON document of each user message, with its `kind`; anything else is no instruction to these rules. */
export const userDocuments = (messages: readonly Message[]): { kind: string; value: unknown }[] =>
  messages.flatMap((message) => {
    if (message.role !== 'user') return [];
    const value = parseJson(message.content);
    const kind = kindOf(value);
    return kind === undefined ? [] : [{ kind, value }];
  });

const ToolContent = z.looseObject({ meta: Meta, projection: z.string().nullable() });

const argumentsOf = (text: string): Record<string, unknown> => {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
};

/** Every answered call of a transcript, in its order. */
export const answersOf = (messages: readonly Message[]): ToolAnswer[] => {
  const proposed = new Map<string, { tool: string; args: Record<string, unknown> }>();
  const answers: ToolAnswer[] = [];
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const call of message.tool_calls ?? [])
        proposed.set(call.id, { tool: call.function.name, args: argumentsOf(call.function.arguments) });
    }
    if (message.role !== 'tool') continue;
    const parsed = ToolContent.safeParse(parseJson(message.content));
    if (!parsed.success) continue;
    const { meta, projection } = parsed.data;
    const call = proposed.get(message.tool_call_id) ?? { tool: meta.tool, args: {} };
    const text = projection ?? '';
    answers.push({
      toolCallId: message.tool_call_id,
      ...call,
      meta,
      text,
      document: parseJson(text) ?? null,
    });
  }
  return answers;
};

/** The investigation that a request carries, or undefined when it carries none. */
export const conversationOf = (request: ChatRequest): Conversation | undefined => {
  const documents = userDocuments(request.messages);
  const question = Question.safeParse(documents.find(({ kind }) => kind === 'question')?.value);
  if (!question.success) return undefined;
  const last = documents.at(-1);
  const repair = last?.kind === 'repair' ? RepairOrder.safeParse(last.value) : undefined;
  return {
    question: question.data,
    answers: answersOf(request.messages),
    rejectedTurns: documents.filter(({ kind }) => kind === 'rejected').length,
    assistantTurns: request.messages.filter(({ role }) => role === 'assistant').length,
    concluding:
      last?.kind === 'conclude' || request.tool_choice === 'none' || (request.tools ?? []).length === 0,
    repair: repair?.success ? repair.data : null,
  };
};
