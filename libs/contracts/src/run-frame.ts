import { z } from 'zod';
import { Instant, RunId, StepKind, WorkService } from './ids';
import { EvidenceStatus, ToolErrorClass } from './ledger';
import { AttemptFailure } from './model-call';
import { CancelCause, FailureReason, FallbackType, Intent } from './outcome';
import { RejectedActionReason } from './run-decision';
import { AgentMode } from './agent-facts';

const frame = <const Type extends string, Shape extends z.ZodRawShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), runId: RunId, at: Instant, ...shape });

/**
 * What the event stream may show of a running diagnosis: enums, ids, counts, times. No tool arguments and no text of
 * question, draft, tool output or error is representable here. SSE: `id: <partition>-<seq>`, `event: <type>`, `data: <frame>`;
 * one chain entry may yield several frames, all but the last without an id.
 */
export const RunFrame = z.discriminatedUnion('type', [
  frame('run.started', { deadlineAt: Instant, modelCallsMax: z.number(), toolCallsMax: z.number() }),
  frame('step.requested', {
    service: WorkService,
    step: z.string(),
    kind: StepKind,
    attempt: z.number(),
    mode: AgentMode.nullable(),
    toolCallId: z.string().nullable(),
  }),
  frame('intent.decided', { intent: Intent }),
  frame('tool.accepted', { toolCallId: z.string(), tool: z.string(), step: z.string() }),
  frame('tool.rejected', { reason: RejectedActionReason }),
  frame('tool.completed', {
    toolCallId: z.string(),
    step: z.string(),
    status: z.enum(['READY', 'ERROR']),
    evidenceStatus: EvidenceStatus,
    errorClass: ToolErrorClass.nullable(),
    truncated: z.boolean(),
  }),
  frame('attempt.failed', { service: WorkService, step: z.string(), failure: AttemptFailure }),
  frame('step.timed-out', { service: WorkService, step: z.string() }),
  frame('draft.received', { revision: z.number(), bytes: z.number() }),
  frame('evidence.accepted', { revision: z.number(), items: z.number(), verifiedSources: z.number() }),
  frame('evidence.rejected', { revision: z.number(), rules: z.array(z.string()) }),
  frame('semantic.judged', {
    attempt: z.number(),
    outcome: z.enum(['SUPPORTED', 'UNSUPPORTED', 'FAILED']),
    failure: AttemptFailure.nullable(),
  }),
  frame('owner.disconnected', { n: z.number() }),
  frame('owner.attached', { n: z.number() }),
  frame('cancel.requested', { cause: CancelCause, outstanding: z.number() }),
  frame('cancel.interrupted', {
    service: WorkService,
    step: z.string(),
    how: z.enum(['NOT_STARTED', 'ABORTED', 'TIMED_OUT']),
  }),
  frame('cancel.discarded', { service: WorkService, step: z.string() }),
  frame('outcome.sealed', {}),
  frame('run.released', { intent: Intent, modelCalls: z.number(), toolCalls: z.number() }),
  frame('run.fell-back', { fallback: FallbackType, modelCalls: z.number(), toolCalls: z.number() }),
  frame('run.failed', { reason: FailureReason, modelCalls: z.number(), toolCalls: z.number() }),
  frame('run.cancelled', { cause: CancelCause, modelCalls: z.number(), toolCalls: z.number() }),
]);
export type RunFrame = z.infer<typeof RunFrame>;
