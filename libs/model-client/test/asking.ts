import { ProposedCall } from '@inquest/contracts/agent-facts';
import { FailedAttempt } from '@inquest/contracts/model-call';
import {
  startScriptedModel,
  text,
  type CallSpec,
  type ScriptedModel,
  type ScriptedReply,
} from '@inquest/testing/scripted-model';
import type { ChatOutcome } from '../src/chat-outcome';
import { ModelEndpoint, type Attempt } from '../src/model-endpoint';

export const API_KEY = 'sk-scripted-0123456789abcdef';

export type Asking = {
  model: () => ScriptedModel;
  /** One attempt at an endpoint that replies so. Whatever happened, it was one request and told no key. */
  ask: (reply: ScriptedReply, options?: Partial<Attempt> & { stream?: boolean }) => Promise<ChatOutcome>;
};

/** Gives a describe block a scripted endpoint and the adapter that asks it. */
export const asking = (): Asking => {
  let model: ScriptedModel;
  let attempts = 0;
  beforeAll(async () => {
    model = await startScriptedModel(() => text('unset'));
  });
  afterAll(() => model.close());
  return {
    model: () => model,
    ask: async (reply, { stream, ...options } = {}) => {
      model.play(() => reply);
      const idempotencyKey = `run/${++attempts}`;
      const cancelledBefore = options.signal?.aborted === true;
      const outcome = await new ModelEndpoint({ baseUrl: model.url, apiKey: API_KEY, stream }).attempt({
        request: { model: 'm', messages: [{ role: 'user', content: 'q' }] },
        idempotencyKey,
        ids: { kind: 'strict' },
        timeoutMs: 5_000,
        signal: new AbortController().signal,
        ...options,
      });
      expect(model.counts.get(idempotencyKey)).toBe(cancelledBefore ? undefined : 1);
      expect(JSON.stringify(outcome)).not.toContain(API_KEY);
      return outcome;
    },
  };
};

/** The failure, or the kind of an outcome that is none. */
export const failureOf = (outcome: ChatOutcome): string =>
  outcome.kind === 'FAILED' ? FailedAttempt.parse(outcome).failure : outcome.kind;

export const callsOf = (outcome: ChatOutcome): ProposedCall[] => {
  if (outcome.kind !== 'TOOL_CALLS') throw new Error(`expected calls, got ${JSON.stringify(outcome)}`);
  return outcome.calls.map((call) => ProposedCall.parse(call));
};

export const call = (over: CallSpec = {}): CallSpec => ({
  id: 'call_a',
  name: 'search_logs',
  arguments: '{"service":"x"}',
  ...over,
});

/** A stream of these chunks. */
export const events = (...chunks: unknown[]): ScriptedReply => ({ kind: 'EVENTS', events: chunks });

export const delta = (toolCalls: unknown[], finish: string | null = null) => ({
  choices: [{ index: 0, delta: { tool_calls: toolCalls }, finish_reason: finish }],
});

export const finish = (reason: string | null) => ({
  choices: [{ index: 0, delta: {}, finish_reason: reason }],
});
