import { json, type Reply } from '../conversation/reply';
import { exhibitOf } from './exhibit';
import { gradeItem } from './grade-item';
import { JudgeRequest } from './judge-request';

/**
 * The judge's answer: one verdict for each item. It shares no code with the author of drafts, so that a mistake in the
 * author's rules is not repeated here.
 */
export const judge = (document: unknown): Reply => {
  const request = JudgeRequest.safeParse(document);
  if (!request.success) return json({ snapshotHash: null, verdicts: [] });
  const { snapshotHash, items, evidence, boundary } = request.data;
  const exhibits = new Map(evidence.map((piece) => [piece.toolCallId, exhibitOf(piece, boundary)]));
  return json({ snapshotHash, verdicts: items.map((item) => gradeItem(item, items, exhibits)) });
};
