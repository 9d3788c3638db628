import type { Pool } from 'pg';
import { PreviousTurn } from '@inquest/contracts/run-decision';
import type { SessionHistory } from './previous-turn';

const TEXT_MAX = 2_000;

type Row = { run_id: string; report_hash: string; question: string; conclusion: string | null };

/** Reads `diagnosis_run` and the checkpoints through the read-only role. */
export class PostgresSessionHistory implements SessionHistory {
  constructor(private readonly pool: Pool) {}

  async hasReached(positions: readonly number[]): Promise<boolean> {
    if (positions.every((p) => p === 0)) return true;
    const { rows } = await this.pool.query<{ stream: string; seq: string }>(
      'select stream, seq from projection_checkpoint',
    );
    const reached = new Map(rows.map((row) => [row.stream, Number(row.seq)]));
    return positions.every((position, partition) => (reached.get(`DIAG_${partition}`) ?? 0) >= position);
  }

  async latestDiagnosis(tenant: string, sessionId: string, beforeMs: number) {
    const { rows } = await this.pool.query<Row>(
      `select run_id, report_hash, question, report_text::jsonb -> 'conclusion' ->> 'text' as conclusion
         from diagnosis_run
        where tenant = $1 and session_id = $2 and intent = 'DIAGNOSIS' and outcome = 'SUCCESS' and released_at < $3
        order by released_at desc, run_id desc
        limit 1`,
      [tenant, sessionId, new Date(beforeMs)],
    );
    const row = rows[0];
    if (row === undefined) return undefined;
    const parsed = PreviousTurn.parse({
      kind: 'RUN',
      runId: row.run_id,
      reportHash: row.report_hash,
      question: row.question,
      conclusion: (row.conclusion ?? '').slice(0, TEXT_MAX),
    });
    return parsed.kind === 'RUN' ? parsed : undefined;
  }

  close(): Promise<void> {
    return this.pool.end();
  }
}
