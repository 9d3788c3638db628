import { PayloadUnusable, type EventLog, type PayloadStore } from '@inquest/event-log/event-log';
import type { FoldedCase } from '@inquest/run-view/folded-case';
import { ReleaseUnverifiable } from '@inquest/run-view/released-bytes';
import { caseContent, caseEvidence, type CaseContent } from './case-content';
import type { CaseRows } from './case-rows';
import { receivedCaseProjection, withCaseEntry, type ProjectedCase } from './projected-case';
import type { Projected } from './projected-run';
import type { ProjectionRows } from './rows';

/** Cases kept in memory between batches; one that fell out is read back from its events. */
const CASES_MAX = 500;

/** Where the batch stands. */
export type Place = { stream: string; incarnation: string; partition: number };

/** The cases of one partition, within the transaction that projects the batch. */
export class CaseProjection {
  private readonly cases = new Map<string, ProjectedCase>();

  constructor(
    private readonly log: EventLog,
    private readonly payloads: PayloadStore,
    private readonly place: Place,
    private readonly onUnverifiable: (caseId: string, error: Error) => void,
  ) {}

  /** Takes in one message; true when a row has to be written. */
  async take(
    rows: CaseRows,
    projected: Extract<Projected, { kind: 'case-request' | 'case-decision' }>,
    seq: number,
  ): Promise<boolean> {
    const { runId: caseId } = projected;
    if (projected.kind === 'case-request') {
      this.cases.set(caseId, receivedCaseProjection(projected.request, seq));
      return true;
    }
    const { stream, incarnation } = this.place;
    const known = this.cases.get(caseId) ?? (await rows.load(stream, incarnation, caseId));
    // The request has left the log before it was projected: the rest of such a case is no case.
    if (known === undefined) return false;
    this.cases.set(caseId, withCaseEntry(known, { seq, decision: projected.decision }));
    return true;
  }

  async write(
    rows: CaseRows,
    evidence: Pick<ProjectionRows, 'insertEvidence'>,
    caseId: string,
  ): Promise<void> {
    const projected = this.cases.get(caseId);
    if (projected === undefined) return;
    const { fold, before } = projected;
    const content = await this.contentOf(fold);
    if (content === 'UNVERIFIABLE') return rows.upsert(projected, before, undefined, this.place.partition);
    await rows.upsert(projected, fold, content, this.place.partition);
    if (fold.release !== null) await evidence.insertEvidence(caseId, await caseEvidence(this.log, fold));
  }

  /** What was taken in was not committed. */
  clear(): void {
    this.cases.clear();
  }

  trim(): void {
    for (const [caseId, { fold }] of this.cases) {
      if (this.cases.size > CASES_MAX || fold.terminalSeq !== null) this.cases.delete(caseId);
    }
  }

  /** As with runs: bytes that are not the released ones are shown to nobody, and hold up nobody else. */
  private async contentOf(fold: FoldedCase): Promise<CaseContent | undefined | 'UNVERIFIABLE'> {
    try {
      return await caseContent(this.log, this.payloads, fold);
    } catch (error) {
      if (!(error instanceof ReleaseUnverifiable || error instanceof PayloadUnusable)) throw error;
      this.onUnverifiable(fold.view.caseId, error);
      return 'UNVERIFIABLE';
    }
  }
}
