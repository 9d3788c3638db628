import type { CaseEvent } from '@inquest/contracts/case-decision';
import type { InvestigatorResult, InvestigatorTurn } from '@inquest/contracts/case-facts';
import type { HypothesisId, InvalidWhy } from '@inquest/contracts/case-parts';
import { caseStepOf } from '@inquest/contracts/case-steps';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { FailedAttempt } from '@inquest/contracts/model-call';
import { serviceOfTool } from '../run/tool-services';
import type { Protocol } from './case.commands';
import { baseOf } from './case.evolve';
import { sealFailed } from './case-endings';
import { proceed, request, requestAgain, requestGuard, stepDeadline } from './case-steps';
import { actionOf, hypothesisOf, unassessedOf, type Case, type OpenCaseStep } from './case.state';
import { goOn } from './go-on';
import { finalFailed } from './on-final';
import { findingId, turnProblem } from './turn-validation';

type Now = Protocol & { nowMs: number };

/** An answer that is no answer counts like one that breaks the rules of its turn. */
const INVALID: ReadonlySet<string> = new Set([
  'INVALID_RESPONSE',
  'LENGTH',
  'EMPTY',
  'REFUSED',
  'CONTENT_FILTER',
]);

const namespaceOf = (open: OpenCaseStep): string =>
  open.kind === 'turn' ? `analysis/turn/${Number(/^t(\d+)/.exec(open.step)?.[1])}` : `analysis/${open.kind}`;

/** Attempts of this call that were answered at all. */
const triesOf = (c: Case, open: OpenCaseStep): number => open.attempt - (c.lost[baseOf(open.step)] ?? 0);

/** When there is no further attempt: what the call was for does not come. */
const givenUp = (
  c: Case,
  open: OpenCaseStep,
  why: 'INVALID_RESPONSES' | 'MODEL_UNAVAILABLE',
  now: Now,
): CaseEvent[] => {
  switch (open.kind) {
    case 'form':
      return sealFailed(c, why === 'INVALID_RESPONSES' ? 'FORMING_FAILED' : 'MODEL_UNAVAILABLE');
    case 'turn':
      return open.hypothesisId === null
        ? []
        : proceed(c, [{ type: 'HypothesisExhausted', hypothesisId: open.hypothesisId, why }], (next) =>
            goOn(next, now),
          );
    default:
      return finalFailed(c, 'FINAL_VALIDATION_FAILED', now);
  }
};

const invalid = (c: Case, open: OpenCaseStep, why: InvalidWhy, now: Now): CaseEvent[] => {
  const count = triesOf(c, open);
  const namespace = namespaceOf(open);
  return proceed(c, [{ type: 'InvalidResponseRecorded', namespace, step: open.step, why, count }], (next) =>
    count <= c.opened.policy.maxInvalidResponses
      ? requestAgain(next, open, now.nowMs)
      : givenUp(next, open, 'INVALID_RESPONSES', now),
  );
};

export const onInvestigatorFailure = (
  c: Case,
  open: OpenCaseStep,
  { failure }: Pick<FailedAttempt, 'failure'>,
  now: Now,
): CaseEvent[] => {
  if (INVALID.has(failure)) return invalid(c, open, 'NOT_THIS_PROTOCOL', now);
  return proceed(
    c,
    [{ type: 'CaseAttemptFailed', service: 'investigator', step: open.step, failure }],
    (next) => {
      const { lossesMax, maxInvalidResponses } = c.opened.policy;
      const mayAgain =
        failure === 'ATTEMPT_LOST'
          ? (next.lost[baseOf(open.step)] ?? 0) <= lossesMax
          : triesOf(c, open) <= maxInvalidResponses;
      return mayAgain ? requestAgain(next, open, now.nowMs) : givenUp(next, open, 'MODEL_UNAVAILABLE', now);
    },
  );
};

const onFormed = (
  c: Case,
  open: OpenCaseStep,
  proposed: Extract<InvestigatorResult, { kind: 'FORMED' }>['hypotheses'],
  now: Now,
): CaseEvent[] => {
  const distinct = new Set(proposed.map(({ statement }) => statement.trim().toLowerCase()));
  if (proposed.length < 2) return invalid(c, open, 'FEWER_THAN_TWO_HYPOTHESES', now);
  if (distinct.size < proposed.length) return invalid(c, open, 'HYPOTHESIS_PROPOSED_TWICE', now);
  const hypotheses = proposed
    .slice(0, c.opened.policy.hypothesesMax)
    .map((h, i) => ({ id: `h${i + 1}` as HypothesisId, ...h }));
  return proceed(c, [{ type: 'HypothesesFormed', step: open.step, hypotheses }], (next) => goOn(next, now));
};

