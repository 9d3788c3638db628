import { z } from 'zod';
import {
  Confidence,
  Coordinates,
  AccountState,
  DeclineReason,
  EvaluatorPrompt,
  Finding,
  FindingId,
  Hypothesis,
  HypothesisId,
  InvalidWhy,
  InvestigationPolicy,
  InvestigationPrompt,
  ReservationState,
  ResearchAction,
} from './case-parts';
import { defineFact, type DataOf } from './define-fact';
import { Instant, RunId, SessionId, Sha256, Step, ToolCallId, WorkService } from './ids';
import { QUESTION_CHARS_MAX } from './inbound-facts';
import { AttemptRecord, FailedAttempt } from './model-call';
import { Locale } from './outcome';
import { Payload } from './payload';
import { Window } from './scope';
import { Violation } from './violation';

export const caseRequested = defineFact({
  type: 'inquest.in.open.v1',
  subject: 'diag.<p>.<case>.in.open',
  writers: ['chat-gateway'],
  meaning: 'A person opened a case, from a question or from a run that ended inconclusive.',
  schema: z.strictObject({
    /** Of the same grammar as a run's id, and in no other way related to one. */
    caseId: RunId,
    tenant: z.string().max(64),
    principal: z.string().max(200),
    sessionId: SessionId.nullable(),
    question: z
      .string()
      .min(1)
      .max(QUESTION_CHARS_MAX * 2),
    source: z.string().max(128).nullable(),
    window: Window.nullable(),
    zone: z.string().max(64),
    locale: Locale,
    fromRun: RunId.nullable(),
    coordinates: z.array(Coordinates).max(32),
    bodyHash: Sha256,
    policy: InvestigationPolicy.partial().nullable(),
    requestedAt: Instant,
  }),
});
export type CaseRequested = DataOf<typeof caseRequested>;

export const InvestigatorMode = z.enum(['FORM', 'INVESTIGATE', 'PREPARE', 'DIAGNOSE', 'REPAIR']);
export type InvestigatorMode = z.infer<typeof InvestigatorMode>;

export const NextKind = z.enum(['research', 'assess', 'conclude', 'request_diagnosis', 'defer', 'reject']);
export type NextKind = z.infer<typeof NextKind>;

const ProposedAction = ResearchAction.pick({
  tool: true,
  argumentsText: true,
  expectedIfTrue: true,
  expectedIfFalse: true,
});

/** What an investigator decides at the end of its turn (E2). */
export const Next = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('research'), actions: z.array(ProposedAction).min(1).max(8) }),
  z.strictObject({ kind: z.literal('assess') }),
  z.strictObject({ kind: z.literal('conclude') }),
  z.strictObject({
    kind: z.literal('request_diagnosis'),
    reason: z.string().min(1).max(1_000),
    countercheckRefs: z.array(FindingId).min(1).max(16),
  }),
  z.strictObject({ kind: z.literal('defer'), reason: z.string().min(1).max(600) }),
  z.strictObject({ kind: z.literal('reject'), reason: z.string().min(1).max(600) }),
]);
export type Next = z.infer<typeof Next>;

/** A finding as the model writes it; the harness names it. */
export const NewFinding = Finding.omit({ id: true });
export type NewFinding = z.infer<typeof NewFinding>;

export const InvestigatorTurn = z.strictObject({
  findings: z.array(NewFinding).max(8),
  /** Of the hypothesis whose turn it is; null leaves its rating as it was. */
  assessment: z
    .strictObject({ confidence: Confidence.exclude(['unassessed']), text: z.string().min(1).max(600) })
    .nullable(),
  next: Next,
});
export type InvestigatorTurn = z.infer<typeof InvestigatorTurn>;

/** An account as people and models see it. */
export const AccountView = z.strictObject({
  state: AccountState,
  budget: z.number().int().nonnegative(),
  reserved: z.number().int().nonnegative(),
  spent: z.number().int().nonnegative(),
});

export const investigatorRequested = defineFact({
  type: 'inquest.req.investigator.v1',
  subject: 'diag.<p>.<case>.req.investigator.<step>',
  writers: ['harness-orchestrator'],
  meaning: 'One turn of the investigator of a case: exactly one model call under the named prompt version.',
  schema: z.strictObject({
    mode: InvestigatorMode,
    promptVersion: InvestigationPrompt,
    turn: z.number().int().nonnegative(),
    attempt: z.number().int().min(1).max(16),
    question: z.string(),
    source: z.string().max(128).nullable(),
    window: Window.nullable(),
    zone: z.string().max(64),
    asOf: Instant,
    locale: Locale,
    /** Whose turn it is; null when forming and when writing the final diagnosis. */
    hypothesisId: HypothesisId.nullable(),
    hypotheses: z.array(Hypothesis.extend({ confidence: Confidence, account: AccountView })).max(7),
    /** All actions of the case, in the order of their reservation. `step` names the result fact. */
    actions: z
      .array(
        ResearchAction.extend({
          service: WorkService,
          step: Step,
          state: ReservationState,
          contentHash: Sha256.nullable(),
        }),
      )
      .max(256),
    findings: z.array(Finding).max(256),
    /** Declined reviews with their reasons: the author is told what was not enough (E9). */
    declined: z
      .array(
        z.strictObject({
          review: z.number().int().positive(),
          hypothesisId: HypothesisId,
          reason: DeclineReason,
          text: z.string().max(2_000),
        }),
      )
      .max(10),
    /** For the final diagnosis: whether an accepted review or the end of all accounts led here, and to which hypothesis. */
    leading: HypothesisId.nullable(),
    permitted: z.array(NextKind).max(6),
    hypothesesMax: z.number().int().min(2).max(7),
    actionsLeft: z.number().int().nonnegative(),
    actionsPerTurnMax: z.number().int().nonnegative(),
    /** What was wrong with the previous answer of this turn. */
    previousInvalid: InvalidWhy.nullable(),
    repair: z
      .strictObject({
        draftStep: Step,
        violations: z.array(Violation).min(1).max(64),
        validToolCallIds: z.array(ToolCallId).max(256),
      })
      .nullable(),
    draftBytesMax: z.number().int().positive(),
    deadlineAt: Instant,
  }),
});
export type InvestigatorRequested = DataOf<typeof investigatorRequested>;

