import type { DataSource, EntityManager } from 'typeorm';
import type { RunId } from '@inquest/contracts/ids';
import { streamOf } from '@inquest/contracts/subjects';
import {
  PayloadUnusable,
  type EventLog,
  type PayloadStore,
  type StoredMessage,
} from '@inquest/event-log/event-log';
import { typedCommand } from '@inquest/contracts/typed-command';
import type { FoldedRun } from '@inquest/run-view/fold-run';
import { ReleaseUnverifiable } from '@inquest/run-view/released-bytes';
import {
  eventRow,
  read,
  receivedProjection,
  withEntry,
  type ProjectedRun,
  type ReleasedContent,
} from './projected-run';
import { CaseRows } from './case-rows';
import { CaseProjection } from './project-cases';
import { releasedContent, releasedEvidence } from './released-content';
import { LIVE, ProjectionRows, type Tables } from './rows';

/** The log is another one than the checkpoint speaks of, or shorter: going on would mix two histories. */
export class CheckpointUnusable extends Error {
  constructor(stream: string, why: string) {
    super(`${stream}: ${why}; to project this log from its beginning: ${typedCommand('rebuild')}`);
    this.name = 'CheckpointUnusable';
  }
}

/** Another process moved the checkpoint: this one no longer holds the partition. */
export class CheckpointMoved extends Error {
  constructor(stream: string) {
    super(`another projector moved the checkpoint of ${stream}`);
    this.name = 'CheckpointMoved';
  }
}

/** Runs kept in memory between batches; one that fell out is read back from `run_event`. */
const RUNS_MAX = 2_000;

/**
 * Projects one partition in batches. Events, rows and checkpoint move in one transaction, so that whatever is
 * committed is the exact fold of the log up to the checkpoint, and a batch that is projected twice changes nothing.
 */
export class PartitionProjection {
  private readonly runs = new Map<string, ProjectedRun>();
  private readonly cases: CaseProjection;
  private readonly stream: string;

  constructor(
    private readonly source: DataSource,
    private readonly log: EventLog,
    private readonly payloads: PayloadStore,
    private readonly partition: number,
    private readonly incarnation: string,
    private readonly tables: Tables = LIVE,
    private readonly onUnverifiable: (runId: string, error: Error) => void = () => undefined,
  ) {
    this.stream = streamOf(partition);
    const place = { stream: this.stream, incarnation, partition };
    this.cases = new CaseProjection(log, payloads, place, onUnverifiable);
  }

  /** Where to go on; throws {@link CheckpointUnusable} when the log is not the one that was projected. */
  async position(lastSeq: number): Promise<number> {
    const checkpoint = await new ProjectionRows(this.source.manager, this.tables).checkpoint(this.stream);
    if (checkpoint === undefined) return 0;
    if (checkpoint.incarnation !== this.incarnation)
      throw new CheckpointUnusable(this.stream, 'the stream was made anew');
    if (checkpoint.seq > lastSeq)
      throw new CheckpointUnusable(this.stream, 'the checkpoint lies beyond the end of the stream');
    return checkpoint.seq;
  }

  /** Projects a batch that follows `from` and returns the new position. */
  async project(batch: readonly StoredMessage[], from: number): Promise<number> {
    const to = batch.at(-1)?.seq ?? from;
    if (to === from) return from;
    try {
      await this.source.transaction((manager) => this.apply(manager, batch, from, to));
    } catch (error) {
      // What the cache took in was not committed.
      this.runs.clear();
      this.cases.clear();
      throw error;
    }
    this.trim();
    this.cases.trim();
    return to;
  }

  private async apply(
    manager: EntityManager,
    batch: readonly StoredMessage[],
    from: number,
    to: number,
  ): Promise<void> {
    const rows = new ProjectionRows(manager, this.tables);
    if (!(await rows.moveCheckpoint(this.stream, this.incarnation, from, to)))
      throw new CheckpointMoved(this.stream);
    const caseRows = new CaseRows(manager, this.tables);
    const touched = new Set<string>();
    const touchedCases = new Set<string>();
    const events = [];
    for (const message of batch) {
      const projected = read(message);
      if (projected === undefined) continue;
      events.push(eventRow(this.stream, this.incarnation, projected.runId, message));
      if (projected.kind === 'request') {
        this.runs.set(projected.runId, receivedProjection(projected.request, message.seq));
        touched.add(projected.runId);
      } else if (projected.kind === 'decision') {
        const run =
          this.runs.get(projected.runId) ??
          (await rows.loadRun(this.stream, this.incarnation, projected.runId));
        // The request has left the log before it was projected: the rest of such a run is no run.
        if (run === undefined) continue;
        this.runs.set(projected.runId, withEntry(run, { seq: message.seq, decision: projected.decision }));
        touched.add(projected.runId);
      } else if (projected.kind === 'case-request' || projected.kind === 'case-decision') {
        if (await this.cases.take(caseRows, projected, message.seq)) touchedCases.add(projected.runId);
      }
    }
    await rows.insertEvents(events);
    for (const runId of touched) await this.writeRun(rows, runId);
    for (const caseId of touchedCases) await this.cases.write(caseRows, rows, caseId);
  }

  private async writeRun(rows: ProjectionRows, runId: string): Promise<void> {
    const run = this.runs.get(runId);
    if (run === undefined) return;
    const { fold } = run;
    const released = await this.contentOf(fold);
    if (released === 'UNVERIFIABLE') {
      await rows.upsertRun(run, run.before, undefined, this.partition);
      return;
    }
    await rows.upsertRun(run, fold, released, this.partition);
    if (fold.release !== null)
      await rows.insertEvidence(runId, await releasedEvidence(this.log, runId as RunId, fold));
  }

  /**
   * A release whose bytes are not those that both guards passed is shown to nobody: its row stays where it was before
   * the end. It must not hold up the other runs of the partition, so it is reported and passed over.
   */
  private async contentOf(fold: FoldedRun): Promise<ReleasedContent | undefined | 'UNVERIFIABLE'> {
    try {
      return await releasedContent(this.log, this.payloads, fold);
    } catch (error) {
      if (!(error instanceof ReleaseUnverifiable || error instanceof PayloadUnusable)) throw error;
      this.onUnverifiable(fold.view.runId, error);
      return 'UNVERIFIABLE';
    }
  }

  private trim(): void {
    for (const [runId, { fold }] of this.runs) {
      if (this.runs.size > RUNS_MAX || fold.terminalSeq !== null) this.runs.delete(runId);
    }
  }
}
