import { z } from 'zod';
import { Instant } from './ids';

const Name = z.string().min(1).max(253);

/** What a query was restricted to. An absent member means: not restricted in that dimension. */
export const Scope = z.strictObject({
  service: Name.optional(),
  namespace: Name.optional(),
  env: Name.optional(),
  /** Every further restriction as its canonical text, `key=value` joined by `, ` with keys in order. */
  filter: z.string().min(1).max(500).optional(),
});
export type Scope = z.infer<typeof Scope>;

/** `[from, to)`, instants with an offset. */
export const Window = z.strictObject({ from: Instant, to: Instant });
export type Window = z.infer<typeof Window>;
