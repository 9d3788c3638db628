import type { ToolCallId } from '@inquest/contracts/ids';
import { HASH_A, RunUnderTest, call, found, toolCalls } from './run.fixtures';

describe('the context of a run', () => {
  it('never lets results outgrow the context: what is left is shared, and then the agent has to conclude', () => {
    const contextBytesMax = 40_000;
    const run = new RunUnderTest({
      limits: { contextBytesMax, projectionBytesMax: 16_000, callsPerResponseMax: 4 },
    }).route();
    for (let turn = 1; run.run.open[0]?.mode === 'INVESTIGATE'; turn += 1) {
      run.agent(toolCalls(...[0, 1, 2, 3].map((i) => call(`c${turn}-${i}`))));
      const promised = run.run.open.map((step) => step.projectionBytesMax ?? Number.NaN);
      expect(run.run.contextBytes + promised.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(
        contextBytesMax,
      );
      for (const { step, toolCallId, projectionBytesMax = 0 } of run.run.open) {
        const projection = { sha256: HASH_A, bytes: projectionBytesMax, inline: '{}' };
        run.answer(step, {
          service: 'tool',
          result: found({ toolCallId: toolCallId as ToolCallId, projection }),
        });
      }
    }
    expect(run.run.open).toMatchObject([{ mode: 'CONCLUDE' }]);
    expect(run.run.contextBytes).toBeLessThanOrEqual(contextBytesMax);
    expect(run.run.contextBytes).toBeGreaterThan(contextBytesMax / 2);
  });

  it('gives each result its whole room while there is enough, also in a run that knows no such limit', () => {
    for (const contextBytesMax of [undefined, 1_000_000]) {
      const run = new RunUnderTest({ limits: { contextBytesMax } }).route().agent(toolCalls(call('c1')));
      expect(run.run.open).toMatchObject([{ projectionBytesMax: run.run.started.limits.projectionBytesMax }]);
    }
  });
});
