import type { Payload } from '@inquest/contracts/payload';
import type { AgentResult } from '@inquest/contracts/agent-facts';
import type { ChatOutcome } from '@inquest/model-client/chat-outcome';
import { cleanJsonText } from '@inquest/model-client/clean-text';
import { jsonTextOf } from '@inquest/model-client/json-answer';

/**
 * The draft in a model's text: its JSON document, or the whole text where there is none, so that it is the
 * EvidenceGuard who says what is wrong with it and the model gets its one repair.
 */
export const draftTextOf = (text: string): string => cleanJsonText(jsonTextOf(text) ?? text.trim());

/** What one attempt of the agent's model means to the run. `store` keeps a draft, inline or by name. */
export const agentResultOf = async (
  outcome: ChatOutcome,
  draftBytesMax: number,
  store: (draft: string) => Promise<Payload>,
): Promise<AgentResult> => {
  switch (outcome.kind) {
    case 'FAILED':
      return outcome;
    case 'TOOL_CALLS': {
      const { calls, providerState, record } = outcome;
      return { kind: 'TOOL_CALLS', calls, providerState, record };
    }
    case 'TEXT': {
      const draft = draftTextOf(outcome.text);
      // Over its bound a draft is as good as one that was cut off.
      if (Buffer.byteLength(draft, 'utf8') > draftBytesMax) {
        return { kind: 'FAILED', failure: 'LENGTH', retryAfterMs: null, record: outcome.record };
      }
      return { kind: 'DRAFT', draft: await store(draft), record: outcome.record };
    }
  }
};
