import type { RunLimits } from '@inquest/contracts/run-limits';

/**
 * What a run may use unless it asks for less. All limits stand here and nowhere else; each run records its own at its
 * start. A step of a service that makes no second attempt outlives one dead worker: the broker hands its message to
 * another after 30 s, and that one still has time for the work. A tool's own time-out is shorter.
 */
export const RUN_LIMITS: RunLimits = {
  modelCallsMax: 16,
  toolCallsMax: 40,
  parallelToolsMax: 8,
  callsPerResponseMax: 16,
  tokensMax: 1_000_000,
  wallClockMs: 600_000,
  projectionBytesMax: 32 * 1024,
  // About 100,000 tokens of JSON: a context of 128,000 has room for the prompts, the tools and the draft beside it.
  contextBytesMax: 320 * 1024,
  draftBytesMax: 128 * 1024,
  repairsMax: 1,
  routerAttemptsMax: 2,
  semanticAttemptsMax: 2,
  agentAttemptsMax: 1,
  agentLossesMax: 2,
  unusableIdTurnsMax: 3,
  routerTimeoutMs: 45_000,
  modelTimeoutMs: 120_000,
  toolTimeoutMs: 45_000,
  evidenceTimeoutMs: 45_000,
  semanticTimeoutMs: 90_000,
  cancelSettleMs: 10_000,
};

/** Ceilings of the requirements (H9): configuration may go below, never above; the process refuses to start otherwise. */
export const ATTEMPT_CEILINGS = {
  routerAttemptsMax: 2,
  semanticAttemptsMax: 2,
  repairsMax: 1,
  agentAttemptsMax: 3,
} as const;

/** A run lasts at most an hour. */
export const WALL_CLOCK_CEILING_MS = 3_600_000;

/** The worker's own time-out comes first and yields a typed result; the harness closes the step this much later. */
export const STEP_DEADLINE_SLACK_MS = 2_000;

/** A request may narrow a limit, never widen it. */
export const narrowed = (base: RunLimits, wanted: Partial<RunLimits> | null): RunLimits => {
  if (wanted === null) return base;
  const limits = { ...base };
  for (const key of Object.keys(base) as (keyof RunLimits)[]) {
    const [own, asked] = [base[key], wanted[key]];
    if (asked !== undefined) limits[key] = own === undefined ? asked : Math.min(own, asked);
  }
  return limits;
};
