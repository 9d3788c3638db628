import { Instant } from '@inquest/contracts/ids';
import { cutOver, serviceAnnounced } from '@inquest/contracts/platform-facts';
import { z } from 'zod';

/** `GET /v1/system`: what this gateway knows of the installation. */
export const SystemView = z.strictObject({
  gateway: z.strictObject({
    instance: z.string(),
    version: z.string(),
    startedAt: Instant,
    openStreams: z.number().int(),
  }),
  /** Announced within the last 30 s. */
  services: z.array(serviceAnnounced.schema),
  /** Whether any semantic-guard's canaries pass. Null: none is announced. */
  judgeHealthy: z.boolean().nullable(),
  /** Null: never cut over, or not known. */
  cutOver: cutOver.schema.nullable(),
  entry: z.strictObject({
    /** Which way a question would go now. */
    path: z.enum(['GUARDED', 'LEGACY', 'REFUSED']),
    /** Kind of the problem that a question would meet. */
    refusal: z.string().nullable(),
    detail: z.string().nullable(),
  }),
  log: z.strictObject({
    server: z.strictObject({ name: z.string(), version: z.string(), connected: z.boolean() }),
    partitions: z.array(
      z.strictObject({
        partition: z.number().int(),
        subjects: z.number().int(),
        messages: z.number().int(),
        bytes: z.number().int(),
        /** -1: unbounded. */
        bytesMax: z.number().int(),
        lastSeq: z.number().int(),
      }),
    ),
  }),
  readModel: z.strictObject({ available: z.boolean() }),
});
export type SystemView = z.infer<typeof SystemView>;

export const Health = z.strictObject({ status: z.literal('ok') });
export type Health = z.infer<typeof Health>;

const Check = z.enum(['up', 'down']);

/**
 * Ready: requests can be taken in. Without its read model the gateway is ready, and lists are not; without guards it is
 * ready, and new questions are refused: runs that exist are still read and followed.
 */
export const Readiness = z.strictObject({
  status: z.enum(['ready', 'not-ready']),
  checks: z.strictObject({
    log: Check,
    readModel: Check,
    /** Both guards are announced and compatible, and a judge passes its canaries. */
    guards: Check,
  }),
});
export type Readiness = z.infer<typeof Readiness>;
