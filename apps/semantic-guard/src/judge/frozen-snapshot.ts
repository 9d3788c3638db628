import { sha256 } from '@inquest/contracts/canonical-json';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import { PayloadUnusable, type EventLog, type PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';

export type Frozen = { snapshot: Snapshot; snapshotHash: string; text: string };

/**
 * The snapshot that the EvidenceGuard froze, read by name and checked against the hash of the request. Undefined where
 * it is not that snapshot, or not of this run: there is nothing to judge then. The only fact that this service reads.
 */
export const readFrozen = async (
  log: EventLog,
  payloads: PayloadStore,
  at: { runId: string; evidenceStep: string; snapshotHash: string },
): Promise<Frozen | undefined> => {
  const subject = runSubjects(at.runId, log.partitions).res('evidence', at.evidenceStep);
  const message = await log.readLast(subject, 'any');
  if (!message) throw new Error(`${subject} is named by a request and not there (yet)`);
  const result = evidenceResult.schema.safeParse(message.data).data;
  if (result?.kind !== 'ACCEPTED' || result.snapshotHash !== at.snapshotHash) return undefined;
  const text = await textOf(loadPayload(payloads, result.snapshot));
  if (text === undefined || sha256(text) !== at.snapshotHash) return undefined;
  const snapshot = Snapshot.safeParse(JSON.parse(text)).data;
  return snapshot?.runId === at.runId ? { snapshot, snapshotHash: at.snapshotHash, text } : undefined;
};

const textOf = (text: Promise<string>): Promise<string | undefined> =>
  text.catch((error: unknown) => {
    if (error instanceof PayloadUnusable) return undefined;
    throw error;
  });
