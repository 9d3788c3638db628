import type { StoredMessage } from './event-log';

/** What a handler knows beside the message. */
export type WorkContext = {
  /** Aborted when the step's deadline passes, the run is interrupted, or the process shuts down. See {@link WorkAborted}. */
  signal: AbortSignal;
  /**
   * Above 1: somebody was handed this message before, and an effect may have happened already. 1 proves nothing: 2.9
   * counts anew when a message was given back while nobody with a living connection waited for it.
   */
  deliveryCount: number;
  /**
   * Handed out for the first time, within a second of being stored, to a process that has long been listening and has
   * heard nothing that would stop its run: see {@link isStepStopped}, which needs not ask the log then.
   */
  fresh: boolean;
  /** Gives the message back for later; does not count as a failure. */
  retryLater(delayMs: number): never;
};

/** Returning acknowledges. Throwing: see {@link RetryLater} and {@link Poison}; anything else is a failure and tried again. */
export type WorkHandler = (message: StoredMessage, context: WorkContext) => Promise<void>;

/** Not now: waits (a lease, a due time) are no failures and never lead to the dead letters. */
export class RetryLater extends Error {
  constructor(readonly delayMs: number) {
    super(`retry in ${delayMs} ms`);
    this.name = 'RetryLater';
  }
}

/** Never: the message goes to the dead letters at once. */
export class Poison extends Error {
  constructor(why: string, cause?: unknown) {
    super(why, { cause });
    this.name = 'Poison';
  }
}

/** The reason of an aborted {@link WorkContext.signal}. */
export class WorkAborted extends Error {
  constructor(readonly by: 'deadline' | 'interrupt' | 'shutdown') {
    super(`work ended by ${by}`);
    this.name = 'WorkAborted';
  }
}

/** Tells of interrupted runs while work on them is in flight; see service-shell's run-interrupts. */
export interface Interrupts {
  /** Calls `fire` once if the run is cancelled from now on; returns the release. */
  watch(runId: string, fire: () => void): () => void;
  /** Whether a cancellation of the run in the last seconds would have been heard, and none was. */
  isQuiet(runId: string): boolean;
}

export type WorkLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Record<string, unknown>,
) => void;

/** A message that failed this often is put aside: 20 deliveries with back-off span about seven minutes. */
export const DELIVERIES_MAX = 20;

const BACKOFF_MS = [250, 500, 1_000, 2_000, 4_000, 8_000, 15_000] as const;
const BACKOFF_MAX_MS = 30_000;

export const backoffMs = (deliveryCount: number): number => BACKOFF_MS[deliveryCount - 1] ?? BACKOFF_MAX_MS;
