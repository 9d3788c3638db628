import { z } from 'zod';
import { type DataOf, defineFact } from './define-fact';
import { Instant, RunId, SessionId, Sha256 } from './ids';
import { Locale } from './outcome';
import { RunLimits } from './run-limits';
import { Window } from './scope';

export const QUESTION_CHARS_MAX = 4_000;

/** How often the owner of a run may attach and be lost: the facts of both are known by name. */
export const OWNER_STREAMS_MAX = 32;

export const runRequested = defineFact({
  type: 'inquest.in.request.v1',
  subject: 'diag.<p>.<run>.in.request',
  writers: ['chat-gateway'],
  meaning: 'A person or platform asked; the run exists from here on.',
  schema: z.strictObject({
    runId: RunId,
    tenant: z.string().max(64),
    principal: z.string().max(200),
    sessionId: SessionId.nullable(),
    /** Redacted at the border. */
    question: z
      .string()
      .min(1)
      .max(QUESTION_CHARS_MAX * 2),
    source: z.string().max(128).nullable(),
    window: Window.nullable(),
    zone: z.string().max(64),
    locale: Locale,
    /** Hash of the request body as received: a repeated key with another body is a conflict. */
    bodyHash: Sha256,
    detached: z.boolean(),
    disconnectGraceMs: z.number().int().min(0).max(600_000),
    limits: RunLimits.partial().nullable(),
    /** Projection positions per partition that the gateway had seen: bounds the wait for the session's previous turn. */
    knownPositions: z.array(z.number().int().nonnegative()).max(64),
    entry: z.strictObject({ publisher: z.string().max(64), key: z.string().max(64) }).nullable(),
    requestedAt: Instant,
  }),
});
export type RunRequested = DataOf<typeof runRequested>;

export const cancelRequested = defineFact({
  type: 'inquest.in.cancel.v1',
  subject: 'diag.<p>.<run>.in.cancel',
  writers: ['chat-gateway'],
  meaning:
    'A person, a platform or an operator wants the run to stop; effective unless the outcome was sealed before.',
  schema: z.strictObject({
    cause: z.enum(['PERSON', 'OPERATOR']),
    principal: z.string().max(200),
    requestedAt: Instant,
  }),
});
export type CancelRequested = DataOf<typeof cancelRequested>;

export const streamAttached = defineFact({
  type: 'inquest.in.attach.v1',
  subject: 'diag.<p>.<run>.in.attach-<n>',
  writers: ['chat-gateway'],
  meaning: 'The owner’s event stream is connected (again); n counts to 32.',
  schema: z.strictObject({ n: z.number().int().min(1).max(OWNER_STREAMS_MAX), at: Instant }),
});
export type StreamAttached = DataOf<typeof streamAttached>;

export const streamDisconnected = defineFact({
  type: 'inquest.in.disconnect.v1',
  subject: 'diag.<p>.<run>.in.disconnect-<n>',
  writers: ['chat-gateway'],
  meaning: 'The owner’s event stream was lost. Without a grace this is the cancel request.',
  schema: z.strictObject({
    n: z.number().int().min(1).max(OWNER_STREAMS_MAX),
    at: Instant,
    graceMs: z.number().int().nonnegative(),
    /** True exactly when graceMs is 0: workers interrupt at once. */
    cancels: z.boolean(),
  }),
});
export type StreamDisconnected = DataOf<typeof streamDisconnected>;
