import { parseJson, type RepairOrder } from '../conversation/conversation';
import type { Reply } from '../conversation/reply';
import { isNode } from './node';
import { remedies } from './remedies';
import { settled } from './settle';

/**
 * The one repair, done mechanically: what a violation points at is deleted or narrowed, what was not told is told as a
 * limitation, and references to what is gone are taken out. Nothing is added, so that a repair cannot claim more.
 */
export const repairDraft = ({ draft, violations }: RepairOrder): Reply => {
  const document = parseJson(draft);
  // What was no JSON object has no part that could be kept.
  if (!isNode(document)) return { kind: 'TEXT', text: draft };
  const copy = structuredClone(document);
  remedies(copy, violations);
  return { kind: 'TEXT', text: JSON.stringify(settled(copy)) };
};
