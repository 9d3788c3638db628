import type { PreviousTurn } from '@inquest/contracts/run-decision';
import type { RunRequested } from '@inquest/contracts/inbound-facts';

/** The published read model, as far as the choice of a previous turn needs it. Read-only. */
export interface SessionHistory {
  /** Whether the projection has passed these positions, one per partition. */
  hasReached(positions: readonly number[]): Promise<boolean>;
  /** The latest DIAGNOSIS + SUCCESS run of the session that was released before the instant (H7). */
  latestDiagnosis(
    tenant: string,
    sessionId: string,
    beforeMs: number,
  ): Promise<Extract<PreviousTurn, { kind: 'RUN' }> | undefined>;
}

/** Where no read model is configured: whether a session has a past is not known. */
export const NO_HISTORY: SessionHistory & { close(): Promise<void> } = {
  hasReached: () => Promise.reject(new Error('no read model is configured')),
  latestDiagnosis: () => Promise.reject(new Error('no read model is configured')),
  close: () => Promise.resolve(),
};

export const PROJECTION_WAIT_MS = 2_000;
const PROJECTION_POLL_MS = 25;

/**
 * Which run the new one follows. Waits, at most two seconds, until the projection holds what the gateway knew when the
 * question came in; a projection that is away or behind yields UNKNOWN, which the chain records.
 */
export const previousTurnOf = async (
  request: RunRequested,
  history: SessionHistory,
  clock: { nowMs: () => number; pause: (ms: number) => Promise<void> },
): Promise<PreviousTurn> => {
  if (request.sessionId === null) return { kind: 'NONE' };
  const giveUpAtMs = clock.nowMs() + PROJECTION_WAIT_MS;
  try {
    while (!(await history.hasReached(request.knownPositions))) {
      if (clock.nowMs() >= giveUpAtMs) return { kind: 'UNKNOWN' };
      await clock.pause(PROJECTION_POLL_MS);
    }
    const latest = await history.latestDiagnosis(
      request.tenant,
      request.sessionId,
      Date.parse(request.requestedAt),
    );
    return latest ?? { kind: 'NONE' };
  } catch {
    return { kind: 'UNKNOWN' };
  }
};
