import type { InvestigatorMode } from '@inquest/contracts/case-facts';
import type { CaseEvent, CaseEventOf } from '@inquest/contracts/case-decision';
import type { EvaluatorPrompt, HypothesisId, InvestigationPrompt } from '@inquest/contracts/case-parts';
import { caseStepOf, reviewStepOf, type CaseStepKind } from '@inquest/contracts/case-steps';
import type { Step, ToolCallId, WorkService } from '@inquest/contracts/ids';
import { evolve } from './case.evolve';
import type { Case, OpenCaseStep } from './case.state';

/** ISO 8601 UTC of an instant in ms; time comes in as data, this only spells it. */
export const instant = (atMs: number): string => new Date(atMs).toISOString();

export const deadlineMs = (c: Case): number => Date.parse(c.opened.deadlineAt);

/** Folds decided events so that the next decision sees them. */
export const after = (c: Case, events: readonly CaseEvent[]): Case => {
  let state = { status: 'STARTED' as const, case: c };
  for (const event of events) state = evolve(state, event) as typeof state;
  return state.case;
};

/** `events`, and then what follows from them. */
export const proceed = (c: Case, events: CaseEvent[], next: (c: Case) => CaseEvent[]): CaseEvent[] => [
  ...events,
  ...next(after(c, events)),
];

const SERVICE_OF: Record<Exclude<CaseStepKind, 'act'>, WorkService> = {
  form: 'investigator',
  turn: 'investigator',
  final: 'investigator',
  refine: 'investigator',
  proof: 'evidence',
  verdict: 'semantic',
  review: 'evaluator',
};

const timeoutMsOf = (c: Case, kind: CaseStepKind): number => {
  const { policy } = c.opened;
  switch (kind) {
    case 'form':
    case 'turn':
    case 'final':
    case 'refine':
      return policy.modelTimeoutMs;
    case 'act':
      return policy.toolTimeoutMs;
    case 'proof':
      return policy.evidenceTimeoutMs;
    case 'verdict':
      return policy.semanticTimeoutMs;
    case 'review':
      return policy.evaluatorTimeoutMs;
  }
};

export const stepDeadline = (c: Case, kind: CaseStepKind, nowMs: number): string =>
  instant(Math.min(nowMs + timeoutMsOf(c, kind), deadlineMs(c)));

type Wanted = {
  step: Step;
  kind: CaseStepKind;
  attempt: number;
  mode?: InvestigatorMode | null;
  promptVersion?: InvestigationPrompt | EvaluatorPrompt | null;
  hypothesisId?: HypothesisId | null;
  toolCallId?: ToolCallId | null;
  service?: WorkService;
  pass?: 1 | 2 | null;
};

export const request = (c: Case, wanted: Wanted, nowMs: number): CaseEventOf<'CaseStepRequested'> => ({
  type: 'CaseStepRequested',
  service: wanted.service ?? SERVICE_OF[wanted.kind as Exclude<CaseStepKind, 'act'>],
  step: wanted.step,
  kind: wanted.kind,
  attempt: wanted.attempt,
  mode: wanted.mode ?? null,
  promptVersion: wanted.promptVersion ?? null,
  hypothesisId: wanted.hypothesisId ?? null,
  toolCallId: wanted.toolCallId ?? null,
  pass: wanted.pass ?? null,
  deadlineAt: stepDeadline(c, wanted.kind, nowMs),
});

const MODE_OF = { form: 'FORM', final: 'DIAGNOSE', refine: 'REPAIR' } as const;

/** A call of the investigator under the version that the case has adopted. */
export const requestInvestigator = (
  c: Case,
  kind: 'form' | 'final' | 'refine',
  turn: number,
  nowMs: number,
): CaseEvent[] => [
  request(
    c,
    {
      step: caseStepOf(turn, kind, 0, 1),
      kind,
      attempt: 1,
      mode: MODE_OF[kind],
      promptVersion: c.promptVersion,
    },
    nowMs,
  ),
];

export const requestTurn = (
  c: Case,
  mode: 'INVESTIGATE' | 'PREPARE',
  hypothesisId: HypothesisId,
  nowMs: number,
): CaseEvent[] => [
  request(
    c,
    {
      step: caseStepOf(c.turn + 1, 'turn', 0, 1),
      kind: 'turn',
      attempt: 1,
      mode,
      promptVersion: c.promptVersion,
      hypothesisId,
    },
    nowMs,
  ),
];

export const requestPass = (
  c: Case,
  review: number,
  pass: 1 | 2,
  attempt: number,
  nowMs: number,
): CaseEvent[] => [
  request(
    c,
    {
      step: reviewStepOf(c.diagnoses, review, pass, attempt),
      kind: 'review',
      attempt,
      promptVersion: c.opened.evaluatorVersion,
      pass,
    },
    nowMs,
  ),
];

export const requestGuard = (
  c: Case,
  kind: 'proof' | 'verdict',
  index: number,
  attempt: number,
  nowMs: number,
): CaseEvent[] => [request(c, { step: caseStepOf(c.turn, kind, index, attempt), kind, attempt }, nowMs)];

/** The same call once more: same step, next attempt, same protocol (E11). */
export const requestAgain = (c: Case, open: OpenCaseStep, nowMs: number): CaseEvent[] => [
  request(
    c,
    {
      ...open,
      step: open.step.replace(/-a\d+$/, `-a${open.attempt + 1}`) as Step,
      attempt: open.attempt + 1,
    },
    nowMs,
  ),
];
