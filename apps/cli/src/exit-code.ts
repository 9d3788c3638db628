import type { Outcome } from '@inquest/contracts/outcome';

export const ExitCode = {
  success: 0,
  /** Something is broken or missing: the stack does not start, the gateway does not answer. */
  trouble: 1,
  badInput: 2,
  fallback: 3,
  failed: 4,
  cancelled: 5,
  /** As shells report an interrupted command. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];

const OF_OUTCOME: Record<Outcome, ExitCode> = {
  SUCCESS: ExitCode.success,
  FALLBACK: ExitCode.fallback,
  FAILED: ExitCode.failed,
  CANCELLED: ExitCode.cancelled,
};

export const exitCodeOf = (outcome: Outcome): ExitCode => OF_OUTCOME[outcome];
