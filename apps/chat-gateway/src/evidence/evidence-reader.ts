import type { RunId, ToolCallId } from '@inquest/contracts/ids';
import { LedgerEntry } from '@inquest/contracts/ledger';
import type { RunView } from '@inquest/contracts/run-view';
import type { PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import { ProblemError } from '../http/problem-error';
import type { Scope } from '../http/scopes';
import { citedCalls } from '@inquest/run-view/released-bytes';
import { archiveUnavailable, type RunReader } from '../runs/run-reader';
import { RowsUnavailable } from '../runs/read-pool';
import type { RunRows } from '../runs/run-rows';
import type { AcceptedCall, FoldedRun } from '@inquest/run-view/fold-run';

const SEES_ALL: readonly Scope[] = ['operate', 'audit'];

/** `ask` opens what a released report stands on, and nothing else: other results were seen by no guard together. */
export const mayOpen = (scopes: ReadonlySet<Scope>, view: RunView, toolCallId: string): boolean =>
  view.status !== 'ERASED' &&
  (SEES_ALL.some((scope) => scopes.has(scope)) ||
    (scopes.has('ask') && view.outcome === 'SUCCESS' && citedCalls(view).has(toolCallId)));

/**
 * The call whose result the harness has taken in. A result that came after its deadline or after a cancellation is
 * recorded as discarded, and its content is readable by nobody.
 */
export const takenIn = (folded: FoldedRun, toolCallId: ToolCallId): AcceptedCall | undefined => {
  const call = folded.calls.get(toolCallId);
  return call?.completed && call.completed.errorClass !== 'STEP_TIMED_OUT' ? call : undefined;
};

const noEvidence = (): ProblemError =>
  new ProblemError('not-found', { detail: 'There is no such evidence to open.' });

export class EvidenceReader {
  constructor(
    private readonly reader: RunReader,
    private readonly payloads: PayloadStore,
    private readonly rows: RunRows,
  ) {}

  /** The canonical record of one call, with its projection's exact text inline. Throws `not-found`. */
  async open(
    runId: RunId,
    toolCallId: ToolCallId,
    caller: { tenant: string; scopes: ReadonlySet<Scope> },
  ): Promise<LedgerEntry> {
    const found = await this.reader.find(runId, caller.tenant);
    if (!mayOpen(caller.scopes, found.view, toolCallId)) throw noEvidence();
    const logged = found.from === 'log' ? found.logged : await this.reader.fromLog(runId, caller.tenant);
    const entry = logged
      ? await this.fromLog(runId, logged.folded, toolCallId)
      : await this.archived(runId, toolCallId);
    if (!entry) throw noEvidence();
    const inline = await loadPayload(this.payloads, entry.projection);
    const { sha256, bytes } = entry.projection;
    return { ...entry, projection: { sha256, bytes, inline } };
  }

  private async fromLog(
    runId: RunId,
    folded: FoldedRun,
    toolCallId: ToolCallId,
  ): Promise<LedgerEntry | undefined> {
    const call = takenIn(folded, toolCallId);
    if (!call) return undefined;
    const message = await this.reader.fact(this.reader.subjectsOf(runId).res(call.service, call.step));
    return message && LedgerEntry.parse(message.data);
  }

  private async archived(runId: RunId, toolCallId: string): Promise<LedgerEntry | undefined> {
    try {
      const entry = await this.rows.evidence(runId, toolCallId);
      return entry === undefined || entry === null ? undefined : LedgerEntry.parse(entry);
    } catch (error) {
      if (!(error instanceof RowsUnavailable)) throw error;
      throw archiveUnavailable();
    }
  }
}
