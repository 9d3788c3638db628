/** All ages are told by the broker's timestamps against this machine's clock; `skewMs` is what the two may differ by. */
export type LeaseTiming = {
  /** How long a lease holds after its last renewal. */
  leaseMs: number;
  skewMs: number;
  renewEveryMs: number;
  /** Without a renewal for this long the holder gives up its HTTP call: well before anybody may call the lease expired. */
  giveUpMs: number;
  /** How long the result is offered to a broker that does not answer. */
  commitMs: number;
};

export const LEASE_TIMING: LeaseTiming = {
  leaseMs: 30_000,
  skewMs: 5_000,
  renewEveryMs: 10_000,
  giveUpMs: 20_000,
  commitMs: 30_000,
};

/** The same proportions for a lease of another length; a test of crashes does not wait for half a minute. */
export const leaseTimingOf = (leaseMs: number): LeaseTiming => ({
  leaseMs,
  skewMs: leaseMs / 6,
  renewEveryMs: leaseMs / 3,
  giveUpMs: (leaseMs * 2) / 3,
  commitMs: LEASE_TIMING.commitMs,
});

/** How long another worker must still wait before it may call the lease expired; 0 or less: it has expired. */
export const leaseLeftMs = (storedAtMs: number, nowMs: number, timing: LeaseTiming): number =>
  storedAtMs + timing.leaseMs + timing.skewMs - nowMs;
