import { canonicalJson } from '@inquest/contracts/canonical-json';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { AgentMode, AgentRequested, ProposedCall, TurnRef } from '@inquest/contracts/agent-facts';
import type { ChatMessage, OfferedTool, ToolChoice } from '@inquest/model-client/chat-request';
import { echoState } from '@inquest/model-client/provider-state';
import { DIAGNOSIS_V1 } from '../prompts/diagnosis-v1';
import { KNOWLEDGE_V1 } from '../prompts/knowledge-v1';

export type LoadedCall = {
  toolCallId: ToolCallId;
  proposed: ProposedCall;
  /** Null: its deadline closed the step and there is no result. */
  result: { entry: LedgerEntry; projection: string } | null;
};

export type LoadedTurn = Pick<TurnRef, 'rejected'> & { calls: LoadedCall[]; providerState: string | null };

export const KNOWLEDGE_TOOL = 'knowledge_lookup';

const userMessage = (value: unknown): ChatMessage => ({ role: 'user', content: canonicalJson(value) });

const question = (request: AgentRequested): ChatMessage =>
  userMessage({
    kind: 'question',
    intent: request.intent,
    question: request.question,
    source: request.source,
    window: request.window,
    zone: request.zone,
    asOf: request.asOf,
    locale: request.locale,
    previousRun: request.previousRun,
    limits: { toolCallsLeft: request.toolCallsLeft, callsPerResponseMax: request.callsPerResponseMax },
  });

/** What a model is told of a result beside its projection. */
export const metaOfEntry = (entry: LedgerEntry) => ({
  toolCallId: entry.toolCallId,
  tool: entry.tool,
  status: entry.status,
  evidenceStatus: entry.evidenceStatus,
  errorClass: entry.errorClass,
  scope: entry.scope,
  window: entry.window,
  dataSpan: entry.dataSpan,
  matched: entry.matched,
  returned: entry.returned,
  truncated: entry.truncated,
  limitHit: entry.limitHit,
  sampled: entry.sampled,
  partial: entry.partial,
  selectorKnown: entry.selectorKnown,
});

const metaOf = ({ toolCallId, proposed, result }: LoadedCall) =>
  result === null
    ? {
        toolCallId,
        tool: proposed.name,
        status: 'ERROR',
        evidenceStatus: 'ERROR',
        errorClass: 'STEP_TIMED_OUT',
      }
    : { ...metaOfEntry(result.entry), toolCallId };

/** The projection goes in as the very text that the guards check. */
const toolMessage = (call: LoadedCall): ChatMessage => ({
  role: 'tool',
  tool_call_id: call.toolCallId,
  content: JSON.stringify({ meta: metaOf(call), projection: call.result?.projection ?? null }),
});

/** An assistant message without calls says nothing, and endpoints refuse it: a turn of rejected actions has none. */
const turnMessages = ({ calls, rejected, providerState }: LoadedTurn): ChatMessage[] => {
  const written = calls.map(({ toolCallId, proposed }) => ({
    index: proposed.index,
    call: {
      id: toolCallId,
      type: 'function' as const,
      function: { name: proposed.name, arguments: proposed.argumentsText },
    },
  }));
  const echoed = echoState(providerState, written);
  return [
    ...(calls.length > 0
      ? [{ role: 'assistant' as const, content: null, ...echoed.message, tool_calls: echoed.calls }]
      : []),
    ...calls.map(toolMessage),
    ...(rejected.length > 0 ? [userMessage({ kind: 'rejected', actions: rejected })] : []),
  ];
};

/** What the turn's mode adds at the end. */
const lastMessage = (request: AgentRequested, draft: string | null): ChatMessage[] => {
  if (request.mode === 'CONCLUDE') return [userMessage({ kind: 'conclude' })];
  if (request.mode !== 'REPAIR' || request.repair === null) return [];
  const { violations, validToolCallIds } = request.repair;
  return [userMessage({ kind: 'repair', draft, violations, validToolCallIds })];
};

/** The conversation as the model sees it: a pure function of the request and the facts that it names. */
export const transcriptOf = (
  request: AgentRequested,
  turns: readonly LoadedTurn[],
  draft: string | null,
): ChatMessage[] => [
  { role: 'system', content: (request.intent === 'KNOWLEDGE_QUERY' ? KNOWLEDGE_V1 : DIAGNOSIS_V1).text },
  question(request),
  ...turns.flatMap(turnMessages),
  ...lastMessage(request, draft),
];

/** Tools stay described in every mode, since the transcript speaks of them; whether they may be called is the choice. */
export const toolsFor = (
  request: Pick<AgentRequested, 'intent' | 'mode'>,
  tools: readonly OfferedTool[],
): { tools: OfferedTool[]; toolChoice: ToolChoice } => ({
  tools: tools.filter(
    ({ function: { name } }) => request.intent !== 'KNOWLEDGE_QUERY' || name === KNOWLEDGE_TOOL,
  ),
  toolChoice: choiceIn(request.mode),
});

const choiceIn = (mode: AgentMode): ToolChoice => {
  switch (mode) {
    case 'INVESTIGATE':
      return 'auto';
    case 'KNOWLEDGE_LOOKUP':
      return { type: 'function', function: { name: KNOWLEDGE_TOOL } };
    case 'CONCLUDE':
    case 'KNOWLEDGE_ANSWER':
    case 'REPAIR':
      return 'none';
  }
};
