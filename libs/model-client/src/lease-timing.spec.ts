import { LEASE_TIMING, leaseLeftMs, leaseTimingOf } from './lease-timing';

describe('The timing of leases', () => {
  it('keeps its proportions at any length', () => {
    expect(leaseTimingOf(LEASE_TIMING.leaseMs)).toEqual(LEASE_TIMING);
  });

  it.each([600, 3_000, 30_000])(
    'gives a call up well before anybody may call its lease expired: %d ms',
    (leaseMs) => {
      const timing = leaseTimingOf(leaseMs);
      expect(timing.renewEveryMs).toBeLessThan(timing.giveUpMs);
      expect(timing.giveUpMs).toBeLessThan(timing.leaseMs);
      expect(leaseLeftMs(0, timing.giveUpMs, timing)).toBeGreaterThan(timing.skewMs);
    },
  );
});
