import type { EvidenceRequested, EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload, storePayload } from '@inquest/event-log/payloads';
import type { Verdict } from '@inquest/evidence-rules/validate-draft';

/** Turns a verdict into the fact. The snapshot is stored before the fact that names it, and read back, so that no fact ever names what is not there. */
export const resultOf = async (
  payloads: PayloadStore,
  tenant: string,
  { revision, ruleSet }: EvidenceRequested,
  verdict: Verdict,
  ms: number,
): Promise<EvidenceResult> => {
  if (verdict.kind === 'REJECTED')
    return { kind: 'REJECTED', revision, violations: verdict.violations, ruleSet, ms };
  const { snapshotText, snapshotHash, reportHash, items, verifiedSources, attention } = verdict;
  const snapshot = await storePayload(payloads, tenant, snapshotText);
  if (snapshot.sha256 !== snapshotHash) throw new Error('the stored snapshot is not the frozen one');
  if (snapshot.blob !== undefined) await loadPayload(payloads, snapshot);
  return {
    kind: 'ACCEPTED',
    revision,
    snapshot,
    snapshotHash,
    reportHash,
    items,
    verifiedSources,
    attention,
    ruleSet,
    ms,
  };
};
