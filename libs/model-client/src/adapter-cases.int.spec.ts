import { AttemptRecord } from '@inquest/contracts/model-call';
import { startScriptedModel, text, type ScriptedModel } from '@inquest/testing/scripted-model';
import { ADAPTER_CASES, ADAPTER_ROWS } from '../test/adapter-cases';
import { callsOf, failureOf } from '../test/asking';
import type { Variant } from '../test/cases/adapter-case';
import type { ChatOutcome } from './chat-outcome';
import { jsonTextOf } from './json-answer';
import { ModelEndpoint } from './model-endpoint';
import type { IdMode } from './proposed-calls';

describe('model adapter: the 55 cases, behind a real endpoint', () => {
  let model: ScriptedModel;
  let attempts = 0;
  beforeAll(async () => {
    model = await startScriptedModel(() => text('unset'));
  });
  afterAll(() => model.close());

  /** The last turn's answer as the adapter understands it. Every attempt was one request. */
  const attempt = async (
    variant: Variant,
    stream: boolean,
    mode: 'strict' | 'mint',
  ): Promise<ChatOutcome> => {
    const turn = variant.turns.length;
    const reply = variant.turns[turn - 1];
    if (reply === undefined) throw new Error('a case has a turn');
    model.play((request) => (typeof reply === 'function' ? reply(request) : reply));
    const idempotencyKey = `run/${++attempts}`;
    const ids: IdMode = mode === 'mint' ? { kind: 'mint', turn } : { kind: 'strict' };
    const outcome = await new ModelEndpoint({ baseUrl: model.url, apiKey: 'k', stream }).attempt({
      request: { model: 'm', messages: [{ role: 'user', content: 'q' }] },
      idempotencyKey,
      ids,
      timeoutMs: variant.timeoutMs ?? 10_000,
      signal: new AbortController().signal,
    });
    expect(model.counts.get(idempotencyKey)).toBe(1);
    return outcome;
  };

  it('are all there, in order', () => {
    expect(ADAPTER_CASES.map(({ n }) => n)).toEqual(Array.from({ length: 55 }, (_, i) => i + 1));
  });

  describe.each(['strict', 'mint'] as const)('H2 under %s ids', (mode) => {
    it.each(ADAPTER_ROWS.map((row) => [row.name, row] as const))('%s', async (_, { wire, variant }) => {
      const outcome = await attempt(variant, wire === 'stream', mode);
      expect(failureOf(outcome)).toBe(variant.outcome);
      AttemptRecord.parse(outcome.record);
      if (variant[mode])
        expect(callsOf(outcome).map((c) => [c.toolCallId, c.name, c.argumentsText])).toEqual(variant[mode]);
      if (outcome.kind === 'TEXT')
        expect(jsonTextOf(outcome.text) ?? outcome.text.trim()).toBe(variant.answer);
      if (outcome.kind === 'FAILED') expect(outcome.retryAfterMs).toBe(variant.retryAfterMs ?? null);
    });
  });
});
