import type { CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import { isTerminalCaseEvent } from '@inquest/contracts/case-decision';
import type { HypothesisId } from '@inquest/contracts/case-parts';
import type { TokenUsage } from '@inquest/contracts/model-call';
import { assertNever } from '@inquest/decider/decider';
import type { ActionRecord, Building, Case, CaseState, EarlyReview, HypothesisRecord } from './case.state';

const ms = (instant: string): number => Date.parse(instant);

const begin = (opened: CaseEventOf<'CaseOpened'>): Case => ({
  opened,
  phase: 'FORMING_HYPOTHESES',
  promptVersion: opened.promptVersion,
  open: [],
  turn: 0,
  hypotheses: [],
  actions: [],
  findings: [],
  previousInvalid: null,
  lost: {},
  reviews: [],
  diagnoses: 0,
  building: null,
  modelCalls: 0,
  tokens: 0,
  cancellation: null,
  sealed: null,
  ended: null,
});

const MODEL_SERVICES: readonly string[] = ['investigator', 'evaluator', 'semantic'];

/** A step without its attempt: what is asked again is the same. */
export const baseOf = (step: string): string => step.replace(/-a\d+$/, '');

const closed = (c: Case, step: string): Case => ({ ...c, open: c.open.filter((o) => o.step !== step) });

const withHypothesis = (
  c: Case,
  id: HypothesisId,
  change: (h: HypothesisRecord) => Partial<HypothesisRecord>,
): Case => ({
  ...c,
  hypotheses: c.hypotheses.map((h) => (h.id === id ? { ...h, ...change(h) } : h)),
});

/** What settles or releases an action also closes its step. */
const withAction = (c: Case, toolCallId: string, change: Partial<ActionRecord>): Case => ({
  ...c,
  open: c.open.filter((o) => o.toolCallId !== toolCallId),
  actions: c.actions.map((a) => (a.toolCallId === toolCallId ? { ...a, ...change } : a)),
});

const withReview = (c: Case, review: number, change: (r: EarlyReview) => Partial<EarlyReview>): Case => ({
  ...c,
  reviews: c.reviews.map((r) => (r.review === review ? { ...r, ...change(r) } : r)),
});

const withBuilding = (c: Case, change: (b: Building) => Partial<Building>): Case =>
  c.building === null ? c : { ...c, building: { ...c.building, ...change(c.building) } };

const spend = (c: Case, usage: TokenUsage | null): Case => ({
  ...c,
  tokens: c.tokens + (usage === null ? 0 : usage.promptTokens + usage.completionTokens),
});

const turnOf = (step: string): number => Number(/^t(\d+)-/.exec(step)?.[1] ?? 0);

const requested = (c: Case, event: CaseEventOf<'CaseStepRequested'>): Case => {
  const { type: _type, deadlineAt, ...step } = event;
  const next: Case = {
    ...c,
    open: [...c.open, { ...step, deadlineAtMs: ms(deadlineAt) }],
    turn: Math.max(c.turn, turnOf(event.step)),
    modelCalls: c.modelCalls + (MODEL_SERVICES.includes(event.service) ? 1 : 0),
    // What was wrong with a turn is told to its next attempt, and to nobody after it.
    previousInvalid: event.attempt > 1 ? c.previousInvalid : event.kind === 'act' ? c.previousInvalid : null,
  };
  if (event.kind !== 'turn' || event.hypothesisId === null) return next;
  const id = event.hypothesisId;
  const after = withHypothesis(next, id, () => ({ hadTurn: true }));
  const pending = c.reviews.find(({ state }) => state === 'preparing');
  return event.mode === 'PREPARE' && pending !== undefined
    ? withReview(after, pending.review, (r) => ({ prepared: [...r.prepared, id] }))
    : after;
};

const reserved = (c: Case, event: CaseEventOf<'ActionReserved'>): Case => {
  const { type: _type, turn: _turn, deadlineAt: _deadline, ...action } = event;
  const record: ActionRecord = {
    ...action,
    state: 'reserved',
    status: null,
    evidenceStatus: null,
    contentHash: null,
    assessed: false,
  };
  return withHypothesis({ ...c, actions: [...c.actions, record] }, event.hypothesisId, (h) => ({
    reserved: h.reserved + 1,
  }));
};

const assessed = (c: Case, event: CaseEventOf<'TurnAssessed'>): Case => ({
  ...closed(c, event.step),
  findings: [...c.findings, ...event.findings],
  actions: c.actions.map((a) => (event.assessed.includes(a.toolCallId) ? { ...a, assessed: true } : a)),
  hypotheses: c.hypotheses.map((h) =>
    h.id === event.hypothesisId ? { ...h, confidence: event.confidence } : h,
  ),
});

const building = (c: Case, { diagnosis, review, leading }: CaseEventOf<'DiagnosisBuildingStarted'>): Case => {
  const next: Case = {
    ...c,
    phase: 'BUILDING_DIAGNOSIS',
    diagnoses: diagnosis,
    building: {
      diagnosis,
      review,
      leading,
      passes: [],
      drafts: [],
      violations: [],
      accepted: null,
      judged: [],
    },
  };
  return review === null ? next : withReview(next, review, () => ({ state: 'building' }));
};

/** The one way back, by the persisted decline of the pending request (E9). */
const declined = (
  c: Case,
  { review, reason, text, knownContent }: CaseEventOf<'EarlyDiagnosisDeclined'>,
): Case =>
  withReview({ ...c, phase: 'INVESTIGATING_HYPOTHESES', building: null }, review, () => ({
    state: 'declined',
    decline: { reason, text, knownContent },
  }));

type AccountEvent = CaseEventOf<
  | 'ActionReserved'
  | 'ActionSettled'
  | 'ActionReleased'
  | 'TurnAssessed'
  | 'HypothesisConcluded'
  | 'HypothesisRejected'
  | 'HypothesisExhausted'
>;

/** What moves accounts: reservations, what became of them, assessments, closings. */
const evolveAccounts = (c: Case, event: AccountEvent): Case => {
  switch (event.type) {
    case 'ActionReserved':
      return reserved(c, event);
    case 'ActionSettled':
      return withHypothesis(
        withAction(c, event.toolCallId, {
          state: 'settled',
          status: event.status,
          evidenceStatus: event.evidenceStatus,
          contentHash: event.contentHash,
        }),
        event.hypothesisId,
        (h) => ({ reserved: h.reserved - 1, spent: h.spent + 1 }),
      );
    case 'ActionReleased':
      return withHypothesis(
        withAction(c, event.toolCallId, { state: 'released' }),
        event.hypothesisId,
        (h) => ({ reserved: h.reserved - 1 }),
      );
    case 'TurnAssessed':
      return assessed(c, event);
    case 'HypothesisConcluded':
      return withHypothesis(c, event.hypothesisId, () => ({ state: 'concluded' }));
    case 'HypothesisRejected':
      return withHypothesis(c, event.hypothesisId, () => ({ state: 'rejected' }));
    case 'HypothesisExhausted':
      return withHypothesis(c, event.hypothesisId, () => ({ state: 'exhausted' }));
    default:
      return assertNever(event);
  }
};

type DiagnosisEvent = CaseEventOf<
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
  | 'DiagnosisCompleted'
>;

/** The way to a diagnosis: early requests, their review, the final draft and its guards. */
const evolveDiagnosis = (c: Case, event: DiagnosisEvent): Case => {
  switch (event.type) {
    case 'EarlyDiagnosisRequested':
      return {
        ...c,
        reviews: [
          ...c.reviews,
          {
            review: event.review,
            hypothesisId: event.hypothesisId,
            countercheckRefs: event.countercheckRefs,
            state: 'preparing',
            prepared: [],
            decline: null,
          },
        ],
      };
    case 'AlternativeDeferred':
      return c;
    case 'DiagnosisBuildingStarted':
      return building(c, event);
    case 'EarlyReviewPassRecorded':
      return withBuilding(closed(c, event.step), (b) => ({
        passes: [...b.passes, { pass: event.pass, confidence: event.confidence }],
      }));
    case 'EarlyReviewAccepted':
      return withReview(c, event.review, () => ({ state: 'accepted' }));
    case 'EarlyDiagnosisDeclined':
      return declined(c, event);
    case 'FinalDraftReceived':
      return withBuilding(closed(c, event.step), (b) => ({
        drafts: [...b.drafts, { revision: event.revision, step: event.step }],
      }));
    case 'FinalEvidenceAccepted': {
      const { step, snapshotHash, conclusionStatus } = event;
      return withBuilding(closed(c, step), () => ({ accepted: { step, snapshotHash, conclusionStatus } }));
    }
    case 'FinalEvidenceRejected':
      return withBuilding(closed(c, event.step), () => ({ violations: event.violations }));
    case 'FinalSemanticRecorded':
      return withBuilding(closed(c, event.step), (b) => ({
        judged: [...b.judged, { attempt: event.attempt, outcome: event.outcome }],
      }));
    case 'DiagnosisCompleted':
      return c;
    default:
      return assertNever(event);
  }
};

const evolveCase = (c: Case, event: CaseEvent): Case => {
  if (isTerminalCaseEvent(event)) return { ...c, open: [], ended: event };
  switch (event.type) {
    case 'CaseOpened':
      throw new Error('a case is opened once');
    case 'CaseStepRequested':
      return requested(c, event);
    case 'PromptVersionAdopted':
      return { ...c, promptVersion: event.to };
    case 'CaseModelCallRecorded':
      return spend(closed(c, event.step), event.usage);
    case 'CaseAttemptFailed': {
      const base = baseOf(event.step);
      const lost = event.failure === 'ATTEMPT_LOST' ? { [base]: (c.lost[base] ?? 0) + 1 } : {};
      return { ...closed(c, event.step), lost: { ...c.lost, ...lost } };
    }
    case 'InvalidResponseRecorded':
      return { ...closed(c, event.step), previousInvalid: event.why };
    case 'CaseStepTimedOut':
    case 'CaseLateResultDiscarded':
      return closed(c, event.step);
    case 'HypothesesFormed':
      return {
        ...closed(c, event.step),
        phase: 'INVESTIGATING_HYPOTHESES',
        hypotheses: event.hypotheses.map((h) => ({
          ...h,
          confidence: 'unassessed',
          state: 'open',
          reserved: 0,
          spent: 0,
          hadTurn: false,
        })),
      };
    case 'ActionReserved':
    case 'ActionSettled':
    case 'ActionReleased':
    case 'TurnAssessed':
    case 'HypothesisConcluded':
    case 'HypothesisRejected':
    case 'HypothesisExhausted':
      return evolveAccounts(c, event);
    case 'EarlyDiagnosisRequested':
    case 'AlternativeDeferred':
    case 'DiagnosisBuildingStarted':
    case 'EarlyReviewPassRecorded':
    case 'EarlyReviewAccepted':
    case 'EarlyDiagnosisDeclined':
    case 'FinalDraftReceived':
    case 'FinalEvidenceAccepted':
    case 'FinalEvidenceRejected':
    case 'FinalSemanticRecorded':
    case 'DiagnosisCompleted':
      return evolveDiagnosis(c, event);
    case 'CaseCancellationRequested':
      return { ...c, cancellation: { cause: event.cause, settleByMs: ms(event.settleBy) } };
    case 'CaseOutcomeSealed':
      return { ...c, sealed: event.outcome };
    default:
      return assertNever(event);
  }
};

/** Folds one event of the chain. An event before the opening is a broken chain. */
export const evolve = (state: CaseState, event: CaseEvent): CaseState => {
  if (state.status === 'NOT_STARTED') {
    if (event.type !== 'CaseOpened') throw new Error(`a case cannot begin with ${event.type}`);
    return { status: 'STARTED', case: begin(event) };
  }
  return { status: 'STARTED', case: evolveCase(state.case, event) };
};
