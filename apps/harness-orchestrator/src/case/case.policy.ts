import { MAX_EARLY_REVIEWS_DEFAULT, type InvestigationPolicy } from '@inquest/contracts/case-parts';

/** What an investigation may use unless it asks for less. Each case freezes its own at its opening (E12). */
export const INVESTIGATION_POLICY: Required<InvestigationPolicy> = {
  hypothesesMax: 5,
  actionsPerHypothesis: 8,
  actionsTotalMax: 40,
  actionsPerTurnMax: 3,
  turnsMax: 40,
  maxInvalidResponses: 2,
  maxEarlyReviews: MAX_EARLY_REVIEWS_DEFAULT,
  evaluatorAttemptsMax: 2,
  semanticAttemptsMax: 2,
  repairsMax: 1,
  lossesMax: 2,
  tokensMax: 2_000_000,
  wallClockMs: 3_600_000,
  projectionBytesMax: 32 * 1024,
  draftBytesMax: 128 * 1024,
  modelTimeoutMs: 120_000,
  toolTimeoutMs: 45_000,
  evidenceTimeoutMs: 45_000,
  semanticTimeoutMs: 90_000,
  evaluatorTimeoutMs: 120_000,
  cancelSettleMs: 10_000,
};

/** A request may narrow the policy, never widen it. */
export const narrowedPolicy = (
  base: InvestigationPolicy,
  wanted: Partial<InvestigationPolicy> | null,
): InvestigationPolicy => {
  const policy = { ...base };
  for (const key of Object.keys(base) as (keyof InvestigationPolicy)[]) {
    const [own, asked] = [base[key], wanted?.[key]];
    if (own !== undefined && asked !== undefined) policy[key] = Math.min(own, asked);
  }
  return policy;
};
