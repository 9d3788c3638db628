import { problem, type Problem, type ProblemKind } from '@inquest/contracts/problem';
import type { z } from 'zod';

/** An answer that a client can act on. Everything else that is thrown becomes `internal`, with its text in our log only. */
export class ProblemError extends Error {
  readonly problem: Problem;
  constructor(
    readonly kind: ProblemKind,
    extra: Pick<Problem, 'detail' | 'errors'> = {},
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(`${kind}${extra.detail ? `: ${extra.detail}` : ''}`);
    this.name = 'ProblemError';
    this.problem = problem(kind, extra);
  }
}

type FieldError = NonNullable<Problem['errors']>[number];

const ERRORS_MAX = 20;

const pointer = (path: readonly PropertyKey[]): string =>
  path
    .map((part) => `/${String(part).replace(/~/g, '~0').replace(/\//g, '~1')}`)
    .join('')
    .slice(0, 200);

export const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues
    .slice(0, ERRORS_MAX)
    .map(({ path, message }) => ({ at: pointer(path), message: message.slice(0, 300) }));

export const badRequest = (detail: string, errors?: FieldError[]): ProblemError =>
  new ProblemError('bad-request', { detail, errors });

/** Applies a schema to something that a client sent; what does not fit is named by place, not quoted. */
export const parsed = <Schema extends z.ZodType>(
  what: string,
  schema: Schema,
  value: unknown,
): z.infer<Schema> => {
  const result = schema.safeParse(value);
  if (!result.success)
    throw badRequest(`The ${what} does not fit its schema; see /openapi.json.`, fieldErrors(result.error));
  return result.data;
};
