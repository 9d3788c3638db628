import type { RunId } from '@inquest/contracts/ids';
import { RowsUnavailable, textOrNull, type ReadPool } from '../runs/read-pool';

/** A row of `investigation_case`, which the run-projector alone writes. The view arrives unvalidated. */
export type CaseRow = {
  tenant: string;
  status: string;
  /** CaseView. */
  view: unknown;
  ended: boolean;
  /** The released bytes; null for an ending without any. */
  reportText: string | null;
  bodyHash: string | null;
};

export type CaseListQuery = {
  tenant: string;
  sessionId?: string;
  limit: number;
  /** Strictly older than this place. */
  before?: { requestedAt: string; runId: string };
};

export type ListedCase = { caseId: string; requestedAt: string; view: unknown };

/** The read model of cases. Every method throws {@link RowsUnavailable} when Postgres does not answer. */
export interface CaseRows {
  byId(caseId: RunId): Promise<CaseRow | undefined>;
  /** Newest first. */
  list(query: CaseListQuery): Promise<ListedCase[]>;
  /** The archived ledger entry of a released case. */
  evidence(caseId: RunId, toolCallId: string): Promise<unknown>;
}

export const NO_CASE_ROWS: CaseRows = {
  byId: () => Promise.resolve(undefined),
  list: () => Promise.reject(new RowsUnavailable()),
  evidence: () => Promise.resolve(undefined),
};

// Microseconds as text: a cursor that loses them would skip or repeat rows of the same millisecond.
const REQUESTED_AT = `to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

const BY_ID = `select tenant, status, view, ended_at is not null as ended, report_text, body_hash
    from investigation_case where case_id = $1`;

const LIST = `select case_id, ${REQUESTED_AT} as requested_at, view from investigation_case
    where tenant = $1 and ($2::text is null or session_id = $2) and view is not null
      and ($3::timestamptz is null or (requested_at, case_id) < ($3::timestamptz, $4::text))
    order by requested_at desc, case_id desc limit $5`;

const EVIDENCE = `select entry from run_evidence where run_id = $1 and tool_call_id = $2`;

export class PgCaseRows implements CaseRows {
  constructor(private readonly pool: ReadPool) {}

  async byId(caseId: RunId): Promise<CaseRow | undefined> {
    const [row] = await this.pool.query(BY_ID, [caseId]);
    return (
      row && {
        tenant: String(row['tenant']),
        status: String(row['status']),
        view: row['view'],
        ended: row['ended'] === true,
        reportText: textOrNull(row['report_text']),
        bodyHash: textOrNull(row['body_hash']),
      }
    );
  }

  async list({ tenant, sessionId, limit, before }: CaseListQuery): Promise<ListedCase[]> {
    const place = [before?.requestedAt ?? null, before?.runId ?? null];
    const rows = await this.pool.query(LIST, [tenant, sessionId ?? null, ...place, limit]);
    return rows.map((row) => ({
      caseId: String(row['case_id']),
      requestedAt: String(row['requested_at']),
      view: row['view'],
    }));
  }

  async evidence(caseId: RunId, toolCallId: string): Promise<unknown> {
    const [row] = await this.pool.query(EVIDENCE, [caseId, toolCallId]);
    return row?.['entry'];
  }
}
