import type { EntityManager } from 'typeorm';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { runDecision, type RunDecision } from '@inquest/contracts/run-decision';
import { runRequested, type RunRequested } from '@inquest/contracts/inbound-facts';
import type { FoldedRun } from '@inquest/run-view/fold-run';
import {
  receivedProjection,
  withEntry,
  type EventRow,
  type ProjectedRun,
  type ReleasedContent,
} from './projected-run';
import { jsonText, safeText } from './stored-text';

/** Where rows go: the live tables, or the shadow tables of a rebuild. */
export type Tables = {
  runs: string;
  events: string;
  evidence: string;
  cases: string;
  hypotheses: string;
  findings: string;
  reviews: string;
  checkpoint: string;
};
export const LIVE: Tables = {
  runs: 'diagnosis_run',
  events: 'run_event',
  evidence: 'run_evidence',
  cases: 'investigation_case',
  hypotheses: 'case_hypothesis',
  findings: 'case_finding',
  reviews: 'case_review',
  checkpoint: 'projection_checkpoint',
};

export type Checkpoint = { incarnation: string; seq: number };

/** Every statement of the projection, over one transaction's manager. */
export class ProjectionRows {
  constructor(
    private readonly manager: EntityManager,
    private readonly tables: Tables = LIVE,
  ) {}

  async checkpoint(stream: string): Promise<Checkpoint | undefined> {
    const rows = await this.manager.query<{ incarnation: string; seq: string }[]>(
      `select incarnation, seq from ${this.tables.checkpoint} where stream = $1`,
      [stream],
    );
    return rows[0] && { incarnation: rows[0].incarnation, seq: Number(rows[0].seq) };
  }

  /** Moves the checkpoint on from exactly where it was; false when another process has moved it. */
  async moveCheckpoint(stream: string, incarnation: string, from: number, to: number): Promise<boolean> {
    const rows = await this.manager.query<unknown[]>(
      `insert into ${this.tables.checkpoint} as c (stream, incarnation, seq) values ($1, $2, $4)
       on conflict (stream) do update set seq = $4, moved_at = now()
         where c.incarnation = $2 and c.seq = $3
       returning stream`,
      [stream, incarnation, from, to],
    );
    return rows.length === 1;
  }

  async insertEvents(rows: readonly EventRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.manager.query(
      `insert into ${this.tables.events}
         (stream, incarnation, seq, run_id, subject, type, stored_at, causation_id, data, data_hash)
       select stream, incarnation, seq, "runId", subject, type, "storedAt", "causationId", data, "dataHash"
         from json_to_recordset($1::json) as r(stream text, incarnation text, seq bigint, "runId" text, subject text,
              type text, "storedAt" timestamptz, "causationId" text, data jsonb, "dataHash" text)
       on conflict do nothing`,
      [jsonText(rows)],
    );
  }

  /** A row that has an outcome never changes again. */
  async upsertRun(
    run: Pick<ProjectedRun, 'request' | 'lastSeq'>,
    fold: FoldedRun,
    released: ReleasedContent | undefined,
    partition: number,
  ): Promise<void> {
    const { request, lastSeq } = run;
    const view = { ...fold.view, ...released?.part, author: released?.author ?? fold.view.author };
    await this.manager.query(
      `insert into ${this.tables.runs} as r (run_id, tenant, session_id, principal, question, source, status, intent,
         outcome, view, report_text, report_hash, snapshot_hash, snapshot_text, body_hash, requested_at, started_at,
         released_at, ended_at, partition, last_seq)
       values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21)
       on conflict (run_id) do update set status = excluded.status, intent = excluded.intent, outcome = excluded.outcome,
         view = excluded.view, report_text = excluded.report_text, report_hash = excluded.report_hash,
         snapshot_hash = excluded.snapshot_hash, snapshot_text = excluded.snapshot_text, started_at = excluded.started_at,
         released_at = excluded.released_at, ended_at = excluded.ended_at, last_seq = excluded.last_seq
       where r.outcome is null and r.status <> 'ERASED'`,
      [
        request.runId,
        request.tenant,
        request.sessionId,
        request.principal,
        safeText(request.question),
        request.source,
        view.status,
        view.intent,
        view.outcome,
        jsonText(view),
        released?.reportText ?? null,
        view.reportHash,
        view.snapshotHash,
        released?.snapshotText ?? null,
        request.bodyHash,
        request.requestedAt,
        view.timings.startedAt,
        view.outcome === 'SUCCESS' ? view.timings.endedAt : null,
        view.timings.endedAt,
        partition,
        lastSeq,
      ],
    );
  }

  async insertEvidence(runId: string, entries: readonly LedgerEntry[]): Promise<void> {
    for (const entry of entries) {
      await this.manager.query(
        `insert into ${this.tables.evidence} (run_id, tool_call_id, entry) values ($1, $2, $3) on conflict do nothing`,
        [runId, entry.toolCallId, jsonText(entry)],
      );
    }
  }

  /** The run's request and chain as projected so far, for a process that has not got them in memory. */
  async loadRun(stream: string, incarnation: string, runId: string): Promise<ProjectedRun | undefined> {
    const rows = await this.manager.query<{ seq: string; subject: string; data: unknown }[]>(
      `select seq, subject, data from ${this.tables.events}
        where run_id = $1 and stream = $2 and incarnation = $3 and data is not null order by seq`,
      [runId, stream, incarnation],
    );
    const asked = rows.find(({ subject }) => subject.endsWith('.in.request'));
    if (asked === undefined) return undefined;
    const request = runRequested.schema.parse(asked.data) as RunRequested;
    return rows
      .filter(({ subject }) => subject.endsWith('.run'))
      .map(({ seq, data }) => ({ seq: Number(seq), decision: runDecision.schema.parse(data) as RunDecision }))
      .reduce(withEntry, receivedProjection(request, Number(asked.seq)));
  }
}
