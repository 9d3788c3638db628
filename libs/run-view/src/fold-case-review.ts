import type { CaseEventOf } from '@inquest/contracts/case-decision';
import { earlyReviewRef } from '@inquest/contracts/case-steps';
import type { ReviewView } from '@inquest/contracts/case-view';
import { tellsApart } from './case-matrix';
import { unchanged, withBudgets, withView, type FoldedCase, type Handlers } from './folded-case';

const withReview = (
  folded: FoldedCase,
  review: number,
  change: (view: ReviewView) => Partial<ReviewView>,
): FoldedCase =>
  withView(folded, {
    reviews: folded.view.reviews.map((each) =>
      each.review === review ? { ...each, ...change(each) } : each,
    ),
  });

const requested = (
  folded: FoldedCase,
  event: CaseEventOf<'EarlyDiagnosisRequested'>,
  at: string,
): FoldedCase => {
  const { review, hypothesisId, reason, evidence, countercheckRefs, deferred } = event;
  const { reviews, matrix, budgets } = folded.view;
  const asked: ReviewView = {
    review,
    ref: null,
    state: 'preparing',
    hypothesisId,
    reason,
    requestedAt: at,
    evidence,
    counterchecks: countercheckRefs.map((findingId) => ({
      findingId,
      diagnostic: tellsApart(matrix, findingId, hypothesisId),
    })),
    deferred: deferred.map((id) => ({ hypothesisId: id, reason: null })),
    passes: [],
    decision: null,
  };
  const counted = withBudgets(folded, { earlyReviews: { ...budgets.earlyReviews, used: review } });
  return withView(counted, { reviews: [...reviews, asked] });
};

/** Said in preparation, which only the request that is prepared has. */
const deferred = (folded: FoldedCase, event: CaseEventOf<'AlternativeDeferred'>): FoldedCase => {
  const preparing = folded.view.reviews.find(({ state }) => state === 'preparing');
  if (!preparing) return folded;
  const { hypothesisId, reason } = event;
  return withReview(folded, preparing.review, (view) => ({
    deferred: [
      ...view.deferred.filter((each) => each.hypothesisId !== hypothesisId),
      { hypothesisId, reason },
    ],
  }));
};

const building = (folded: FoldedCase, event: CaseEventOf<'DiagnosisBuildingStarted'>): FoldedCase => {
  const { diagnosis, review, leading } = event;
  const begun = withView(
    { ...folded, accepted: null, draftStep: null },
    { status: 'BUILDING_DIAGNOSIS', building: { diagnosis, review, leading } },
  );
  if (review === null) return begun;
  return withReview(begun, review, () => ({ state: 'building', ref: earlyReviewRef(diagnosis, review) }));
};

const declined = (
  folded: FoldedCase,
  event: CaseEventOf<'EarlyDiagnosisDeclined'>,
  at: string,
): FoldedCase => {
  const { review, reason, text } = event;
  const back = withView(
    { ...folded, accepted: null, draftStep: null },
    { status: 'INVESTIGATING_HYPOTHESES', building: null },
  );
  return withReview(back, review, () => ({
    state: 'declined',
    decision: { kind: 'DECLINED', at, reason, text },
  }));
};

const completed = (folded: FoldedCase, event: CaseEventOf<'DiagnosisCompleted'>, at: string): FoldedCase => {
  const { artifactRef: ref, review } = event;
  const noted: FoldedCase = { ...folded, completed: { ref, review } };
  if (review === null) return noted;
  return withReview(noted, review, () => ({ state: 'accepted', decision: { kind: 'ACCEPTED', at } }));
};

type Reviewing =
  | 'EarlyDiagnosisRequested'
  | 'AlternativeDeferred'
  | 'DiagnosisBuildingStarted'
  | 'EarlyReviewPassRecorded'
  | 'EarlyReviewAccepted'
  | 'EarlyDiagnosisDeclined'
  | 'FinalDraftReceived'
  | 'FinalEvidenceAccepted'
  | 'FinalEvidenceRejected'
  | 'FinalSemanticRecorded'
  | 'DiagnosisCompleted';

/** From the request of an early diagnosis, or the end of all accounts, to the checkpoint. */
export const REVIEW: Handlers<Reviewing> = {
  EarlyDiagnosisRequested: (folded, event, { at }) => requested(folded, event, at),
  AlternativeDeferred: deferred,
  DiagnosisBuildingStarted: building,
  EarlyReviewPassRecorded: (folded, { review, pass, hypothesisId, confidence, objection }) =>
    withReview(folded, review, (view) => ({
      passes: [...view.passes, { pass, hypothesisId, confidence, objection }],
    })),
  // The evaluator's word is not the end of it: the final validation may still decline (E7). The checkpoint decides.
  EarlyReviewAccepted: unchanged,
  EarlyDiagnosisDeclined: (folded, event, { at }) => declined(folded, event, at),
  FinalDraftReceived: (folded, { step }) => ({ ...folded, draftStep: step, accepted: null }),
  FinalEvidenceAccepted: (folded, { snapshotHash, reportHash, verifiedSources }) => ({
    ...folded,
    accepted: { snapshotHash, reportHash, sources: verifiedSources },
  }),
  FinalEvidenceRejected: (folded) => ({ ...folded, accepted: null }),
  FinalSemanticRecorded: unchanged,
  DiagnosisCompleted: (folded, event, { at }) => completed(folded, event, at),
};
