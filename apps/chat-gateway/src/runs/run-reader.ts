import { Logger } from '@nestjs/common';
import type { RunId } from '@inquest/contracts/ids';
import { runDecision } from '@inquest/contracts/run-decision';
import { RunView } from '@inquest/contracts/run-view';
import { agentResult } from '@inquest/contracts/agent-facts';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import { runRequested, type RunRequested } from '@inquest/contracts/inbound-facts';
import { runSubjects, type RunSubjects } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore, StoredMessage } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import { ProblemError } from '../http/problem-error';
import type { LiveChains } from '../stream/chain-tail';
import {
  ReleaseUnverifiable,
  verifiedReport,
  verifiedSnapshot,
  type ReleasedPart,
} from '@inquest/run-view/released-bytes';
import { RowsUnavailable } from './read-pool';
import type { RunRow, RunRows } from './run-rows';
import { foldRun, type ChainEntry, type FoldedRun, type Release } from '@inquest/run-view/fold-run';

export type LoggedRun = { request: RunRequested; chain: ChainEntry[]; folded: FoldedRun };

/** A run as a caller may know it: from its row where that is complete, else from the log. */
export type FoundRun =
  { from: 'row'; view: RunView; row: RunRow } | { from: 'log'; view: RunView; logged: LoggedRun };

export const runNotFound = (): ProblemError =>
  new ProblemError('not-found', { detail: 'There is no such run.' });

export const archiveUnavailable = (): ProblemError =>
  new ProblemError(
    'log-unavailable',
    { detail: 'The archive of older runs does not answer.' },
    { 'Retry-After': '5' },
  );

const entryOf = ({ seq, data }: StoredMessage): ChainEntry => ({
  seq,
  decision: runDecision.schema.parse(data),
});

/** Reads runs; the tenant is asked for everywhere, and another tenant's run is no run. */
export class RunReader {
  private readonly logger = new Logger(RunReader.name);

  constructor(
    private readonly log: EventLog,
    private readonly payloads: PayloadStore,
    private readonly rows: RunRows,
    private readonly live: Pick<LiveChains, 'noteEnding'>,
  ) {}

  subjectsOf(runId: RunId): RunSubjects {
    return runSubjects(runId, this.log.partitions);
  }

  /** A write-once fact: present is truth wherever it is read, absent is so at the leader only. */
  async fact(subject: string): Promise<StoredMessage | undefined> {
    return (await this.log.readLast(subject, 'any')) ?? (await this.log.readLast(subject, 'leader'));
  }

  async request(runId: RunId): Promise<RunRequested | undefined> {
    const message = await this.fact(this.subjectsOf(runId).in('request'));
    return message && runRequested.schema.parse(message.data);
  }

  async chain(runId: RunId, fromSeq?: number): Promise<ChainEntry[]> {
    return (await this.log.readChain(this.subjectsOf(runId).chain, fromSeq)).map(entryOf);
  }

  /** The run from the log alone; `undefined` when the log has no request of it (any more). Throws `not-found` for another tenant's. */
  async fromLog(runId: RunId, tenant: string): Promise<LoggedRun | undefined> {
    const [request, chain] = await Promise.all([this.request(runId), this.chain(runId)]);
    if (!request) return undefined;
    if (request.tenant !== tenant) throw runNotFound();
    const folded = foldRun(request, chain);
    // Whoever has been shown an ending may refer to it in the next question.
    if (folded.terminalSeq !== null)
      this.live.noteEnding(this.subjectsOf(runId).partition, folded.terminalSeq);
    return { request, chain, folded };
  }

  /** Throws `not-found`, or `log-unavailable` where the only place that may know does not answer. */
  async find(runId: RunId, tenant: string): Promise<FoundRun> {
    const row = await this.rowOf(runId);
    if (row && row !== 'UNAVAILABLE' && row.tenant !== tenant) throw runNotFound();
    const told = row && row !== 'UNAVAILABLE' ? this.viewOfRow(runId, row) : undefined;
    if (told && !(told instanceof Error)) return { from: 'row', view: told, row: row as RunRow };
    const logged = await this.fromLog(runId, tenant);
    if (logged) return { from: 'log', view: await this.complete(runId, logged.folded), logged };
    if (told) throw told;
    if (row === 'UNAVAILABLE') throw archiveUnavailable();
    if (!row) throw runNotFound();
    // It never ended, and the log has forgotten it since.
    return { from: 'row', view: RunView.parse(row.view), row };
  }

