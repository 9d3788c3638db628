import { z } from 'zod';

const EvidencePiece = z.looseObject({
  toolCallId: z.string(),
  tool: z.string(),
  evidenceStatus: z.string(),
  scope: z.record(z.string(), z.unknown()).nullish(),
  window: z.looseObject({ from: z.string(), to: z.string() }).nullish(),
  truncated: z.boolean(),
  projection: z.string(),
});
export type EvidencePiece = z.infer<typeof EvidencePiece>;

/** One pass of an early review, as the SemanticGuard's evaluator sends it. */
export const EarlyReview = z.looseObject({
  kind: z.literal('early_review'),
  boundary: z.string().min(1),
  question: z.string(),
  asOf: z.string().nullish(),
  hypotheses: z.array(z.looseObject({ id: z.string(), statement: z.string() })).min(1),
  counterchecks: z.array(z.looseObject({ toolCallIds: z.array(z.string()) })).default([]),
  evidence: z.array(EvidencePiece),
});
export type EarlyReview = z.infer<typeof EarlyReview>;
