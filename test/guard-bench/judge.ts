import type { ItemVerdict, Snapshot } from '@inquest/contracts/semantic-facts';
import { judge } from '../../apps/offline-analyst/src/judge/judge';
import { boundaryOf, judgeDocument } from '../../apps/semantic-guard/src/judge/judge-document';
import { validateVerdicts } from '../../apps/semantic-guard/src/judge/verdict-validation';

const BOUNDARY = boundaryOf('5f0c7d2e9a');

/**
 * The items of a frozen snapshot that the offline judge supports, as the SemanticGuard reads its answer. One item that is not
 * among them is enough to release nothing; an invalid answer supports none.
 */
export const supportedItems = (snapshotText: string, snapshotHash: string): ReadonlySet<string> => {
  const snapshot = JSON.parse(snapshotText) as Snapshot;
  const reply = judge(judgeDocument(snapshot, snapshotHash, BOUNDARY));
  const text = reply.kind === 'TEXT' ? reply.text : '';
  const validation = validateVerdicts({ text, finishReason: 'stop' }, snapshot, snapshotHash);
  const verdicts: ItemVerdict[] = validation.kind === 'VALID' ? validation.verdicts : [];
  return new Set(verdicts.flatMap(({ itemId, verdict }) => (verdict === 'SUPPORTED' ? [itemId] : [])));
};
