import type { RunId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Violation } from '@inquest/contracts/violation';
import type { GuardInput, LedgerRecord } from '@inquest/evidence-rules/guard-input';
import type { DiagnosisDraft } from '@inquest/contracts/draft';

/** A draft that holds, with the ledger and the question that it belongs to. */
export type Subject = {
  name: string;
  question: string;
  zone: string;
  asOf: string;
  entries: readonly LedgerEntry[];
  draft: DiagnosisDraft;
};

const RUN_ID = '00000000-0000-8000-8000-000000000000' as RunId;

/** A call of the ledger, whole or still running. */
export type Call = LedgerEntry | { running: LedgerEntry };

const recordOf = (call: Call): LedgerRecord =>
  'running' in call
    ? { kind: 'PROJECTING', toolCallId: call.running.toolCallId, tool: call.running.tool }
    : { kind: 'RESULT', entry: call, projection: call.projection.inline ?? '' };

export const guardInput = (
  { question, zone, asOf, entries }: Subject,
  draftText: string,
  calls: readonly Call[] = entries,
): GuardInput => ({
  runId: RUN_ID,
  intent: 'DIAGNOSIS',
  revision: 1,
  draftText,
  draftBytesMax: 262_144,
  ledger: calls.map(recordOf),
  question,
  zone,
  asOf,
  repairOf: [],
  ruleSet: 'evidence-2',
});

export const repairInput = (
  first: GuardInput,
  repairedText: string,
  repairOf: readonly Violation[],
): GuardInput => ({
  ...first,
  revision: 2,
  draftText: repairedText,
  previousDraftText: first.draftText,
  repairOf,
});
