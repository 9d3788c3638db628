import { z } from 'zod';
import { defineFact, type DataOf } from './define-fact';
import { Instant, RunId, Sequence, SessionId, Sha256, Step, StepKind, ToolCallId, WorkService } from './ids';
import { EvidenceStatus, ToolErrorClass } from './ledger';
import { AttemptFailure, TokenUsage } from './model-call';
import {
  CancelCause,
  CoverageEntry,
  FailureReason,
  FallbackType,
  Intent,
  Locale,
  SealedOutcome,
  VerifiedSource,
} from './outcome';
import { RunLimits } from './run-limits';
import { Window } from './scope';
import { AgentMode, ARGUMENTS_CHARS_MAX } from './agent-facts';
import { Violation } from './violation';

/** Which earlier run of the session this one follows. UNKNOWN: the projection did not get there within the wait. */
export const PreviousTurn = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('RUN'),
    runId: RunId,
    reportHash: Sha256,
    question: z.string().max(8_000),
    conclusion: z.string().max(2_000),
  }),
  z.strictObject({ kind: z.literal('NONE') }),
  z.strictObject({ kind: z.literal('UNKNOWN') }),
]);
export type PreviousTurn = z.infer<typeof PreviousTurn>;

export const RejectedActionReason = z.enum([
  'MISSING_ID',
  'MALFORMED_ID',
  'REPEATED_ID',
  'REUSED_ID',
  'OVER_LIMIT',
  'NOT_ALLOWED_NOW',
]);
export type RejectedActionReason = z.infer<typeof RejectedActionReason>;

const event = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

/** What every ending carries beside the outcome. */
const ending = {
  coverage: z.array(CoverageEntry).max(256),
  modelCalls: z.number().int().nonnegative(),
  toolCalls: z.number().int().nonnegative(),
  tokens: z.number().int().nonnegative(),
};

