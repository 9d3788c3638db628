import { z } from 'zod';

const count = (max: number) => z.number().int().min(0).max(max);

/** Recorded on the run at its start; a later change of configuration never changes a run that has begun. */
export const RunLimits = z.strictObject({
  modelCallsMax: count(64),
  toolCallsMax: count(128),
  parallelToolsMax: count(32),
  callsPerResponseMax: count(32),
  tokensMax: count(4_000_000),
  wallClockMs: count(3_600_000),
  projectionBytesMax: count(262_144),
  /**
   * What all results of a run may take of the agent's context, arguments of its calls included. Absent on runs that began
   * before there was such a limit.
   */
  contextBytesMax: count(8_388_608).optional(),
  draftBytesMax: count(262_144),
  repairsMax: count(1),
  routerAttemptsMax: count(2),
  semanticAttemptsMax: count(2),
  agentAttemptsMax: count(3),
  /** Lost attempts (a lease that ran out) that an agent call may suffer besides its attempts. */
  agentLossesMax: count(5),
  unusableIdTurnsMax: count(3),
  routerTimeoutMs: count(600_000),
  modelTimeoutMs: count(600_000),
  toolTimeoutMs: count(600_000),
  evidenceTimeoutMs: count(600_000),
  semanticTimeoutMs: count(600_000),
  /** How long outstanding work may take to settle after a cancellation. */
  cancelSettleMs: count(60_000),
});
export type RunLimits = z.infer<typeof RunLimits>;
