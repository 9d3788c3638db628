import { z } from 'zod';
import { Instant } from './ids';

export const CONTRACT_VERSION = 1;

/**
 * What travels in the NATS headers of every message: CloudEvents 1.0 in binary mode, W3C trace context and our
 * extension attributes. The body is JSON data alone.
 */
export const Envelope = z.strictObject({
  /** `ce-id`: unique by construction, `<subject>` for write-once facts and `<subject>#<n>` for chain entries. */
  id: z.string().min(1).max(256),
  /** `ce-source`: the service that wrote it. */
  source: z.string().min(1).max(64),
  /** `ce-type`: e.g. `inquest.res.tool.v1`. */
  type: z.string().regex(/^inquest\.[a-z0-9.-]+\.v\d+$/),
  /** `ce-time`. */
  time: Instant,
  /** `ce-causationid`: the id of the message that led to this one. */
  causationId: z.string().max(256).optional(),
  /** `ce-deadline`: after this instant the work is not worth starting. */
  deadline: Instant.optional(),
  /** `ce-principal`: who asked, as `<tenant>/<subject>`; never a secret. */
  principal: z.string().max(200).optional(),
  /** `ce-contractversion`. */
  contractVersion: z.number().int().positive(),
  /** `traceparent`, passed on unchanged where no tracer is loaded. */
  traceparent: z.string().max(64).optional(),
});
export type Envelope = z.infer<typeof Envelope>;
