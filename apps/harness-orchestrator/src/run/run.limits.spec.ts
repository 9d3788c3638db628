import { ACK_WAIT_MS } from '@inquest/event-log/log-settings';
import { RUN_LIMITS, narrowed } from './run.limits';

describe('The limits of a run', () => {
  it.each(['toolTimeoutMs', 'evidenceTimeoutMs', 'modelTimeoutMs', 'semanticTimeoutMs'] as const)(
    'leave a step its second worker when the first one dies: %s',
    (limit) => {
      expect(RUN_LIMITS[limit]).toBeGreaterThanOrEqual(ACK_WAIT_MS + 15_000);
    },
  );

  it('can be narrowed by a request and never widened', () => {
    const asked = { toolCallsMax: 3, wallClockMs: RUN_LIMITS.wallClockMs * 2 };
    expect(narrowed(RUN_LIMITS, asked)).toEqual({ ...RUN_LIMITS, toolCallsMax: 3 });
  });
});
