import { z } from 'zod';
import { canonicalJson } from '@inquest/contracts/canonical-json';
import { Intent } from '@inquest/contracts/outcome';
import type { RouterResult } from '@inquest/contracts/agent-facts';
import type { ChatOutcome } from '@inquest/model-client/chat-outcome';
import type { ChatRequest } from '@inquest/model-client/chat-request';
import { jsonTextOf } from '@inquest/model-client/json-answer';
import { ROUTER_V1 } from '../prompts/router-v1';

const Decision = z.strictObject({ intent: Intent });

const ANSWER = {
  name: 'intent_decision',
  strict: true,
  schema: {
    type: 'object',
    properties: { intent: { type: 'string', enum: [...Intent.options] } },
    required: ['intent'],
    additionalProperties: false,
  },
};

export const routerChat = (model: string, question: string, temperature?: number): ChatRequest => ({
  model,
  messages: [
    { role: 'system', content: ROUTER_V1.text },
    { role: 'user', content: canonicalJson({ kind: 'route', question }) },
  ],
  answer: ANSWER,
  temperature,
});

const intentIn = (text: string): Intent | undefined => {
  const json = jsonTextOf(text);
  return json === undefined ? undefined : Decision.safeParse(JSON.parse(json)).data?.intent;
};

/** The intent, or why this attempt decided none. Nothing is guessed from prose. */
export const routerResultOf = (outcome: ChatOutcome): RouterResult => {
  if (outcome.kind === 'FAILED') return outcome;
  const { record } = outcome;
  const intent = outcome.kind === 'TEXT' ? intentIn(outcome.text) : undefined;
  return intent === undefined
    ? { kind: 'FAILED', failure: 'INVALID_RESPONSE', retryAfterMs: null, record }
    : { kind: 'ROUTED', intent, record };
};
