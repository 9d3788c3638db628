import { z } from 'zod';

/** A violation as the guard reports it and the one repair receives it: codes, places and valid ids; no values of tool output. */
export const Violation = z.strictObject({
  ruleId: z.string().regex(/^[0-9]{1,2} [A-Z_]+$/),
  analysisId: z.string().max(16).nullable(),
  /** JSON pointer into the draft. */
  path: z.string().max(300),
  toolCallId: z.string().max(128).nullable(),
  message: z.string().max(500),
  /** False: the repair cannot help, e.g. a broken ledger. */
  repairable: z.boolean(),
  /** JSON pointers in cited projections where a right value may be found. */
  candidates: z.array(z.string().max(400)).max(8),
});
export type Violation = z.infer<typeof Violation>;
