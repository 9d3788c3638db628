import { z } from 'zod';

/** One token of a NATS subject as Inquest uses it: no dots, no wildcards, no upper case. */
export const Token = z.string().regex(/^[a-z0-9-]{1,64}$/);
export type Token = z.infer<typeof Token>;

/** UUIDv8 of sha256(tenant, Idempotency-Key), or of random bytes without a key. */
export const RunId = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  .brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;

/** The framework's `tool_call_id`: the sole reference to a tool invocation. Its grammar is part of the contract (H2). */
export const TOOL_CALL_ID_PATTERN = /^[A-Za-z0-9_.:-]{1,128}$/;
export const ToolCallId = z.string().regex(TOOL_CALL_ID_PATTERN).brand<'ToolCallId'>();
export type ToolCallId = z.infer<typeof ToolCallId>;

/** `t<turn>-<kind><index>-a<attempt>`: the same step is the same effect, for ever. Early reviews: `d<NNNN>-e<NNNN>-p<pass>-a<attempt>`. */
export const Step = z
  .string()
  .regex(/^(t\d{1,4}-[a-z]{1,16}\d{1,3}-a\d{1,2}|d\d{4}-e\d{4}-p\d-a\d{1,2})$/)
  .brand<'Step'>();
export type Step = z.infer<typeof Step>;

export const StepKind = z.enum(['router', 'model', 'tool', 'evidence', 'semantic', 'repair']);
export type StepKind = z.infer<typeof StepKind>;

/** Names a step; all parts count from the run's own history, so that a crash cannot change them. */
export const stepOf = (turn: number, kind: StepKind, index: number, attempt: number): Step =>
  `t${turn}-${kind}${index}-a${attempt}` as Step;

export type StepParts = { turn: number; kind: StepKind; index: number; attempt: number };

/** Inverse of {@link stepOf}; `undefined` for anything else (case steps included). */
export const partsOfStep = (step: string): StepParts | undefined => {
  const match = /^t(\d+)-([a-z]+?)(\d+)-a(\d+)$/.exec(step);
  const kind = StepKind.safeParse(match?.[2]);
  if (!match || !kind.success) return undefined;
  return { turn: Number(match[1]), kind: kind.data, index: Number(match[3]), attempt: Number(match[4]) };
};

/** A service that takes work through `req` and answers through `res`. `evaluator` and `investigator` belong to cases. */
export const WorkService = z.enum([
  'router',
  'agent',
  'tool',
  'rag',
  'evidence',
  'semantic',
  'evaluator',
  'investigator',
]);
export type WorkService = z.infer<typeof WorkService>;

export const Tenant = Token;
export const SessionId = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/);
/** Lower-case hex of 32 bytes. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
export const Instant = z.iso.datetime({ offset: true });
export const Sequence = z.number().int().nonnegative();
