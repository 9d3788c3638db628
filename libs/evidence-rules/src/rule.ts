import type { DraftReading } from './read-draft';
import type { GuardInput } from './guard-input';
import type { LedgerView } from './ledger-view';

/** What a rule reports: where, and what would be right in terms of codes, paths, ids and pointers; never a value of a tool's output. */
export type Finding = {
  /** JSON pointer into the draft. */
  path: string;
  message: string;
  analysisId?: string | undefined;
  toolCallId?: string | undefined;
  /** Default true. */
  repairable?: boolean;
  /** JSON pointers into the projection of `toolCallId`. */
  candidates?: readonly string[];
};

/** Everything a rule may look at: the draft, the draft it repairs, and the ledger. */
export type DraftView = {
  input: GuardInput;
  reading: DraftReading;
  previous: DraftReading | null;
  ledger: LedgerView;
};

/** HARD rejects the draft. SOFT goes to the judge as attention on the item in which it was found. */
export type Rule = {
  /** Number and name in the catalogue of rules, e.g. `25 FACT_VALUE`. */
  id: string;
  /** What holds where the rule passes, in one or two sentences: for docs/reference/evidence-rules.md. */
  meaning: string;
  severity: 'HARD' | 'SOFT';
  check: (view: DraftView) => Iterable<Finding>;
};
