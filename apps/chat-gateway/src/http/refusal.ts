import type { Refusal } from '../gate/gate';
import { ProblemError } from './problem-error';

export const refusalOf = ({ problem, detail, retryAfterS }: Refusal): ProblemError =>
  new ProblemError(
    problem,
    { detail },
    retryAfterS === undefined ? {} : { 'Retry-After': String(retryAfterS) },
  );