const research = (c: Case, id: HypothesisId, turn: InvestigatorTurn, now: Now): CaseEvent[] => {
  if (turn.next.kind !== 'research') return [];
  return turn.next.actions.flatMap((action, i): CaseEvent[] => {
    const [step, service] = [caseStepOf(c.turn, 'act', i, 1), serviceOfTool(action.tool)];
    const toolCallId = `tc-${c.turn}-${i}` as ToolCallId;
    return [
      {
        type: 'ActionReserved',
        ...action,
        toolCallId,
        hypothesisId: id,
        turn: c.turn,
        service,
        step,
        deadlineAt: stepDeadline(c, 'act', now.nowMs),
      },
      request(c, { step, kind: 'act', attempt: 1, service, toolCallId, hypothesisId: id }, now.nowMs),
    ];
  });
};

/** What the end of a valid turn means. Its findings and rating stand already. */
const ends = (c: Case, id: HypothesisId, turn: InvestigatorTurn, now: Now): CaseEvent[] => {
  const { next } = turn;
  switch (next.kind) {
    case 'research':
      return research(c, id, turn, now);
    case 'assess':
      return [];
    case 'conclude':
      return [
        {
          type: 'HypothesisConcluded',
          hypothesisId: id,
          confidence: hypothesisOf(c, id)?.confidence ?? 'unassessed',
        },
      ];
    case 'reject':
      return [{ type: 'HypothesisRejected', hypothesisId: id, reason: next.reason }];
    case 'defer':
      return [{ type: 'AlternativeDeferred', hypothesisId: id, reason: next.reason }];
    case 'request_diagnosis': {
      const evidence = c.findings
        .filter(({ cells }) => cells.some((cell) => cell.hypothesisId === id && cell.cell === 'consistent'))
        .flatMap(({ toolCallIds }) => toolCallIds.flatMap((call) => actionOf(c, call)?.contentHash ?? []));
      return [
        {
          type: 'EarlyDiagnosisRequested',
          review: c.reviews.length + 1,
          hypothesisId: id,
          reason: next.reason,
          evidence: [...new Set(evidence)],
          countercheckRefs: next.countercheckRefs,
          deferred: c.hypotheses.filter((h) => h.state === 'open' && h.id !== id).map((h) => h.id),
        },
      ];
    }
  }
};

const onTurn = (c: Case, open: OpenCaseStep, turn: InvestigatorTurn, now: Now): CaseEvent[] => {
  const h = hypothesisOf(c, open.hypothesisId);
  const problem = turnProblem(c, open, turn);
  if (problem !== null || h === undefined) return invalid(c, open, problem ?? 'NOT_ASKED_FOR', now);
  const number = Number(/^t(\d+)/.exec(open.step)?.[1]);
  const assessed: CaseEvent = {
    type: 'TurnAssessed',
    turn: number,
    step: open.step,
    hypothesisId: h.id,
    findings: turn.findings.map((finding, i) => ({ id: findingId(number, i), ...finding })),
    confidence: turn.assessment?.confidence ?? h.confidence,
    assessment: turn.assessment?.text ?? null,
    assessed: unassessedOf(c, h.id).map(({ toolCallId }) => toolCallId),
  };
  return proceed(c, [assessed], (next) =>
    proceed(next, ends(next, h.id, turn, now), (rest) => goOn(rest, now)),
  );
};

export const onInvestigatorResult = (
  c: Case,
  open: OpenCaseStep,
  result: InvestigatorResult,
  now: Now,
): CaseEvent[] => {
  if (result.kind === 'FAILED') return onInvestigatorFailure(c, open, result, now);
  const paid: CaseEvent = {
    type: 'CaseModelCallRecorded',
    service: 'investigator',
    step: open.step,
    usage: result.record.usage,
  };
  return proceed(c, [paid], (next) => {
    if (result.kind === 'FORMED' && open.kind === 'form') return onFormed(next, open, result.hypotheses, now);
    if (result.kind === 'TURN' && open.kind === 'turn') return onTurn(next, open, result.turn, now);
    if (result.kind === 'DRAFT' && (open.kind === 'final' || open.kind === 'refine')) {
      const revision = open.kind === 'final' ? 1 : 2;
      const { sha256, bytes } = result.draft;
      return proceed(
        next,
        [{ type: 'FinalDraftReceived', revision, step: open.step, sha256, bytes }],
        (drafted) => requestGuard(drafted, 'proof', revision, 1, now.nowMs),
      );
    }
    return invalid(next, open, 'NOT_ASKED_FOR', now);
  });
};
