import { pointersWhere } from './json-pointer';
import type { Call } from './ledger-view';
import type { DraftView } from './rule';
import type { TextIndex } from './text-index';

export type Place = { toolCallId: string; candidates: string[] };

/** Calls that may support a statement, besides the one that does not. */
const usable = ({ status, evidenceStatus, index }: Call): boolean =>
  index !== null && status === 'READY' && evidenceStatus === 'EVIDENCE_FOUND';

/** What stands everywhere, such as 0 or `ok`, points nowhere. */
const tells = (value: unknown): boolean =>
  (typeof value === 'string' && value.length >= 4) || (typeof value === 'number' && Math.abs(value) >= 100);

/** Another call of the ledger that shows a name or text, with the places of the strings that hold it. */
export const textElsewhere = (
  { ledger }: DraftView,
  toolCallId: string,
  text: string,
  shows: (index: TextIndex) => boolean,
): Place | null => {
  if (!tells(text)) return null;
  const call = ledger.calls.find(
    (c) => c.toolCallId !== toolCallId && usable(c) && c.index && shows(c.index),
  );
  return call
    ? {
        toolCallId: call.toolCallId,
        candidates: pointersWhere(
          call.index?.document,
          (value) => typeof value === 'string' && value.includes(text),
        ),
      }
    : null;
};

/** Another call of the ledger in whose output a value stands as a scalar of its own. */
export const valueElsewhere = ({ ledger }: DraftView, toolCallId: string, value: unknown): Place | null => {
  if (!tells(value)) return null;
  for (const call of ledger.calls) {
    if (call.toolCallId === toolCallId || !usable(call)) continue;
    if (!call.index?.text.includes(JSON.stringify(value))) continue;
    const candidates = pointersWhere(call.index.document, (leaf) => leaf === value);
    if (candidates.length > 0) return { toolCallId: call.toolCallId, candidates };
  }
  return null;
};
