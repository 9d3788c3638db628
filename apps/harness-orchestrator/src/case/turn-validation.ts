import type { InvestigatorTurn, NextKind } from '@inquest/contracts/case-facts';
import type { FindingId, HypothesisId, InvalidWhy, InvestigationPrompt } from '@inquest/contracts/case-parts';
import { actionOf, hypothesisOf, type Case, type HypothesisRecord, type OpenCaseStep } from './case.state';
import { mayRequestDiagnosis } from './early-review';

export const findingId = (turn: number, index: number): FindingId => `f${turn}-${index}` as FindingId;

/** What a hypothesis may still reserve: its own budget, and what is left of the case's. */
export const actionsLeft = (c: Case, h: HypothesisRecord): number => {
  const { actionsPerHypothesis, actionsTotalMax } = c.opened.policy;
  const used = c.actions.filter(({ state }) => state !== 'released').length;
  return Math.max(0, Math.min(actionsPerHypothesis - h.spent - h.reserved, actionsTotalMax - used));
};

export const actionsNow = (c: Case, h: HypothesisRecord): number =>
  Math.min(actionsLeft(c, h), c.opened.policy.actionsPerTurnMax);

/** What a turn may end in. Nothing but a decision about what is known while a request is prepared (E5). */
export const permittedNext = (
  c: Case,
  h: HypothesisRecord,
  mode: 'INVESTIGATE' | 'PREPARE',
  version: InvestigationPrompt,
): NextKind[] => {
  if (mode === 'PREPARE') return ['assess', 'defer', 'reject'];
  const research: NextKind[] = actionsNow(c, h) > 0 ? ['research'] : [];
  const request: NextKind[] = mayRequestDiagnosis(c, version) ? ['request_diagnosis'] : [];
  return [...research, 'assess', 'conclude', ...request, 'reject'];
};

const findingProblem = (c: Case, { findings }: InvestigatorTurn): InvalidWhy | null => {
  for (const { toolCallIds, cells } of findings) {
    const foreign = toolCallIds.find((id) => actionOf(c, id)?.state !== 'settled');
    if (foreign !== undefined) return 'CITES_NO_RESULT_OF_THIS_CASE';
    if (cells.some(({ hypothesisId }) => hypothesisOf(c, hypothesisId) === undefined))
      return 'UNKNOWN_HYPOTHESIS';
    if (new Set(cells.map(({ hypothesisId }) => hypothesisId)).size < cells.length)
      return 'TWO_CELLS_FOR_ONE_HYPOTHESIS';
  }
  return null;
};

/** Ids and structure only: whether the evidence carries the cause is the evaluator's to say (E3, E4). */
const requestProblem = (
  c: Case,
  id: HypothesisId,
  { findings, assessment, next }: InvestigatorTurn,
): InvalidWhy | null => {
  if (next.kind !== 'request_diagnosis') return null;
  if ((assessment?.confidence ?? hypothesisOf(c, id)?.confidence) !== 'strongly_supported')
    return 'NOT_STRONGLY_SUPPORTED';
  const all = [...c.findings, ...findings.map((f, i) => ({ ...f, id: findingId(c.turn, i) }))];
  const carried = all.some(
    ({ cells, toolCallIds }) =>
      cells.some(({ hypothesisId, cell }) => hypothesisId === id && cell === 'consistent') &&
      toolCallIds.some((call) => actionOf(c, call)?.evidenceStatus === 'EVIDENCE_FOUND'),
  );
  if (!carried) return 'NO_CONSISTENT_EVIDENCE';
  for (const ref of next.countercheckRefs) {
    const finding = all.find((f) => f.id === ref);
    if (finding === undefined) return 'UNKNOWN_COUNTERCHECK';
    if (!finding.cells.some(({ hypothesisId }) => hypothesisId !== id))
      return 'COUNTERCHECK_WITHOUT_ALTERNATIVE';
  }
  return null;
};

/** What is wrong with a turn; null for a valid one. */
export const turnProblem = (c: Case, open: OpenCaseStep, turn: InvestigatorTurn): InvalidWhy | null => {
  const h = hypothesisOf(c, open.hypothesisId);
  if (h === undefined || (open.mode !== 'INVESTIGATE' && open.mode !== 'PREPARE')) return 'NOT_ASKED_FOR';
  const version = open.promptVersion as InvestigationPrompt;
  const { next } = turn;
  if (!permittedNext(c, h, open.mode, version).includes(next.kind)) return 'NEXT_NOT_PERMITTED';
  if (next.kind === 'research' && next.actions.length > actionsNow(c, h)) return 'TOO_MANY_ACTIONS';
  return findingProblem(c, turn) ?? requestProblem(c, h.id, turn);
};