export const investigatorResult = defineFact({
  type: 'inquest.res.investigator.v1',
  subject: 'diag.<p>.<case>.res.investigator.<step>',
  writers: ['agent-runner'],
  meaning: 'What the investigator answered: hypotheses, a turn, a draft, or a typed failure of this attempt.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('FORMED'),
      hypotheses: z
        .array(Hypothesis.omit({ id: true }))
        .min(1)
        .max(7),
      record: AttemptRecord,
    }),
    z.strictObject({ kind: z.literal('TURN'), turn: InvestigatorTurn, record: AttemptRecord }),
    z.strictObject({ kind: z.literal('DRAFT'), draft: Payload, record: AttemptRecord }),
    FailedAttempt,
  ]),
});
export type InvestigatorResult = DataOf<typeof investigatorResult>;

export const evaluatorRequested = defineFact({
  type: 'inquest.req.evaluator.v1',
  subject: 'diag.<p>.<case>.req.evaluator.<step>',
  writers: ['harness-orchestrator'],
  meaning:
    'One pass of an independent early review: every hypothesis and all evidence in the given order, and nothing that an author thought of them.',
  schema: z.strictObject({
    promptVersion: EvaluatorPrompt,
    diagnosis: z.number().int().positive(),
    review: z.number().int().positive(),
    pass: z.union([z.literal(1), z.literal(2)]),
    attempt: z.number().int().min(1).max(16),
    question: z.string(),
    asOf: Instant,
    /** In the order in which they are shown: canonical in pass 1, reversed in pass 2. */
    hypotheses: z.array(Hypothesis).min(2).max(7),
    evidence: z
      .array(
        z.strictObject({
          toolCallId: ToolCallId,
          tool: z.string().max(128),
          service: WorkService,
          step: Step,
          contentHash: Sha256,
        }),
      )
      .max(256),
    /** What is offered as test of an alternative: which evidence, and whether it tells hypotheses apart. No text of its author. */
    counterchecks: z
      .array(z.strictObject({ toolCallIds: z.array(ToolCallId).min(1).max(10), diagnostic: z.boolean() }))
      .max(16),
    deadlineAt: Instant,
  }),
});
export type EvaluatorRequested = DataOf<typeof evaluatorRequested>;

export const Evaluation = z.strictObject({
  /** The hypothesis that the evidence establishes, or null: inconclusive. */
  hypothesisId: HypothesisId.nullable(),
  /** Every hypothesis exactly once. */
  ratings: z
    .array(
      z.strictObject({
        hypothesisId: HypothesisId,
        confidence: Confidence.exclude(['unassessed']),
        text: z.string().max(600),
      }),
    )
    .min(2)
    .max(7),
  /** Verbatim from the projections of the cited calls. */
  directEvidence: z
    .array(z.strictObject({ toolCallId: ToolCallId, quote: z.string().min(1).max(500) }))
    .max(16),
  countercheck: z.strictObject({
    adequate: z.boolean(),
    toolCallIds: z.array(ToolCallId).max(16),
    text: z.string().max(600),
  }),
  contradictions: z
    .array(
      z.strictObject({
        text: z.string().min(1).max(600),
        toolCallIds: z.array(ToolCallId).max(16),
        material: z.boolean(),
        resolved: z.boolean(),
      }),
    )
    .max(16),
  uncertainty: z.string().max(1_000),
});
export type Evaluation = z.infer<typeof Evaluation>;

export const evaluatorResult = defineFact({
  type: 'inquest.res.evaluator.v1',
  subject: 'diag.<p>.<case>.res.evaluator.<step>',
  writers: ['semantic-guard'],
  meaning: 'One pass of an early review: a valid evaluation, or a typed failure of this attempt.',
  schema: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('EVALUATED'),
      pass: z.union([z.literal(1), z.literal(2)]),
      evaluation: Evaluation,
      record: AttemptRecord,
    }),
    FailedAttempt,
  ]),
});
export type EvaluatorResult = DataOf<typeof evaluatorResult>;
