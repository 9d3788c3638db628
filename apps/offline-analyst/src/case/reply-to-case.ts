import { json, type Reply } from '../conversation/reply';
import { diagnose, rankedHypotheses } from '../diagnosis/diagnose';
import { writeDraft } from '../diagnosis/write-draft';
import { readView } from '../evidence/read-view';
import { repairDraft } from '../repair/repair-draft';
import { conversationOfCase, type CaseRequest } from './case-request';
import { formHypotheses } from './form';
import { standingOf } from './standing';
import { takeTurn } from './take-turn';

/** The investigator of a case: hypotheses, one turn, the final diagnosis or its repair. */
export const replyToCase = (request: CaseRequest): Reply => {
  const { document, order, offered } = request;
  if (order.kind === 'REPAIR') return repairDraft(order.repair);
  const view = readView(conversationOfCase(request));
  if (order.kind === 'DIAGNOSE') return json(writeDraft(view, diagnose(view, rankedHypotheses(view))));
  const { turn } = order;
  if (turn.mode === 'FORM') return json({ hypotheses: formHypotheses(view, turn.hypothesesMax) });
  return json(takeTurn({ standing: standingOf(view), document, order: turn, offered }));
};
