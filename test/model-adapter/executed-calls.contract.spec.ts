import { startScriptedModel, text, type ScriptedModel } from '@inquest/testing/scripted-model';
import { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { ADAPTER_ROWS } from '../../libs/model-client/test/adapter-cases';
import { AgentTurns } from './agent-turns';

let model: ScriptedModel;
let attempts = 0;
beforeAll(async () => {
  model = await startScriptedModel(() => text('unset'));
});
afterAll(() => model.close());

/**
 * The 55 cases once more, now to the end: what the harness accepts of a response and what tools really run. A response
 * that is no sound one runs nothing, and each turn is one request.
 */
describe.each(['strict', 'mint'] as const)('H2 what runs under %s ids', (mode) => {
  it.each(ADAPTER_ROWS.map((row) => [row.name, row] as const))('%s', async (_, { wire, variant }) => {
    const turns = new AgentTurns(mode);
    const endpoint = new ModelEndpoint({ baseUrl: model.url, apiKey: 'k', stream: wire === 'stream' });
    for (const reply of variant.turns) {
      model.play((request) => (typeof reply === 'function' ? reply(request) : reply));
      const key = `run/${++attempts}`;
      await turns.turn(endpoint, key, variant.timeoutMs ?? 10_000);
      expect(model.counts.get(key)).toBe(1);
    }
    expect(turns.executed).toEqual(variant.executed[mode]);
    // A failure is what the harness saw as well; an answer is a draft, which the EvidenceGuard has to pass.
    const { last } = turns;
    expect(last?.kind === 'FAILED' ? last.failure : last?.kind).toBe(
      variant.outcome === 'TEXT' ? 'DRAFT' : variant.outcome,
    );
    if (last?.kind === 'DRAFT') expect(last.draft.inline).toBe(variant.answer);
    if (variant.sealed !== undefined) expect(turns.sealed).toBe(variant.sealed[mode]);
  });

  it('13 ids of calls are said back by every tool message, in the order of the calls', async () => {
    const turns = new AgentTurns(mode);
    const endpoint = new ModelEndpoint({ baseUrl: model.url, apiKey: 'k' });
    const asked = [
      { id: 'call_a', name: 'active_alerts', arguments: '{}' },
      { id: '', name: 'active_alerts', arguments: '{}' },
      { id: 'call_b', name: 'list_objects', arguments: '{' },
    ];
    model.play(() => ({ kind: 'CALLS', calls: asked }));
    await turns.turn(endpoint, 'echo/1', 10_000);
    model.play(() => text('{}'));
    await turns.turn(endpoint, 'echo/2', 10_000);
    const { messages } = model.requests.at(-1)!.body;
    const ids = mode === 'strict' ? ['call_a', 'call_b'] : ['tc-1-0', 'tc-1-2'];
    expect(messages.flatMap(({ tool_calls: calls }) => calls?.map(({ id }) => id) ?? [])).toEqual(ids);
    expect(messages.filter(({ role }) => role === 'tool').map(({ tool_call_id: id }) => id)).toEqual(ids);
    expect(turns.refused).toEqual(['BAD_ARGUMENTS']);
    expect(messages.at(-1)?.content).toContain('"rejected"');
  });
});
