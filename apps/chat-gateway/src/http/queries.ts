import { SessionId } from '@inquest/contracts/ids';
import { z } from 'zod';

export const LIST_LIMIT_MAX = 100;

/** Query of `GET /v1/runs`. */
export const ListRuns = z.strictObject({
  sessionId: SessionId.optional(),
  /** `nextCursor` of the page before. */
  cursor: z.string().max(200).optional(),
  limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).default(20),
});
export type ListRuns = z.infer<typeof ListRuns>;

/** Query of `GET /v1/cases`. */
export const ListCases = ListRuns;

/** For routes that take no parameters. */
export const NoQuery = z.strictObject({});

/** Query of `GET /v1/runs/{runId}/events`. */
export const StreamQuery = z.strictObject({
  /** From the answer to the question: the stream that presents it owns the run. */
  stream_token: z.string().min(1).max(200).optional(),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,255}$/, '1 to 255 visible ASCII characters');
