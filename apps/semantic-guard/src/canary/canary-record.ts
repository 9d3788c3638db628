import { canaryRecorded, type CanaryRecorded } from '@inquest/contracts/platform-facts';

export const CANARY_RECORD_TYPE = canaryRecorded.type;
export const canarySubject = (hash: string): string => `ctl.canary.${hash}`;

export const CanaryRecord = canaryRecorded.schema;
export type CanaryRecord = CanaryRecorded;

const MINUTE_MS = 60_000;

/** A judge that passed is asked again after six hours: canaries are paid calls. One that failed, sooner. */
export const VALID_FOR_MS = { CHECKING: 90_000, HEALTHY: 360 * MINUTE_MS, UNHEALTHY: 5 * MINUTE_MS } as const;
/** An endpoint that does not answer may be starting. */
export const UNREACHABLE_FOR_MS = 1_000;
