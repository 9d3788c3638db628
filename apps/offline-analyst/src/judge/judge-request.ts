import { z } from 'zod';
import { ReviewItem } from '@inquest/contracts/semantic-facts';

/** One item to grade, as the SemanticGuard sends it. */
const Item = ReviewItem.loose().extend({ scopeHash: z.string().nullish() });
export type Item = z.infer<typeof Item>;

const EvidencePiece = z.looseObject({
  toolCallId: z.string(),
  tool: z.string(),
  scope: z.record(z.string(), z.unknown()).nullish(),
  window: z.looseObject({ from: z.string(), to: z.string() }).nullish(),
  evidenceStatus: z.string(),
  truncated: z.boolean(),
  projection: z.string(),
});
export type EvidencePiece = z.infer<typeof EvidencePiece>;

export const JudgeRequest = z.looseObject({
  kind: z.literal('judge'),
  snapshotHash: z.string(),
  boundary: z.string().min(1),
  items: z.array(Item),
  evidence: z.array(EvidencePiece),
});
export type JudgeRequest = z.infer<typeof JudgeRequest>;

export type ReasonCode =
  | 'ENTAILED'
  | 'CONTRADICTED'
  | 'NOT_IN_EVIDENCE'
  | 'OVERSTATED'
  | 'SCOPE'
  | 'CAUSAL_LEAP'
  | 'NEGATION'
  | 'INJECTION_SUSPECTED';

/** Why an item is refused, or undefined when a check has nothing against it. */
export type Objection = Exclude<ReasonCode, 'ENTAILED'> | undefined;
