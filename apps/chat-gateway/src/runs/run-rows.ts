import type { RunId } from '@inquest/contracts/ids';
import { RowsUnavailable, textOrNull, type Columns, type ReadPool } from './read-pool';

/** A row of `diagnosis_run`, the read model that the run-projector alone writes. JSON columns arrive unvalidated. */
export type RunRow = {
  tenant: string;
  status: string;
  outcome: string | null;
  /** RunView; null once erased. */
  view: unknown;
  /** The released bytes; null for an ending without any. */
  reportText: string | null;
  reportHash: string | null;
  /** Hash of the request body; null once erased. */
  bodyHash: string | null;
  requestedAt: string;
};

export type ListQuery = {
  tenant: string;
  sessionId?: string;
  limit: number;
  /** Strictly older than this place. */
  before?: { requestedAt: string; runId: string };
};

export type ListedRow = { runId: string; requestedAt: string; view: unknown };

/** A fact as `run_event` keeps it: the bodies of services' results are known by their hash only. */
export type ArchivedFact = {
  seq: number;
  subject: string;
  type: string;
  storedAt: string;
  causationId: string | null;
  /** Undefined: not kept. */
  data: unknown;
  dataHash: string;
};

/** What outlives the log of one run. */
export type ArchivedRun = {
  facts: ArchivedFact[];
  /** Ledger entries of a released run. */
  entries: ReadonlyMap<string, unknown>;
  reportText: string | null;
  snapshotText: string | null;
};

/** The read model, read only. Every method throws {@link RowsUnavailable} when Postgres does not answer. */
export interface RunRows {
  byId(runId: RunId): Promise<RunRow | undefined>;
  /** Newest first. */
  list(query: ListQuery): Promise<ListedRow[]>;
  /** The archived ledger entry of a released run. */
  evidence(runId: RunId, toolCallId: string): Promise<unknown>;
  /** Everything that is kept of a run, for a bundle of what the log has forgotten. */
  archive(runId: RunId): Promise<ArchivedRun | undefined>;
  ping(): Promise<void>;
}

/** Where no database is configured: there is no archive to ask, and no list. */
export const NO_ROWS: RunRows = {
  byId: () => Promise.resolve(undefined),
  list: () => Promise.reject(new RowsUnavailable()),
  evidence: () => Promise.resolve(undefined),
  archive: () => Promise.resolve(undefined),
  ping: () => Promise.reject(new RowsUnavailable()),
};

// Microseconds as text: a cursor that loses them would skip or repeat rows of the same millisecond.
const REQUESTED_AT = `to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const BY_ID = `select tenant, status, outcome, view, report_text, report_hash, body_hash, ${REQUESTED_AT} as requested_at
    from diagnosis_run where run_id = $1`;

const LIST = `select run_id, ${REQUESTED_AT} as requested_at, view from diagnosis_run
    where tenant = $1 and ($2::text is null or session_id = $2) and view is not null
      and ($3::timestamptz is null or (requested_at, run_id::text) < ($3::timestamptz, $4::text))
    order by requested_at desc, run_id::text desc limit $5`;

const EVIDENCE = `select entry from run_evidence where run_id = $1 and tool_call_id = $2`;

const ARCHIVED_TEXTS = `select report_text, snapshot_text from diagnosis_run where run_id = $1`;

// The stream's present incarnation and any earlier one never share a run: a run lives within one.
const ARCHIVED_FACTS = `select seq, subject, type,
      to_char(stored_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as stored_at, causation_id, data, data_hash
    from run_event where run_id = $1 order by seq limit 4096`;

const ARCHIVED_ENTRIES = `select tool_call_id, entry from run_evidence where run_id = $1 limit 256`;

const archivedFact = (row: Columns): ArchivedFact => ({
  seq: Number(row['seq']),
  subject: String(row['subject']),
  type: String(row['type']),
  storedAt: String(row['stored_at']),
  causationId: textOrNull(row['causation_id']),
  data: row['data'] ?? undefined,
  dataHash: String(row['data_hash']),
});

export class PgRunRows implements RunRows {
  constructor(private readonly pool: ReadPool) {}

  async byId(runId: RunId): Promise<RunRow | undefined> {
    const [row] = await this.pool.query(BY_ID, [runId]);
    return (
      row && {
        tenant: String(row['tenant']),
        status: String(row['status']),
        outcome: textOrNull(row['outcome']),
        view: row['view'],
        reportText: textOrNull(row['report_text']),
        reportHash: textOrNull(row['report_hash']),
        bodyHash: textOrNull(row['body_hash']),
        requestedAt: String(row['requested_at']),
      }
    );
  }

  async list({ tenant, sessionId, limit, before }: ListQuery): Promise<ListedRow[]> {
    const rows = await this.pool.query(LIST, [
      tenant,
      sessionId ?? null,
      before?.requestedAt ?? null,
      before?.runId ?? null,
      limit,
    ]);
    return rows.map((row) => ({
      runId: String(row['run_id']),
      requestedAt: String(row['requested_at']),
      view: row['view'],
    }));
  }

  async evidence(runId: RunId, toolCallId: string): Promise<unknown> {
    const [row] = await this.pool.query(EVIDENCE, [runId, toolCallId]);
    return row?.['entry'];
  }

  async archive(runId: RunId): Promise<ArchivedRun | undefined> {
    const [texts] = await this.pool.query(ARCHIVED_TEXTS, [runId]);
    if (!texts) return undefined;
    const [facts, entries] = await Promise.all([
      this.pool.query(ARCHIVED_FACTS, [runId]),
      this.pool.query(ARCHIVED_ENTRIES, [runId]),
    ]);
    return {
      facts: facts.map(archivedFact),
      entries: new Map(entries.map((row) => [String(row['tool_call_id']), row['entry']])),
      reportText: textOrNull(texts['report_text']),
      snapshotText: textOrNull(texts['snapshot_text']),
    };
  }

  async ping(): Promise<void> {
    await this.pool.query('select 1 from diagnosis_run limit 1', []);
  }
}
