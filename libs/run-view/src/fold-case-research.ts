import type { CaseEventOf } from '@inquest/contracts/case-decision';
import type { HypothesisId } from '@inquest/contracts/case-parts';
import type { ActionView, HypothesisView } from '@inquest/contracts/case-view';
import type { ToolCallId } from '@inquest/contracts/ids';
import { matrixRow } from './case-matrix';
import { withBudgets, withView, type FoldedCase, type Handlers } from './folded-case';

const withHypothesis = (
  folded: FoldedCase,
  id: HypothesisId,
  change: (hypothesis: HypothesisView) => Partial<HypothesisView>,
): FoldedCase =>
  withView(folded, {
    hypotheses: folded.view.hypotheses.map((each) => (each.id === id ? { ...each, ...change(each) } : each)),
  });

const withAction = (folded: FoldedCase, id: ToolCallId, change: Partial<ActionView>): FoldedCase =>
  withView(folded, {
    actions: folded.view.actions.map((each) => (each.toolCallId === id ? { ...each, ...change } : each)),
  });

/** Reserved and settled actions count; a released one gives its place back. */
const recounted = (folded: FoldedCase): FoldedCase => {
  const used = folded.view.actions.filter(({ state }) => state !== 'released').length;
  return withBudgets(folded, { actions: { ...folded.view.budgets.actions, used } });
};

const account = (
  folded: FoldedCase,
  id: HypothesisId,
  { reserved = 0, spent = 0 }: { reserved?: number; spent?: number },
): FoldedCase =>
  withHypothesis(folded, id, ({ account: now }) => ({
    account: { ...now, reserved: Math.max(0, now.reserved + reserved), spent: now.spent + spent },
  }));

const closed = (
  folded: FoldedCase,
  id: HypothesisId,
  state: HypothesisView['account']['state'],
  closedBecause: string,
): FoldedCase =>
  withHypothesis(folded, id, ({ account: now }) => ({ account: { ...now, state }, closedBecause }));

const reserved = (folded: FoldedCase, event: CaseEventOf<'ActionReserved'>): FoldedCase => {
  const { toolCallId, hypothesisId, turn, tool, expectedIfTrue, expectedIfFalse, service, step } = event;
  const action: ActionView = {
    toolCallId,
    hypothesisId,
    turn,
    tool,
    expectedIfTrue,
    expectedIfFalse,
    state: 'reserved',
    found: null,
    releasedBecause: null,
    readAs: [],
  };
  const calls = new Map(folded.calls).set(toolCallId, { service, step, settled: null });
  const noted = withView({ ...folded, calls }, { actions: [...folded.view.actions, action] });
  return recounted(account(noted, hypothesisId, { reserved: 1 }));
};

const settled = (folded: FoldedCase, event: CaseEventOf<'ActionSettled'>): FoldedCase => {
  const { toolCallId, hypothesisId, status, evidenceStatus, errorClass, truncated, contentHash } = event;
  const call = folded.calls.get(toolCallId);
  const calls = call ? new Map(folded.calls).set(toolCallId, { ...call, settled: event }) : folded.calls;
  const found = { status, evidenceStatus, errorClass, truncated, contentHash };
  const noted = withAction({ ...folded, calls }, toolCallId, { state: 'settled', found });
  return recounted(account(noted, hypothesisId, { reserved: -1, spent: 1 }));
};

const assessed = (folded: FoldedCase, event: CaseEventOf<'TurnAssessed'>): FoldedCase => {
  const { turn, hypothesisId, findings, confidence, assessment } = event;
  const { view } = folded;
  const actions = view.actions.map((action) => ({
    ...action,
    readAs: [
      ...action.readAs,
      ...findings
        .filter(({ toolCallIds }) => toolCallIds.includes(action.toolCallId))
        .map(({ id, cells }) => ({
          findingId: id,
          cell: cells.find((each) => each.hypothesisId === action.hypothesisId)?.cell ?? null,
        })),
    ],
  }));
  const noted = withView(folded, {
    actions,
    findings: [
      ...view.findings,
      ...findings.map(({ id, text, toolCallIds }) => ({ id, text, hypothesisId, toolCallIds })),
    ],
    matrix: [...view.matrix, ...findings.map(matrixRow)],
  });
  const { turns } = view.budgets;
  return withHypothesis(
    withBudgets(noted, { turns: { ...turns, used: Math.max(turns.used, turn) } }),
    hypothesisId,
    (before) => ({ confidence, assessment: assessment ?? before.assessment }),
  );
};

type Research =
  | 'HypothesesFormed'
  | 'ActionReserved'
  | 'ActionSettled'
  | 'ActionReleased'
  | 'TurnAssessed'
  | 'HypothesisConcluded'
  | 'HypothesisRejected'
  | 'HypothesisExhausted';

/** Hypotheses, their accounts, what was run for them and what it showed. */
export const RESEARCH: Handlers<Research> = {
  HypothesesFormed: (folded, { hypotheses }) =>
    withView(folded, {
      status: 'INVESTIGATING_HYPOTHESES',
      hypotheses: hypotheses.map((hypothesis) => ({
        ...hypothesis,
        confidence: 'unassessed',
        account: { state: 'open', budget: folded.actionsPerHypothesis, reserved: 0, spent: 0 },
        assessment: null,
        closedBecause: null,
      })),
    }),
  ActionReserved: reserved,
  ActionSettled: settled,
  ActionReleased: (folded, { toolCallId, hypothesisId, why }) =>
    recounted(
      account(withAction(folded, toolCallId, { state: 'released', releasedBecause: why }), hypothesisId, {
        reserved: -1,
      }),
    ),
  TurnAssessed: assessed,
  HypothesisConcluded: (folded, { hypothesisId, confidence }) =>
    withHypothesis(closed(folded, hypothesisId, 'concluded', 'CONCLUDED'), hypothesisId, () => ({
      confidence,
    })),
  HypothesisRejected: (folded, { hypothesisId, reason }) => closed(folded, hypothesisId, 'rejected', reason),
  HypothesisExhausted: (folded, { hypothesisId, why }) => closed(folded, hypothesisId, 'exhausted', why),
};
