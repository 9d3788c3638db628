import { RULE_SET, type EvidenceRequested, type EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import type { LedgerRecord } from '@inquest/evidence-rules/guard-input';
import { validateDraft, type Verdict } from '@inquest/evidence-rules/validate-draft';

export type Failed = Extract<EvidenceResult, { kind: 'FAILED' }>;

/** What a request names, read and with every digest of a stored object checked. */
export type NamedFacts = { draftText: string; previousDraftText: string | undefined; ledger: LedgerRecord[] };

/** The guard's decision on one request: a pure function of the request and the facts that it names. */
export const judgeDraft = (
  request: EvidenceRequested,
  facts: NamedFacts,
  given: { runId: RunId; linkHosts: readonly string[] },
): Verdict | Failed => {
  if (request.ruleSet !== RULE_SET) return { kind: 'FAILED', failure: 'RULE_SET_UNKNOWN' };
  const { intent, revision, draftBytesMax, question, zone, asOf, repairOf, ruleSet } = request;
  return validateDraft({
    ...given,
    ...facts,
    intent,
    revision,
    draftBytesMax,
    question,
    zone,
    asOf,
    repairOf,
    ruleSet,
  });
};
