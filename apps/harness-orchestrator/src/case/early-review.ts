import type { Evaluation } from '@inquest/contracts/case-facts';
import {
  maxEarlyReviewsOf,
  type Confidence,
  type DeclineReason,
  type Finding,
  type HypothesisId,
  type InvestigationPrompt,
} from '@inquest/contracts/case-parts';
import { actionOf, contentsOf, type Case } from './case.state';

/** Protocols of before early reviews (E2). */
const WITHOUT: ReadonlySet<InvestigationPrompt> = new Set(['investigation_v1', 'investigation_project_v2']);

export const offersDiagnosis = (version: InvestigationPrompt): boolean => !WITHOUT.has(version);

/** Whether evidence content has come in since the last decline; a fresh id on known content does not count (E13). */
const hasNewContent = (c: Case): boolean => {
  const declined = [...c.reviews].reverse().find(({ decline }) => decline !== null)?.decline;
  if (!declined) return true;
  return contentsOf(c).some((hash) => !declined.knownContent.includes(hash));
};

/** Whether an early diagnosis may be asked for at all, whatever the hypothesis: protocol, limit, new content. */
export const mayRequestDiagnosis = (c: Case, version: InvestigationPrompt): boolean =>
  offersDiagnosis(version) && c.reviews.length < maxEarlyReviewsOf(c.opened.policy) && hasNewContent(c);

/** Whether a finding tells hypotheses apart. Shown to people and to the evaluator; never a reason to refuse (E4). */
export const isDiagnostic = ({ cells }: Finding, requested: HypothesisId): boolean => {
  const own = cells.find(({ hypothesisId }) => hypothesisId === requested)?.cell ?? 'neutral';
  return cells.some(({ hypothesisId, cell }) => hypothesisId !== requested && cell !== own);
};

const isEvidence = (c: Case, toolCallId: string): boolean =>
  actionOf(c, toolCallId)?.evidenceStatus === 'EVIDENCE_FOUND';

const ratingOf = (evaluation: Evaluation, id: HypothesisId): Confidence | null =>
  evaluation.ratings.find(({ hypothesisId }) => hypothesisId === id)?.confidence ?? null;

/** What speaks against accepting one evaluation of the requested hypothesis; null when nothing does (E7). */
export const objectionOf = (
  c: Case,
  requested: HypothesisId,
  evaluation: Evaluation,
): DeclineReason | null => {
  const { hypothesisId, directEvidence, countercheck, contradictions } = evaluation;
  if (hypothesisId === null) return 'INCONCLUSIVE';
  if (hypothesisId !== requested) return 'OTHER_HYPOTHESIS';
  if (ratingOf(evaluation, requested) !== 'strongly_supported') return 'INSUFFICIENT_CONFIDENCE';
  if (!directEvidence.some(({ toolCallId }) => isEvidence(c, toolCallId))) return 'NO_DIRECT_EVIDENCE';
  const grounded = countercheck.toolCallIds.some((id) => actionOf(c, id)?.state === 'settled');
  if (!countercheck.adequate || !grounded) return 'COUNTERCHECK_INADEQUATE';
  if (contradictions.some(({ material, resolved }) => material && !resolved))
    return 'UNRESOLVED_CONTRADICTION';
  return null;
};

export const confidenceIn = (evaluation: Evaluation): Confidence | null =>
  evaluation.hypothesisId === null ? null : ratingOf(evaluation, evaluation.hypothesisId);
