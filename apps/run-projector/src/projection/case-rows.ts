import type { EntityManager } from 'typeorm';
import { caseDecision } from '@inquest/contracts/case-decision';
import { caseRequested, type CaseRequested } from '@inquest/contracts/case-facts';
import type { CaseView } from '@inquest/contracts/case-view';
import { withReport } from '@inquest/run-view/complete-case';
import type { CaseEntry, FoldedCase } from '@inquest/run-view/folded-case';
import type { CaseContent } from './case-content';
import { receivedCaseProjection, withCaseEntry, type ProjectedCase } from './projected-case';
import type { Tables } from './rows';
import { jsonText, safeText } from './stored-text';

/** Every statement of the projection of cases, over one transaction's manager. */
export class CaseRows {
  constructor(
    private readonly manager: EntityManager,
    private readonly tables: Tables,
  ) {}

  /** Nothing of a case that has ended changes again. */
  async upsert(
    projected: Pick<ProjectedCase, 'request' | 'lastSeq'>,
    fold: FoldedCase,
    content: CaseContent | undefined,
    partition: number,
  ): Promise<void> {
    const view = content ? withReport(fold.view, content.report, content.author) : fold.view;
    if (!(await this.upsertCase(projected, view, content, partition))) return;
    await this.upsertHypotheses(view);
    await this.insertFindings(view);
    await this.upsertReviews(view);
  }

  private async upsertCase(
    { request, lastSeq }: Pick<ProjectedCase, 'request' | 'lastSeq'>,
    view: CaseView,
    content: CaseContent | undefined,
    partition: number,
  ): Promise<boolean> {
    const rows = await this.manager.query<unknown[]>(
      `insert into ${this.tables.cases} as c (case_id, tenant, session_id, principal, question, source, from_run, status,
         view, report_text, report_hash, snapshot_hash, snapshot_text, body_hash, requested_at, started_at, ended_at,
         partition, last_seq)
       values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)
       on conflict (case_id) do update set status = excluded.status, view = excluded.view,
         report_text = excluded.report_text, report_hash = excluded.report_hash, snapshot_hash = excluded.snapshot_hash,
         snapshot_text = excluded.snapshot_text, started_at = excluded.started_at, ended_at = excluded.ended_at,
         last_seq = excluded.last_seq
       where c.ended_at is null
       returning case_id`,
      [
        request.caseId,
        request.tenant,
        request.sessionId,
        request.principal,
        safeText(request.question),
        request.source,
        request.fromRun,
        view.status,
        jsonText(view),
        content?.reportText ?? null,
        view.reportHash,
        view.snapshotHash,
        content?.snapshotText ?? null,
        request.bodyHash,
        request.requestedAt,
        view.timings.startedAt,
        view.timings.endedAt,
        partition,
        lastSeq,
      ],
    );
    return rows.length === 1;
  }

  private async upsertHypotheses({ caseId, hypotheses }: CaseView): Promise<void> {
    if (hypotheses.length === 0) return;
    const rows = hypotheses.map(({ id, statement, confidence, account, closedBecause }) => {
      const { state, ...budgets } = account;
      return { caseId, id, statement, confidence, state, closedBecause, ...budgets };
    });
    await this.manager.query(
      `insert into ${this.tables.hypotheses} (case_id, hypothesis_id, statement, confidence, account_state, budget, reserved,
         spent, closed_because)
       select "caseId", id, statement, confidence, state, budget, reserved, spent, "closedBecause"
         from jsonb_to_recordset($1::jsonb) as r("caseId" text, id text, statement text, confidence text, state text,
              budget integer, reserved integer, spent integer, "closedBecause" text)
       on conflict (case_id, hypothesis_id) do update set confidence = excluded.confidence,
         account_state = excluded.account_state, reserved = excluded.reserved, spent = excluded.spent,
         closed_because = excluded.closed_because`,
      [jsonText(rows)],
    );
  }

  /** A finding never changes. */
  private async insertFindings({ caseId, findings, matrix }: CaseView): Promise<void> {
    if (findings.length === 0) return;
    const rows = findings.map(({ id, ...finding }) => {
      const row = matrix.find(({ findingId }) => findingId === id);
      return { caseId, id, ...finding, cells: row?.cells ?? [], diagnostic: row?.diagnostic ?? false };
    });
    await this.manager.query(
      `insert into ${this.tables.findings} (case_id, finding_id, hypothesis_id, text, tool_call_ids, cells, diagnostic)
       select "caseId", id, "hypothesisId", text, "toolCallIds", cells, diagnostic
         from jsonb_to_recordset($1::jsonb) as r("caseId" text, id text, "hypothesisId" text, text text,
              "toolCallIds" jsonb, cells jsonb, diagnostic boolean)
       on conflict do nothing`,
      [jsonText(rows)],
    );
  }

  private async upsertReviews({ caseId, reviews }: CaseView): Promise<void> {
    if (reviews.length === 0) return;
    const rows = reviews.map(({ review, ref, state, hypothesisId, passes, requestedAt, decision }) => ({
      ...{ caseId, review, ref, state, hypothesisId, passes, requestedAt },
      declineReason: decision?.kind === 'DECLINED' ? decision.reason : null,
      declineText: decision?.kind === 'DECLINED' ? decision.text : null,
      decidedAt: decision?.at ?? null,
    }));
    await this.manager.query(
      `insert into ${this.tables.reviews} (case_id, review, ref, state, hypothesis_id, passes, decline_reason,
         decline_text, requested_at, decided_at)
       select "caseId", review, ref, state, "hypothesisId", passes, "declineReason", "declineText", "requestedAt",
              "decidedAt"
         from jsonb_to_recordset($1::jsonb) as r("caseId" text, review integer, ref text, state text,
              "hypothesisId" text, passes jsonb, "declineReason" text, "declineText" text, "requestedAt" timestamptz,
              "decidedAt" timestamptz)
       on conflict (case_id, review) do update set ref = excluded.ref, state = excluded.state, passes = excluded.passes,
         decline_reason = excluded.decline_reason, decline_text = excluded.decline_text, decided_at = excluded.decided_at`,
      [jsonText(rows)],
    );
  }

  /** The case's request and chain as projected so far, for a process that has not got them in memory. */
  async load(stream: string, incarnation: string, caseId: string): Promise<ProjectedCase | undefined> {
    const rows = await this.manager.query<{ seq: string; subject: string; data: unknown }[]>(
      `select seq, subject, data from ${this.tables.events}
        where run_id = $1 and stream = $2 and incarnation = $3 and data is not null order by seq`,
      [caseId, stream, incarnation],
    );
    const asked = rows.find(({ subject }) => subject.endsWith('.in.open'));
    if (asked === undefined) return undefined;
    const request = caseRequested.schema.parse(asked.data) as CaseRequested;
    return rows
      .filter(({ subject }) => subject.endsWith('.case'))
      .map(({ seq, data }): CaseEntry => ({ seq: Number(seq), decision: caseDecision.schema.parse(data) }))
      .reduce(withCaseEntry, receivedCaseProjection(request, Number(asked.seq)));
  }
}