  /** Adds what stands in other facts: the released bytes, checked, and who wrote them. */
  private async complete(runId: RunId, { view, release, draftStep }: FoldedRun): Promise<RunView> {
    if (!release || release.form === 'OUT_OF_SCOPE_REPLY') return view;
    const [part, author] = await Promise.all([
      this.releasedPart(runId, release),
      this.authorOf(runId, draftStep),
    ]);
    return { ...view, ...part, author };
  }

  private async releasedPart(runId: RunId, release: Release): Promise<ReleasedPart> {
    const { evidenceStep, reportHash, form } = release;
    if (reportHash === null || evidenceStep === null || form === 'OUT_OF_SCOPE_REPLY') return {};
    const message = await this.fact(this.subjectsOf(runId).res('evidence', evidenceStep));
    const result = message && evidenceResult.schema.parse(message.data);
    if (result?.kind !== 'ACCEPTED')
      throw new ReleaseUnverifiable(runId, 'its evidence result is not in the log');
    const snapshot = verifiedSnapshot(runId, await loadPayload(this.payloads, result.snapshot), release);
    return verifiedReport(snapshot.report, { runId, form, reportHash });
  }

  private async authorOf(runId: RunId, draftStep: string | null): Promise<string | null> {
    if (draftStep === null) return null;
    const message = await this.fact(this.subjectsOf(runId).res('agent', draftStep));
    const result = agentResult.schema.safeParse(message?.data);
    return result.success ? (result.data.record?.model ?? null) : null;
  }

  private async rowOf(runId: RunId): Promise<RunRow | undefined | 'UNAVAILABLE'> {
    try {
      return await this.rows.byId(runId);
    } catch (error) {
      if (error instanceof RowsUnavailable) return 'UNAVAILABLE';
      throw error;
    }
  }

  /** `undefined`: the run goes on and the log knows more. An error: the row does not hold what was released; the log may. */
  private viewOfRow(runId: RunId, row: RunRow): RunView | Error | undefined {
    if (row.status === 'ERASED') return erasedView(runId, row);
    if (row.outcome === null) return undefined;
    try {
      return viewOfRow(runId, row);
    } catch (error) {
      const why = error instanceof Error ? error : new Error(String(error));
      this.logger.error(`the row of ${runId} is not shown: ${why.message}`);
      return why;
    }
  }
}

const viewOfRow = (runId: RunId, row: RunRow): RunView => {
  const stored = RunView.parse(row.view);
  const { report, answer, ...view } = stored;
  if (stored.outcome !== 'SUCCESS' || stored.reportHash === null)
    return { ...view, ...(answer && { answer }) };
  if (row.reportText === null) throw new ReleaseUnverifiable(runId, 'the row holds none');
  const form = stored.intent === 'KNOWLEDGE_QUERY' ? 'ANSWER' : 'REPORT';
  return { ...view, ...verifiedReport(row.reportText, { runId, form, reportHash: stored.reportHash }) };
};

/** What is left of an erased run: ids, times, counts, hashes. */
const erasedView = (runId: RunId, { tenant, view, requestedAt }: RunRow): RunView => {
  const kept = RunView.safeParse(view);
  const none = { startedAt: null, endedAt: null, totalMs: null };
  return {
    runId,
    tenant,
    sessionId: null,
    question: '',
    source: null,
    status: 'ERASED',
    intent: null,
    outcome: null,
    reportHash: kept.data?.reportHash ?? null,
    snapshotHash: kept.data?.snapshotHash ?? null,
    previousRunId: null,
    coverage: [],
    cancellation: null,
    timings: kept.data?.timings ?? { requestedAt, ...none },
    modelCalls: kept.data?.modelCalls ?? 0,
    toolCalls: kept.data?.toolCalls ?? 0,
    tokens: kept.data?.tokens ?? 0,
    author: null,
  };
};
