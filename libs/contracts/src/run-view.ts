import { z } from 'zod';
import { DiagnosisDraft, KnowledgeAnswer } from './draft';
import { Instant, RunId, Sha256 } from './ids';
import { CancelCause, CoverageEntry, FailureReason, Intent, Outcome, SafeFallback } from './outcome';

export const RunStatus = z.enum([
  'RECEIVED',
  'ROUTING',
  'INVESTIGATING',
  'VALIDATING_EVIDENCE',
  'REPAIRING',
  'REVIEWING_SEMANTICS',
  'SEALED',
  'CANCELLING',
  'RELEASED',
  'FELL_BACK',
  'FAILED',
  'CANCELLED',
  'ERASED',
]);
export type RunStatus = z.infer<typeof RunStatus>;

/** The constant reply to a question that is no incident and no knowledge question. */
export const OutOfScopeReply = z.strictObject({ schema: z.literal('inquest.reply.v1'), text: z.string() });

/** Durations in ms. `firstEventMs` is null until then. */
export const Timings = z.strictObject({
  requestedAt: Instant,
  startedAt: Instant.nullable(),
  endedAt: Instant.nullable(),
  totalMs: z.number().nonnegative().nullable(),
});

/** How far a cancellation got, layer by layer (H8). */
export const CancellationView = z.strictObject({
  cause: CancelCause,
  requestedAt: Instant,
  interrupted: z.array(z.strictObject({ step: z.string(), how: z.string() })),
  discarded: z.array(z.strictObject({ step: z.string(), hash: Sha256 })),
});

/** `GET /v1/runs/{id}`: exactly one of report, answer, reply, fallback, failure is there once the run has an outcome (none for CANCELLED). */
export const RunView = z.strictObject({
  runId: RunId,
  tenant: z.string(),
  sessionId: z.string().nullable(),
  question: z.string(),
  source: z.string().nullable(),
  status: RunStatus,
  intent: Intent.nullable(),
  outcome: Outcome.nullable(),
  report: DiagnosisDraft.optional(),
  answer: KnowledgeAnswer.extend({ notFound: z.string().optional() }).optional(),
  reply: OutOfScopeReply.optional(),
  fallback: SafeFallback.optional(),
  failure: z.strictObject({ reason: FailureReason, text: z.string() }).optional(),
  /** sha256 of the released bytes and of the snapshot that both guards passed. */
  reportHash: Sha256.nullable(),
  snapshotHash: Sha256.nullable(),
  previousRunId: RunId.nullable(),
  coverage: z.array(CoverageEntry),
  cancellation: CancellationView.nullable(),
  timings: Timings,
  modelCalls: z.number().int().nonnegative(),
  toolCalls: z.number().int().nonnegative(),
  tokens: z.number().int().nonnegative(),
  /** Who wrote the diagnosis: the model's name, e.g. `rules-diagnosis` for the offline analyst, which is rules and no model. */
  author: z.string().nullable(),
});
export type RunView = z.infer<typeof RunView>;

export const RunSummary = RunView.pick({
  runId: true,
  sessionId: true,
  question: true,
  source: true,
  status: true,
  intent: true,
  outcome: true,
  timings: true,
});
export type RunSummary = z.infer<typeof RunSummary>;
export const RunList = z.strictObject({ runs: z.array(RunSummary), nextCursor: z.string().nullable() });
export type RunList = z.infer<typeof RunList>;

/** 201 for a new run, 200 for the same key and body again. */
export const RunAccepted = z.strictObject({
  runId: RunId,
  status: RunStatus,
  /** Present unless detached: the event stream that presents it (query `stream_token`) owns the run. */
  streamToken: z.string().optional(),
  links: z.strictObject({ self: z.string(), events: z.string(), cancel: z.string() }),
});
export type RunAccepted = z.infer<typeof RunAccepted>;
