import type { z } from 'zod';

/**
 * One fact of the log: its type, its schema and the subject it stands under, declared once and nowhere else.
 * `subject` is the documented pattern; the builders are in `subjects.ts`.
 */
export type FactContract<Data extends z.ZodType = z.ZodType> = {
  /** CloudEvents type, with its major version: a breaking change is a new contract beside the old one. */
  type: `inquest.${string}.v${number}`;
  subject: string;
  /** The services that may write it; the broker's permissions say the same. */
  writers: readonly string[];
  /** What it means, in one sentence, for `docs/events.md`. */
  meaning: string;
  schema: Data;
};

export const defineFact = <Data extends z.ZodType>(contract: FactContract<Data>): FactContract<Data> =>
  contract;

export type DataOf<Contract extends FactContract> = z.infer<Contract['schema']>;
