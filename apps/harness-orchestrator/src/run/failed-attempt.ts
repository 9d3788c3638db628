import type { FailedAttempt, TokenUsage } from '@inquest/contracts/model-call';

/** A failure as a worker or the clock tells of it. */
export type Failed = Pick<FailedAttempt, 'failure' | 'retryAfterMs'> & Partial<Pick<FailedAttempt, 'record'>>;

/** What an attempt cost, for events that leave it out where nobody told. */
export const costOf = ({ record }: Partial<Pick<FailedAttempt, 'record'>>): { usage?: TokenUsage } =>
  record?.usage ? { usage: record.usage } : {};
