import { z } from 'zod';
import { Instant, Sha256, ToolCallId } from './ids';
import { Payload } from './payload';
import { Scope, Window } from './scope';

/** Life of an invocation: PROJECTING from the accepted action until its result. Independent of what it found (H3). */
export const InvocationStatus = z.enum(['PROJECTING', 'READY', 'ERROR']);
export type InvocationStatus = z.infer<typeof InvocationStatus>;

/** What a finished invocation found: READY with any of the three, ERROR only with ERROR. */
export const EvidenceStatus = z.enum(['EVIDENCE_FOUND', 'NO_EVIDENCE', 'ERROR']);
export type EvidenceStatus = z.infer<typeof EvidenceStatus>;

export const ToolErrorClass = z.enum([
  'UNKNOWN_TOOL',
  'BAD_ARGUMENTS',
  'UNKNOWN_SOURCE',
  'TIMEOUT',
  'SOURCE_FAILED',
  'ACCESS_DENIED',
  'RESULT_UNUSABLE',
  'CANCELLED',
  'NOT_STARTED',
  'ATTEMPT_LOST',
  'STEP_TIMED_OUT',
]);
export type ToolErrorClass = z.infer<typeof ToolErrorClass>;

/** A document as `knowledge_lookup` rendered it. */
export const RenderedDocument = z.strictObject({
  /** Stable id of document and section, e.g. `rb-postgres-pool#remedy`. */
  id: z.string().min(1).max(200),
  versionHash: Sha256,
});
export type RenderedDocument = z.infer<typeof RenderedDocument>;

/**
 * The canonical record of one tool invocation: what the model saw, the guards check and a person opens, all the same
 * bytes (`projection`). Written once by the service that ran the call, as the result of its step.
 */
export const LedgerEntry = z
  .strictObject({
    toolCallId: ToolCallId,
    /** The provider's own id where the run mints its own; never citable. */
    providerId: z.string().max(256).nullable(),
    tool: z.string().min(1).max(128),
    toolset: z.string().max(64),
    /** As the model wrote them. Null when they were no JSON object. */
    arguments: z.record(z.string(), z.unknown()).nullable(),
    source: z.string().max(128).nullable(),
    status: z.enum(['READY', 'ERROR']),
    evidenceStatus: EvidenceStatus,
    errorClass: ToolErrorClass.nullable(),
    scope: Scope,
    /** The queried window, or null for a tool that has no time. */
    window: Window.nullable(),
    /** First and last instant of the data that came back; a claim's window is checked against this where it is narrower. */
    dataSpan: Window.nullable(),
    /** One JSON document, redacted, within the byte limit. */
    projection: Payload,
    matched: z.number().int().nonnegative().nullable(),
    returned: z.number().int().nonnegative(),
    truncated: z.boolean(),
    limitHit: z.boolean(),
    sampled: z.boolean(),
    partial: z.boolean(),
    permissionFiltered: z.boolean(),
    /** Whether what was asked for by name is known to exist: an unknown metric with no points is no absence. Null: not applicable. */
    selectorKnown: z.boolean().nullable(),
    redactedCount: z.number().int().nonnegative(),
    /** JSON pointers, `*` for any index, of text that a third party can write. */
    untrustedPaths: z.array(z.string().max(200)).max(64),
    /** Hash of canonical {tool, rows} without ids, arguments, times, window: equal content is no new evidence. */
    contentHash: Sha256,
    documents: z.array(RenderedDocument).max(64).optional(),
    asOf: Instant,
    /** Duration of the call. */
    ms: z.number().nonnegative(),
  })
  .refine(
    (e) => e.status === 'READY' || e.evidenceStatus === 'ERROR',
    'an ERROR invocation has evidence status ERROR',
  )
  .refine(
    (e) => (e.evidenceStatus === 'ERROR') === (e.errorClass !== null),
    'an error class exactly with evidence status ERROR',
  );
export type LedgerEntry = z.infer<typeof LedgerEntry>;
