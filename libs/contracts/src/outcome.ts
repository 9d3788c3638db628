import { z } from 'zod';
import { Scope, Window } from './scope';
import { RunId, ToolCallId } from './ids';
import { EvidenceStatus, InvocationStatus } from './ledger';

export const Intent = z.enum(['DIAGNOSIS', 'KNOWLEDGE_QUERY', 'OUT_OF_SCOPE']);
export type Intent = z.infer<typeof Intent>;

export const Outcome = z.enum(['SUCCESS', 'FALLBACK', 'FAILED', 'CANCELLED']);
export type Outcome = z.infer<typeof Outcome>;

export const FallbackType = z.enum([
  'EVIDENCE_VALIDATION_FAILED',
  'SEMANTIC_UNSUPPORTED',
  'SEMANTIC_UNAVAILABLE',
]);
export type FallbackType = z.infer<typeof FallbackType>;

export const FailureReason = z.enum([
  'ROUTER_UNAVAILABLE',
  'MODEL_UNAVAILABLE',
  'EVIDENCE_GUARD_UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'BUDGET_EXHAUSTED',
  'TOOL_IDS_UNUSABLE',
  'POISONED',
  'OPERATOR_DROPPED',
]);
export type FailureReason = z.infer<typeof FailureReason>;

export const CancelCause = z.enum(['PERSON', 'DISCONNECT', 'DEADLINE', 'OPERATOR']);
export type CancelCause = z.infer<typeof CancelCause>;

export const VerifiedSource = z.strictObject({
  toolCallId: ToolCallId,
  tool: z.string().max(128),
  service: Scope.shape.service,
  namespace: Scope.shape.namespace,
  window: Window.nullable(),
});
export type VerifiedSource = z.infer<typeof VerifiedSource>;

export const Locale = z.enum(['en', 'de', 'zh']);
export type Locale = z.infer<typeof Locale>;

/**
 * The safe fallback: constants, the type, the run id and, after a semantic ending, what had been verified. Nothing of
 * a draft, a tool output or an error is representable in it (H6).
 */
export const SafeFallback = z.strictObject({
  schema: z.literal('inquest.fallback.v1'),
  type: FallbackType,
  runId: RunId,
  locale: Locale,
  title: z.string().max(200),
  text: z.string().max(1000),
  verifiedSources: z.array(VerifiedSource).max(128),
});
export type SafeFallback = z.infer<typeof SafeFallback>;

/** One line per tool call of the run, beside the report and outside its bytes: enums and ids only. */
/** In place of a name that a model made up: coverage is shown to people without any guard, so it holds no words of a model. */
export const UNKNOWN_TOOL_NAME = 'unknown_tool';

/** A call's tool as coverage names it. */
export const coveredTool = (tool: string, isUnknown: boolean): string =>
  isUnknown ? UNKNOWN_TOOL_NAME : tool.slice(0, 128);

export const CoverageEntry = z.strictObject({
  toolCallId: ToolCallId,
  tool: z.string().max(128),
  status: InvocationStatus,
  evidenceStatus: EvidenceStatus.nullable(),
  truncated: z.boolean(),
});
export type CoverageEntry = z.infer<typeof CoverageEntry>;

/** What a run is about to end as; sealed first, then made terminal (architecture, two-fact release). */
export const SealedOutcome = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('SUCCESS'),
    form: z.enum(['REPORT', 'ANSWER', 'OUT_OF_SCOPE_REPLY']),
    /** Null only for the constant reply, which has no draft and no snapshot. */
    snapshotHash: z.string().nullable(),
    evidenceStep: z.string().nullable(),
  }),
  z.strictObject({ kind: z.literal('FALLBACK'), type: FallbackType }),
  z.strictObject({ kind: z.literal('FAILED'), reason: FailureReason }),
]);
export type SealedOutcome = z.infer<typeof SealedOutcome>;
