import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Intent } from '@inquest/contracts/outcome';
import type { RunId, ToolCallId } from '@inquest/contracts/ids';
import type { Violation } from '@inquest/contracts/violation';

/** One invocation of the run as the guard received it. `projection` is the exact text that the model saw. */
export type LedgerRecord =
  | { kind: 'RESULT'; entry: LedgerEntry; projection: string }
  /** Accepted, without a result: still running, or closed by its deadline. */
  | { kind: 'PROJECTING'; toolCallId: ToolCallId; tool: string };

export type GuardInput = {
  runId: RunId;
  intent: Intent;
  /** 1 for the first draft, 2 for the one repair. */
  revision: number;
  draftText: string;
  draftBytesMax: number;
  ledger: readonly LedgerRecord[];
  question: string;
  /** IANA name of the run's zone. */
  zone: string;
  /** ISO instant that "now" means in this run. */
  asOf: string;
  /** The draft that was rejected, and why; only for a repair. */
  previousDraftText?: string;
  repairOf: readonly Violation[];
  ruleSet: string;
  /** Hosts that prose may link to. None by default. */
  linkHosts?: readonly string[];
};
