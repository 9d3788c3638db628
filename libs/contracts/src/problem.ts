import { z } from 'zod';

/** The kinds of problem that clients may branch on; `type` of RFC 9457 is `urn:inquest:problem:<kind>`. */
export const PROBLEMS = {
  'bad-request': { status: 400, title: 'The request is not valid' },
  unauthorized: { status: 401, title: 'A valid bearer token is needed' },
  forbidden: { status: 403, title: 'The token lacks the scope for this' },
  'not-found': { status: 404, title: 'There is no such thing here' },
  'method-not-allowed': { status: 405, title: 'The resource does not answer this method' },
  'already-decided': { status: 409, title: 'The outcome of this run is already decided' },
  'not-inconclusive': { status: 409, title: 'Only a run that ended inconclusive can be taken further' },
  'not-ended': { status: 409, title: 'The run has not ended yet' },
  'too-many-streams': { status: 409, title: 'This run has had its number of owner streams' },
  'payload-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'key-reused': { status: 422, title: 'This Idempotency-Key was used with another body' },
  'unknown-source': { status: 422, title: 'No source of this name is configured' },
  'too-many-runs': { status: 429, title: 'Too many runs were opened this way' },
  internal: { status: 500, title: 'Something went wrong here; nothing was released' },
  'log-unavailable': { status: 503, title: 'The event log does not answer' },
  'log-full': { status: 503, title: 'The log is close to its bounds; open runs come first' },
  'guards-unavailable': { status: 503, title: 'A guard is absent, incompatible or unhealthy' },
  'not-cut-over': {
    status: 503,
    title: 'The guarded entry is not switched on and no old path is configured',
  },
  'legacy-unavailable': { status: 502, title: 'The old path does not answer' },
} as const;
export type ProblemKind = keyof typeof PROBLEMS;

/** RFC 9457 problem details; `application/problem+json`. `detail` says what to do next and never quotes an internal error. */
export const Problem = z.strictObject({
  type: z.string().regex(/^urn:inquest:problem:[a-z-]+$/),
  title: z.string(),
  status: z.number().int().min(400).max(599),
  detail: z.string().max(1_000).optional(),
  instance: z.string().max(300).optional(),
  /** Where in the request: JSON pointers or parameter names, at most 20. */
  errors: z
    .array(z.strictObject({ at: z.string().max(200), message: z.string().max(300) }))
    .max(20)
    .optional(),
});
export type Problem = z.infer<typeof Problem>;

export const problem = (
  kind: ProblemKind,
  extra: Pick<Problem, 'detail' | 'instance' | 'errors'> = {},
): Problem => ({
  type: `urn:inquest:problem:${kind}`,
  title: PROBLEMS[kind].title,
  status: PROBLEMS[kind].status,
  ...extra,
});
