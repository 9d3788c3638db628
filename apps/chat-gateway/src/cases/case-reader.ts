import { Logger } from '@nestjs/common';
import { caseDecision } from '@inquest/contracts/case-decision';
import { caseRequested, investigatorResult, type CaseRequested } from '@inquest/contracts/case-facts';
import { CaseView } from '@inquest/contracts/case-view';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunId, Step } from '@inquest/contracts/ids';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import { caseReport, verifiedCase, withReport } from '@inquest/run-view/complete-case';
import { foldCase } from '@inquest/run-view/fold-case';
import type { CaseEntry, FoldedCase } from '@inquest/run-view/folded-case';
import { ReleaseUnverifiable } from '@inquest/run-view/released-bytes';
import { ProblemError } from '../http/problem-error';
import { RowsUnavailable } from '../runs/read-pool';
import { archiveUnavailable, type RunReader } from '../runs/run-reader';
import type { CaseRow, CaseRows } from './case-rows';

export type LoggedCase = { request: CaseRequested; chain: CaseEntry[]; folded: FoldedCase };

/** A case as a caller may know it: from its row where that is complete, else from the log. */
export type FoundCase = { view: CaseView; logged: LoggedCase | undefined };

export const caseNotFound = (): ProblemError =>
  new ProblemError('not-found', { detail: 'There is no such case.' });

/** Reads cases; the tenant is asked for everywhere, and another tenant's case is no case. */
export class CaseReader {
  private readonly logger = new Logger(CaseReader.name);

  constructor(
    private readonly log: EventLog,
    private readonly payloads: PayloadStore,
    private readonly rows: CaseRows,
    private readonly facts: Pick<RunReader, 'fact' | 'subjectsOf'>,
  ) {}

  /** The case from the log alone; `undefined` when the log does not hold it (any more). Throws `not-found` for another tenant's. */
  async fromLog(caseId: RunId, tenant: string): Promise<LoggedCase | undefined> {
    const subjects = this.facts.subjectsOf(caseId);
    const [asked, chain] = await Promise.all([
      this.facts.fact(subjects.in('open')),
      this.log.readChain(subjects.caseChain),
    ]);
    if (!asked) return undefined;
    const request = caseRequested.schema.parse(asked.data);
    if (request.tenant !== tenant) throw caseNotFound();
    const entries = chain.map(({ seq, data }): CaseEntry => ({
      seq,
      decision: caseDecision.schema.parse(data),
    }));
    return { request, chain: entries, folded: foldCase(request, entries) };
  }

  /** Throws `not-found`, or `log-unavailable` where the only place that may know does not answer. */
  async find(caseId: RunId, tenant: string): Promise<FoundCase> {
    const row = await this.rowOf(caseId);
    const known = row === 'UNAVAILABLE' ? undefined : row;
    if (known && known.tenant !== tenant) throw caseNotFound();
    const told = known?.ended ? this.viewOfRow(caseId, known) : undefined;
    if (told && !(told instanceof Error)) return { view: told, logged: undefined };
    const logged = await this.fromLog(caseId, tenant);
    if (logged) return { view: await this.complete(logged.folded), logged };
    if (told) throw told;
    if (row === 'UNAVAILABLE') throw archiveUnavailable();
    if (!known) throw caseNotFound();
    // It never ended, and the log has forgotten it since.
    return { view: CaseView.parse(known.view), logged: undefined };
  }

  /** Adds what stands in other facts: the released bytes, checked, and who wrote them. */
  private async complete(folded: FoldedCase): Promise<CaseView> {
    const { view, release, draftStep } = folded;
    if (!release) return view;
    const subjects = this.facts.subjectsOf(view.caseId);
    const [message, author] = await Promise.all([
      this.facts.fact(subjects.res('evidence', release.evidenceStep)),
      this.authorOf(view.caseId, draftStep),
    ]);
    const result = message && evidenceResult.schema.parse(message.data);
    if (result?.kind !== 'ACCEPTED')
      throw new ReleaseUnverifiable(view.caseId, 'its evidence result is not in the log');
    const { report } = verifiedCase(view.caseId, await loadPayload(this.payloads, result.snapshot), folded);
    return withReport(view, report, author);
  }

  private async authorOf(caseId: RunId, draftStep: Step | null): Promise<string | null> {
    if (draftStep === null) return null;
    const message = await this.facts.fact(this.facts.subjectsOf(caseId).res('investigator', draftStep));
    const result = investigatorResult.schema.safeParse(message?.data);
    return result.success ? (result.data.record?.model ?? null) : null;
  }

  private async rowOf(caseId: RunId): Promise<CaseRow | undefined | 'UNAVAILABLE'> {
    try {
      return await this.rows.byId(caseId);
    } catch (error) {
      if (error instanceof RowsUnavailable) return 'UNAVAILABLE';
      throw error;
    }
  }

  /** An error: the row does not hold what was released; the log may. */
  private viewOfRow(caseId: RunId, row: CaseRow): CaseView | Error {
    try {
      return viewOfRow(caseId, row);
    } catch (error) {
      const why = error instanceof Error ? error : new Error(String(error));
      this.logger.error(`the row of ${caseId} is not shown: ${why.message}`);
      return why;
    }
  }
}

/** Report and change request are made anew from the checked bytes: what else the row says of them is not read. */
const viewOfRow = (caseId: RunId, { view: stored, reportText }: CaseRow): CaseView => {
  const { report: _, ...view } = CaseView.parse(stored);
  if (view.snapshotHash === null) return { ...view, changeRequest: null };
  if (reportText === null || view.reportHash === null)
    throw new ReleaseUnverifiable(caseId, 'the row holds no released bytes');
  return withReport(view, caseReport(caseId, reportText, view.reportHash), view.author);
};
