import type { EvidenceRequested, EvidenceResult } from '@inquest/contracts/evidence-facts';
import { DiagnosisDraft, type ConclusionStatus } from '@inquest/contracts/draft';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import type { PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload, storePayload } from '@inquest/event-log/payloads';
import type { Verdict } from '@inquest/evidence-rules/validate-draft';

/** Turns a verdict into the fact. The snapshot is stored before the fact that names it, and read back, so that no fact ever names what is not there. */
export const resultOf = async (
  payloads: PayloadStore,
  tenant: string,
  { revision, ruleSet, draftService }: EvidenceRequested,
  verdict: Verdict,
  told: { ms: number; linkHosts: readonly string[] },
): Promise<EvidenceResult> => {
  const common = {
    revision,
    ruleSet,
    ms: told.ms,
    ...(told.linkHosts.length === 0 ? {} : { linkHosts: [...told.linkHosts] }),
  };
  if (verdict.kind === 'REJECTED') return { kind: 'REJECTED', violations: verdict.violations, ...common };
  const { snapshotText, snapshotHash, reportHash, items, verifiedSources, attention } = verdict;
  const snapshot = await storePayload(payloads, tenant, snapshotText);
  if (snapshot.sha256 !== snapshotHash) throw new Error('the stored snapshot is not the frozen one');
  if (snapshot.blob !== undefined) await loadPayload(payloads, snapshot);
  return {
    kind: 'ACCEPTED',
    snapshot,
    snapshotHash,
    reportHash,
    items,
    verifiedSources,
    attention,
    ...common,
    // A case ends by what its diagnosis concludes, and the harness reads no drafts.
    ...(draftService === 'investigator' ? { conclusionStatus: conclusionOf(snapshotText) } : {}),
  };
};

const conclusionOf = (snapshotText: string): ConclusionStatus => {
  const { report } = Snapshot.parse(JSON.parse(snapshotText));
  return DiagnosisDraft.parse(JSON.parse(report)).conclusion.status;
};
