import type { CaseDecision, CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import type { CaseRequested } from '@inquest/contracts/case-facts';
import type { CaseView } from '@inquest/contracts/case-view';
import type { Step, ToolCallId, WorkService } from '@inquest/contracts/ids';
import type { VerifiedSource } from '@inquest/contracts/outcome';

/** An entry of a case's chain with its place in the log. */
export type CaseEntry = { seq: number; decision: CaseDecision };

/** Which bytes were released, and in which fact they stand. */
export type CaseRelease = { snapshotHash: string; reportHash: string | null; evidenceStep: Step };

export type ReservedCall = {
  service: WorkService;
  step: Step;
  settled: CaseEventOf<'ActionSettled'> | null;
};

/**
 * A case as its chain tells it. `view` lacks the released bytes, what follows from them and their author, which stand
 * in other facts: `release` and `draftStep` say where.
 */
export type FoldedCase = {
  view: CaseView;
  release: CaseRelease | null;
  draftStep: Step | null;
  /** The draft that the evidence guard passed last, of the diagnosis that is being built. */
  accepted: { snapshotHash: string; reportHash: string; sources: readonly VerifiedSource[] } | null;
  /** The checkpoint; shown once the case has ended by it. */
  completed: { ref: string; review: number | null } | null;
  /** Position of CaseOutcomeSealed: a cancellation behind it comes too late. */
  sealedSeq: number | null;
  /** Position of the terminal fact. */
  terminalSeq: number | null;
  calls: ReadonlyMap<ToolCallId, ReservedCall>;
  /** Budget of each account, from the policy that is frozen with the revision. */
  actionsPerHypothesis: number;
};

export type Place = { seq: number; at: string };

/** What each event does; one handler for each, so that a new event is a type error until somebody thinks of it. */
export type Handlers<Type extends CaseEvent['type'] = CaseEvent['type']> = {
  [Each in Type]: (folded: FoldedCase, event: CaseEventOf<Each>, place: Place) => FoldedCase;
};

export const unchanged = (folded: FoldedCase): FoldedCase => folded;

export const withView = (folded: FoldedCase, change: Partial<CaseView>): FoldedCase => ({
  ...folded,
  view: { ...folded.view, ...change },
});

export const withBudgets = (folded: FoldedCase, change: Partial<CaseView['budgets']>): FoldedCase =>
  withView(folded, { budgets: { ...folded.view.budgets, ...change } });

const unused = { used: 0, max: null };

/** A case that was asked for and that no orchestrator has taken up yet. */
export const receivedCase = (request: CaseRequested): FoldedCase => ({
  view: {
    caseId: request.caseId,
    tenant: request.tenant,
    sessionId: request.sessionId,
    question: request.question,
    source: request.source,
    window: request.window,
    zone: request.zone,
    locale: request.locale,
    fromRun: request.fromRun,
    coordinates: request.coordinates,
    status: 'OPENED',
    revision: 1,
    promptVersion: null,
    evaluatorVersion: null,
    hypotheses: [],
    actions: [],
    findings: [],
    matrix: [],
    reviews: [],
    building: null,
    diagnosis: null,
    reportHash: null,
    snapshotHash: null,
    changeRequest: null,
    inconclusive: null,
    fallback: null,
    failure: null,
    cancellation: null,
    budgets: {
      turns: unused,
      actions: unused,
      tokens: unused,
      earlyReviews: unused,
      modelCalls: 0,
      deadlineAt: null,
    },
    timings: { requestedAt: request.requestedAt, startedAt: null, endedAt: null, totalMs: null },
    author: null,
  },
  release: null,
  draftStep: null,
  accepted: null,
  completed: null,
  sealedSeq: null,
  terminalSeq: null,
  calls: new Map(),
  actionsPerHypothesis: 0,
});