/** The facts of the decision chain: everything the harness ever decides, and nothing that it could author (H1). */
export const RunEvent = z.discriminatedUnion('type', [
  event('RunStarted', {
    runId: RunId,
    tenant: z.string(),
    principal: z.string(),
    sessionId: SessionId.nullable(),
    question: z.string(),
    source: z.string().nullable(),
    window: Window.nullable(),
    zone: z.string(),
    locale: Locale,
    /** Evidence is "now" as of this instant. */
    asOf: Instant,
    deadlineAt: Instant,
    limits: RunLimits,
    idMode: z.enum(['strict', 'mint']),
    ruleSet: z.string(),
    previousTurn: PreviousTurn,
    detached: z.boolean(),
    requestSeq: Sequence,
  }),
  /** Work for one service. The request message is a pure function of the chain up to here, so that a crash between both loses nothing. */
  event('StepRequested', {
    service: WorkService,
    step: Step,
    kind: StepKind,
    attempt: z.number().int().positive(),
    mode: AgentMode.nullable(),
    toolCallId: ToolCallId.nullable(),
    revision: z.number().int().nullable(),
    /** Of a tool step: what its projection may take of the context that is left. Absent: the run's own limit. */
    projectionBytesMax: z.number().int().positive().optional(),
    deadlineAt: Instant,
  }),
  event('IntentDecided', { intent: Intent, step: Step }),
  event('ToolActionAccepted', {
    turn: z.number().int(),
    index: z.number().int(),
    toolCallId: ToolCallId,
    providerId: z.string().max(256).nullable(),
    tool: z.string().max(256),
    service: WorkService,
    step: Step,
    argumentsText: z.string().max(ARGUMENTS_CHARS_MAX),
  }),
  event('ToolActionRejected', {
    turn: z.number().int(),
    index: z.number().int(),
    reason: RejectedActionReason,
  }),
  event('ModelTurnRecorded', { service: WorkService, step: Step, usage: TokenUsage.nullable() }),
  event('ToolInvocationCompleted', {
    toolCallId: ToolCallId,
    step: Step,
    status: z.enum(['READY', 'ERROR']),
    evidenceStatus: EvidenceStatus,
    errorClass: ToolErrorClass.nullable(),
    truncated: z.boolean(),
    /** Of the projection, in UTF-8. */
    bytes: z.number().int().min(0).optional(),
  }),
  event('AttemptFailed', {
    service: WorkService,
    step: Step,
    failure: AttemptFailure,
    /** What the attempt cost all the same, where the endpoint told. */
    usage: TokenUsage.optional(),
  }),
  event('RetryScheduled', { service: WorkService, step: Step, dueAt: Instant }),
  event('StepTimedOut', { service: WorkService, step: Step }),
  event('DraftReceived', { revision: z.number().int(), step: Step, sha256: Sha256, bytes: z.number().int() }),
  event('EvidenceAccepted', {
    revision: z.number().int(),
    step: Step,
    snapshotHash: Sha256,
    reportHash: Sha256,
    items: z.number().int(),
    verifiedSources: z.array(VerifiedSource),
  }),
  event('EvidenceRejected', { revision: z.number().int(), step: Step, violations: z.array(Violation) }),
  event('SemanticAttemptRecorded', {
    attempt: z.number().int(),
    step: Step,
    outcome: z.enum(['SUPPORTED', 'UNSUPPORTED', 'FAILED']),
    failure: AttemptFailure.nullable(),
    usage: TokenUsage.optional(),
  }),
  event('OwnerAttached', { n: z.number().int() }),
  event('OwnerDisconnected', { n: z.number().int(), cancelsAt: Instant }),
  /** Layer 1 of a cancellation. From here on no new work is issued (layer 2). */
  event('CancellationRequested', { cause: CancelCause, outstanding: z.number().int(), settleBy: Instant }),
  /** A worker answered that it was interrupted or never began (layers 3 to 5), or its answer came too late and is kept only as a hash. */
  event('LateResultDiscarded', {
    service: WorkService,
    step: Step,
    hash: Sha256,
    usage: TokenUsage.nullable(),
  }),
  event('WorkInterrupted', {
    service: WorkService,
    step: Step,
    how: z.enum(['NOT_STARTED', 'ABORTED', 'TIMED_OUT']),
  }),
  event('OutcomeSealed', { outcome: SealedOutcome }),
  event('RunReleased', {
    form: z.enum(['REPORT', 'ANSWER', 'OUT_OF_SCOPE_REPLY']),
    intent: Intent,
    snapshotHash: Sha256.nullable(),
    reportHash: Sha256.nullable(),
    evidenceStep: Step.nullable(),
    ...ending,
  }),
  event('RunFellBack', {
    fallback: FallbackType,
    intent: Intent,
    verifiedSources: z.array(VerifiedSource),
    ...ending,
  }),
  event('RunFailed', { reason: FailureReason, intent: Intent.nullable(), ...ending }),
  event('RunCancelled', {
    cause: CancelCause,
    sealedSeq: Sequence.nullable(),
    intent: Intent.nullable(),
    ...ending,
  }),
]);
export type RunEvent = z.infer<typeof RunEvent>;
export type RunEventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>;

export const TERMINAL_EVENT_TYPES = ['RunReleased', 'RunFellBack', 'RunFailed', 'RunCancelled'] as const;
export type TerminalEvent = RunEventOf<(typeof TERMINAL_EVENT_TYPES)[number]>;
export const isTerminal = (event: RunEvent): event is TerminalEvent =>
  (TERMINAL_EVENT_TYPES as readonly string[]).includes(event.type);

/** One entry of the chain: what was taken in, and what was decided on it, atomically. */
export const runDecision = defineFact({
  type: 'inquest.run.v1',
  subject: 'diag.<p>.<run>.run',
  writers: ['harness-orchestrator'],
  meaning:
    'The decision chain of a run: optimistic concurrency, each entry naming its predecessor and the facts it took in.',
  schema: z.strictObject({
    /** Index in the chain, from 0. */
    n: z.number().int().nonnegative(),
    /** Stream sequence of entry n-1; 0 for n = 0. */
    prevSeq: Sequence,
    /** Facts taken in by this entry: the subject after the run's prefix, e.g. `res.tool.t1-tool0-a1`, and its sequence. */
    took: z.array(z.strictObject({ fact: z.string().max(128), seq: Sequence })).max(256),
    at: Instant,
    events: z.array(RunEvent).min(1).max(256),
  }),
});
export type RunDecision = DataOf<typeof runDecision>;
