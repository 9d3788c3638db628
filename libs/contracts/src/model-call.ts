import { z } from 'zod';
import { Instant, Sha256 } from './ids';

/** Why an attempt of a model call yielded nothing usable. One `res` is one attempt; only the orchestrator asks for another. */
export const AttemptFailure = z.enum([
  'TRANSPORT',
  'TIMEOUT',
  'RATE_LIMITED',
  'SERVER_ERROR',
  'CLIENT_ERROR',
  'REFUSED',
  'CONTENT_FILTER',
  'LENGTH',
  'EMPTY',
  'INVALID_RESPONSE',
  'OVER_CONTEXT',
  'UNHEALTHY',
  'ABORTED',
  'ATTEMPT_LOST',
  'NOT_STARTED',
]);
export type AttemptFailure = z.infer<typeof AttemptFailure>;

export const TokenUsage = z.strictObject({
  promptTokens: z.number().int().nonnegative(),
  completionTokens: z.number().int().nonnegative(),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

/** What every attempt records of itself. `usage` is null where the endpoint never told it. */
export const AttemptRecord = z.strictObject({
  model: z.string().max(200),
  startedAt: Instant,
  ms: z.number().nonnegative(),
  requestHash: Sha256.nullable(),
  rawHash: Sha256.nullable(),
  usage: TokenUsage.nullable(),
  finishReason: z.string().max(64).nullable(),
});
export type AttemptRecord = z.infer<typeof AttemptRecord>;

/** `retryAfterMs` is what the endpoint asked for, if it did. `code` is a fixed word of ours, never the endpoint's text. */
export const FailedAttempt = z.strictObject({
  kind: z.literal('FAILED'),
  failure: AttemptFailure,
  retryAfterMs: z.number().int().nonnegative().max(3_600_000).nullable(),
  record: AttemptRecord.nullable(),
});
export type FailedAttempt = z.infer<typeof FailedAttempt>;
