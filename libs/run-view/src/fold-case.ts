import type { CaseEvent, CaseEventOf, TerminalCaseEvent } from '@inquest/contracts/case-decision';
import type { CaseRequested } from '@inquest/contracts/case-facts';
import { maxEarlyReviewsOf } from '@inquest/contracts/case-parts';
import { CASE_FAILURE_TEXT, INCONCLUSIVE_TEXT } from '@inquest/contracts/case-texts';
import type { Step } from '@inquest/contracts/ids';
import { safeFallback } from '@inquest/contracts/safe-texts';
import { RESEARCH } from './fold-case-research';
import { REVIEW } from './fold-case-review';
import {
  receivedCase,
  unchanged,
  withBudgets,
  withView,
  type CaseEntry,
  type FoldedCase,
  type Handlers,
  type Place,
} from './folded-case';

const opened = (folded: FoldedCase, event: CaseEventOf<'CaseOpened'>, { at }: Place): FoldedCase => {
  const { policy, promptVersion, evaluatorVersion, revision, deadlineAt } = event;
  const { budgets, timings } = folded.view;
  return withView(
    { ...folded, actionsPerHypothesis: policy.actionsPerHypothesis },
    {
      promptVersion,
      evaluatorVersion,
      revision,
      timings: { ...timings, startedAt: at },
      budgets: {
        ...budgets,
        deadlineAt,
        turns: { ...budgets.turns, max: policy.turnsMax },
        actions: { ...budgets.actions, max: policy.actionsTotalMax },
        tokens: { ...budgets.tokens, max: policy.tokensMax },
        earlyReviews: { ...budgets.earlyReviews, max: maxEarlyReviewsOf(policy) },
      },
    },
  );
};

const MODEL_SERVICES: readonly string[] = ['investigator', 'evaluator', 'semantic'];

const stepRequested = (
  folded: FoldedCase,
  { service, mode }: CaseEventOf<'CaseStepRequested'>,
): FoldedCase => {
  const { status, budgets } = folded.view;
  const calls = budgets.modelCalls + (MODEL_SERVICES.includes(service) ? 1 : 0);
  const counted = withBudgets(folded, { modelCalls: calls });
  return mode === 'FORM' && status === 'OPENED'
    ? withView(counted, { status: 'FORMING_HYPOTHESES' })
    : counted;
};

const ended = (folded: FoldedCase, event: TerminalCaseEvent, { seq, at }: Place): FoldedCase => {
  const { budgets, timings } = folded.view;
  const used = <Budget extends { used: number }>(budget: Budget, n: number): Budget => ({
    ...budget,
    used: n,
  });
  return withView(
    { ...folded, terminalSeq: seq },
    {
      building: null,
      budgets: {
        ...budgets,
        turns: used(budgets.turns, event.turns),
        actions: used(budgets.actions, event.actions),
        tokens: used(budgets.tokens, event.tokens),
        modelCalls: event.modelCalls,
      },
      timings: {
        ...timings,
        endedAt: at,
        totalMs: Math.max(0, Date.parse(at) - Date.parse(timings.requestedAt)),
      },
    },
  );
};

/** The report hash is that of the draft whose snapshot is released; without it there is nothing that could be checked. */
const released = (folded: FoldedCase, snapshotHash: string, evidenceStep: Step): FoldedCase => {
  const { accepted, completed } = folded;
  const reportHash = accepted?.snapshotHash === snapshotHash ? accepted.reportHash : null;
  return withView(
    { ...folded, release: { snapshotHash, reportHash, evidenceStep } },
    { snapshotHash, reportHash, diagnosis: completed },
  );
};

const inconclusive = (
  folded: FoldedCase,
  event: CaseEventOf<'CaseInconclusive'>,
  place: Place,
): FoldedCase => {
  const { reason, snapshotHash, evidenceStep, fallback: type } = event;
  const { caseId, locale } = folded.view;
  const verifiedSources = folded.accepted?.sources ?? [];
  const told = withView(ended(folded, event, place), {
    status: 'INCONCLUSIVE',
    inconclusive: { reason, text: INCONCLUSIVE_TEXT[reason] },
    fallback: type === null ? null : safeFallback({ type, runId: caseId, locale, verifiedSources }),
  });
  return snapshotHash === null || evidenceStep === null ? told : released(told, snapshotHash, evidenceStep);
};

type Course = Exclude<CaseEvent['type'], keyof typeof RESEARCH | keyof typeof REVIEW>;

/** The opening, what happens to calls, and the endings. */
const COURSE: Handlers<Course> = {
  CaseOpened: opened,
  CaseStepRequested: stepRequested,
  PromptVersionAdopted: (folded, { to }) => withView(folded, { promptVersion: to }),
  CaseModelCallRecorded: (folded, { usage }) => {
    const { tokens } = folded.view.budgets;
    const used = tokens.used + (usage?.promptTokens ?? 0) + (usage?.completionTokens ?? 0);
    return withBudgets(folded, { tokens: { ...tokens, used } });
  },
  CaseAttemptFailed: unchanged,
  InvalidResponseRecorded: unchanged,
  CaseStepTimedOut: unchanged,
  CaseLateResultDiscarded: unchanged,
  CaseCancellationRequested: (folded, { cause }, { at }) =>
    withView(folded, { cancellation: { cause, requestedAt: at } }),
  CaseOutcomeSealed: (folded, _, { seq }) => ({ ...folded, sealedSeq: seq }),
  CaseDiagnosed: (folded, event, place) =>
    released(
      withView(ended(folded, event, place), { status: 'DIAGNOSED' }),
      event.snapshotHash,
      event.evidenceStep,
    ),
  CaseInconclusive: inconclusive,
  CaseFailed: (folded, event, place) =>
    withView(ended(folded, event, place), {
      status: 'FAILED',
      failure: { reason: event.reason, text: CASE_FAILURE_TEXT[event.reason] },
    }),
  CaseCancelled: (folded, event, place) =>
    withView(ended(folded, event, place), {
      status: 'CANCELLED',
      cancellation: folded.view.cancellation ?? { cause: event.cause, requestedAt: place.at },
    }),
};

const HANDLERS: Handlers = { ...COURSE, ...RESEARCH, ...REVIEW };

const evolve = <Type extends CaseEvent['type']>(
  folded: FoldedCase,
  event: CaseEventOf<Type>,
  place: Place,
): FoldedCase => (HANDLERS as Handlers<Type>)[event.type as Type](folded, event, place);

/** The case after one more entry of its chain. What stands behind the terminal event changes nothing that people see. */
export const foldCaseEntry = (folded: FoldedCase, { seq, decision }: CaseEntry): FoldedCase =>
  decision.events.reduce(
    (state, event) => (state.terminalSeq === null ? evolve(state, event, { seq, at: decision.at }) : state),
    folded,
  );

/** Folds a case from its request and its chain, in order. */
export const foldCase = (request: CaseRequested, chain: readonly CaseEntry[]): FoldedCase =>
  chain.reduce(foldCaseEntry, receivedCase(request));
