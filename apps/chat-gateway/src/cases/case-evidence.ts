import type { CaseView } from '@inquest/contracts/case-view';
import type { RunId, ToolCallId } from '@inquest/contracts/ids';
import { LedgerEntry } from '@inquest/contracts/ledger';
import type { PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import type { FoldedCase, ReservedCall } from '@inquest/run-view/folded-case';
import { citedCalls } from '@inquest/run-view/released-bytes';
import { ProblemError } from '../http/problem-error';
import type { Scope } from '../http/scopes';
import { RowsUnavailable } from '../runs/read-pool';
import { archiveUnavailable, type RunReader } from '../runs/run-reader';
import type { CaseReader } from './case-reader';
import type { CaseRows } from './case-rows';

const SEES_ALL: readonly Scope[] = ['operate', 'audit'];

/** `ask` opens what the released report cites, and nothing else: other results were seen by no guard together. */
export const mayOpenOfCase = (
  scopes: ReadonlySet<Scope>,
  { report }: Pick<CaseView, 'report'>,
  toolCallId: string,
): boolean =>
  SEES_ALL.some((scope) => scopes.has(scope)) ||
  (scopes.has('ask') && report !== undefined && citedCalls({ report }).has(toolCallId));

/** The action that was settled by its result. What came after its release is readable by nobody. */
export const settledAction = (folded: FoldedCase, toolCallId: ToolCallId): ReservedCall | undefined => {
  const call = folded.calls.get(toolCallId);
  return call?.settled && call.settled.errorClass !== 'STEP_TIMED_OUT' ? call : undefined;
};

const noEvidence = (): ProblemError =>
  new ProblemError('not-found', { detail: 'There is no such evidence to open.' });

export class CaseEvidenceReader {
  constructor(
    private readonly reader: CaseReader,
    private readonly facts: Pick<RunReader, 'fact' | 'subjectsOf'>,
    private readonly payloads: PayloadStore,
    private readonly rows: CaseRows,
  ) {}

  /** The canonical record of one action, with its projection's exact text inline. Throws `not-found`. */
  async open(
    caseId: RunId,
    toolCallId: ToolCallId,
    caller: { tenant: string; scopes: ReadonlySet<Scope> },
  ): Promise<LedgerEntry> {
    const found = await this.reader.find(caseId, caller.tenant);
    if (!mayOpenOfCase(caller.scopes, found.view, toolCallId)) throw noEvidence();
    const logged = found.logged ?? (await this.reader.fromLog(caseId, caller.tenant));
    const entry = logged
      ? await this.fromLog(caseId, logged.folded, toolCallId)
      : await this.archived(caseId, toolCallId);
    if (!entry) throw noEvidence();
    const inline = await loadPayload(this.payloads, entry.projection);
    const { sha256, bytes } = entry.projection;
    return { ...entry, projection: { sha256, bytes, inline } };
  }

  private async fromLog(
    caseId: RunId,
    folded: FoldedCase,
    toolCallId: ToolCallId,
  ): Promise<LedgerEntry | undefined> {
    const call = settledAction(folded, toolCallId);
    if (!call) return undefined;
    const message = await this.facts.fact(this.facts.subjectsOf(caseId).res(call.service, call.step));
    return message && LedgerEntry.parse(message.data);
  }

  private async archived(caseId: RunId, toolCallId: string): Promise<LedgerEntry | undefined> {
    try {
      const entry = await this.rows.evidence(caseId, toolCallId);
      return entry === undefined || entry === null ? undefined : LedgerEntry.parse(entry);
    } catch (error) {
      if (!(error instanceof RowsUnavailable)) throw error;
      throw archiveUnavailable();
    }
  }
}
