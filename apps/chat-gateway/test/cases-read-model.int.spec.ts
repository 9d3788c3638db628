import { Client } from 'pg';
import { hashOf } from '@inquest/contracts/canonical-json';
import { canonicalJson } from '@inquest/contracts/canonical-json';
import { CaseAccepted, CaseList, CaseView } from '@inquest/contracts/case-view';
import type { RunId } from '@inquest/contracts/ids';
import { withReport } from '@inquest/run-view/complete-case';
import { foldCase } from '@inquest/run-view/fold-case';
import {
  acceptedEarly,
  failedToForm,
  PLAYED_AUTHOR,
  PLAYED_REPORT,
  playedEntry,
  type PlayedCase,
} from '@inquest/testing/played-case';
import { CITED_CALL, PLAYED_AT, UNCITED_CALL } from '@inquest/testing/played-case-events';
import { startTestPostgres, type TestPostgres } from '@inquest/testing/postgres-server';
import { waitFor } from '@inquest/testing/wait-for';
import { caseIdForKey, randomRunId } from '../src/runs/run-id';
import { call, TOKENS, World, type CallOptions, type Gateway } from './harness';
import { SseClient } from './sse-client';

/** What this gateway reads of the tables that the run-projector migrates. */
const TABLES = `
  create table diagnosis_run (
    run_id text primary key, tenant text not null, session_id text, status text not null, outcome text, view jsonb,
    report_text text, report_hash text, body_hash text, requested_at timestamptz not null);
  create table investigation_case (
    case_id text primary key, tenant text not null, session_id text, status text not null, view jsonb, report_text text,
    body_hash text, requested_at timestamptz not null, ended_at timestamptz);
  create table run_evidence (run_id text not null, tool_call_id text not null, entry jsonb not null, primary key (run_id, tool_call_id));`;

const viewOf = ({ request, entries }: PlayedCase): CaseView =>
  foldCase(
    request,
    entries.map((events, n) => ({
      seq: n + 1,
      decision: { n, prevSeq: n, took: [], at: PLAYED_AT, events },
    })),
  ).view;
const diagnosedView = (caseId: RunId): CaseView =>
  withReport(viewOf(acceptedEarly(caseId)), PLAYED_REPORT, PLAYED_AUTHOR);
const failedView = (caseId: RunId): CaseView => viewOf(failedToForm(caseId));

describe('The read model of cases behind the gateway', () => {
  let world: World;
  let postgres: TestPostgres;
  let gateway: Gateway;

  beforeAll(async () => {
    [world, postgres] = await Promise.all([World.start(), startTestPostgres()]);
    await sql(TABLES);
    gateway = await world.openGateway({ DATABASE_URL: postgres.readerUrl });
  });
  afterAll(async () => {
    await world.stop();
    await postgres.stop();
  });

  const sql = async (text: string, values: unknown[] = []): Promise<void> => {
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await (values.length > 0 ? client.query(text, values) : client.query(text));
    await client.end();
  };
  type Row = {
    tenant?: string;
    sessionId?: string;
    reportText?: string | null;
    bodyHash?: string;
    requestedAt?: string;
  };
  const insert = async (view: CaseView, row: Row = {}): Promise<void> => {
    const reportText = view.report ? canonicalJson(view.report) : null;
    await sql(
      `insert into investigation_case (case_id, tenant, session_id, status, view, report_text, body_hash, requested_at, ended_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        view.caseId,
        row.tenant ?? 'acme',
        row.sessionId ?? null,
        view.status,
        view,
        row.reportText === undefined ? reportText : row.reportText,
        row.bodyHash ?? null,
        row.requestedAt ?? PLAYED_AT,
        view.timings.endedAt,
      ],
    );
  };
  const get = (path: string, options: CallOptions = {}) =>
    call(gateway, 'GET', path, { token: TOKENS.ask, ...options });

  it('lists the cases of a session, newest first, page by page, and of no other tenant', async () => {
    // Three of one microsecond: their order is that of their ids, and no page repeats or skips one.
    const moments = [1, 2, 2, 2, 3].map((n) => `2024-05-01T10:00:00.00000${n}Z`);
    const ids = moments.map(() => randomRunId());
    for (const [n, requestedAt] of moments.entries())
      await insert(failedView(ids[n] as RunId), { sessionId: 's-1', requestedAt });
    await insert(failedView(randomRunId()), { tenant: 'globex', sessionId: 's-1' });
    await insert(failedView(randomRunId()), { sessionId: 's-2' });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const response = await get(
        `/v1/cases?sessionId=s-1&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      );
      const page: CaseList = CaseList.parse(await response.json());
      expect(page.cases.length).toBeLessThanOrEqual(2);
      seen.push(...page.cases.map(({ caseId }) => caseId));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual([ids[4], ...ids.slice(1, 4).sort().reverse(), ids[0]]);
  });

  it('shows a diagnosed case whose facts have expired, after checking its bytes', async () => {
    const caseId = randomRunId();
    await insert(diagnosedView(caseId));
    const shown = CaseView.parse(await (await get(`/v1/cases/${caseId}`)).json());
    expect(shown).toEqual(diagnosedView(caseId));
    expect((await get(`/v1/cases/${caseId}`, { token: TOKENS.other })).status).toBe(404);
    expect((await get(`/v1/cases/${caseId}/reviews`)).status).toBe(200);
  });

  it('takes report and change request from the checked bytes, whatever else the row says', async () => {
    const caseId = randomRunId();
    const view = diagnosedView(caseId);
    const forged = JSON.parse(JSON.stringify(view).replaceAll('Return connections', 'Delete connections'));
    await insert(CaseView.parse(forged), { reportText: canonicalJson(PLAYED_REPORT) });
    expect(CaseView.parse(await (await get(`/v1/cases/${caseId}`)).json())).toEqual(view);
  });

  it.each([
    ['another text', canonicalJson(PLAYED_REPORT).replace('pool', 'disk')],
    ['none', null],
  ])('shows nothing of a diagnosed case whose row holds %s', async (_, reportText) => {
    const caseId = randomRunId();
    await insert(diagnosedView(caseId), { reportText });
    const response = await get(`/v1/cases/${caseId}`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('is exhausted');
  });

  it('answers a key whose case has expired without a new case', async () => {
    const body = { question: 'Why is checkout slow?' };
    const open = (other: object = body) =>
      call(gateway, 'POST', '/v1/cases', {
        token: TOKENS.ask,
        body: other,
        headers: { 'idempotency-key': 'k-old' },
      });
    await insert(failedView(caseIdForKey('acme', 'k-old')), { bodyHash: hashOf(body) });
    const again = await open();
    expect([again.status, CaseAccepted.parse(await again.json()).status]).toEqual([200, 'FAILED']);
    expect((await open({ question: 'Why not?' })).status).toBe(422);
  });

  it('opens archived evidence, by the same rule as the log’s', async () => {
    const caseId = randomRunId();
    await insert(diagnosedView(caseId));
    for (const id of [CITED_CALL, UNCITED_CALL])
      await sql('insert into run_evidence values ($1, $2, $3)', [caseId, id, playedEntry(id)]);
    const path = (id: string) => `/v1/cases/${caseId}/evidence/${id}`;
    expect(await (await get(path(CITED_CALL))).json()).toEqual(playedEntry(CITED_CALL));
    expect((await get(path(UNCITED_CALL))).status).toBe(404);
    expect((await get(path(UNCITED_CALL), { token: TOKENS.audit })).status).toBe(200);
  });

  it('ends the event stream of an expired case with its ending, and cancels it no more', async () => {
    const caseId = randomRunId();
    await insert(failedView(caseId));
    const client = await SseClient.open(gateway, `/v1/cases/${caseId}/events`, {
      authorization: `Bearer ${TOKENS.ask}`,
    });
    await client.ended();
    expect(client.received).toMatchObject([{ event: 'case.failed', frame: { reason: 'FORMING_FAILED' } }]);
    expect((await call(gateway, 'POST', `/v1/cases/${caseId}/cancel`, { token: TOKENS.ask })).status).toBe(
      409,
    );
  });

  it('may be away: cases are opened and read from the log, and lists come back with it', async () => {
    await postgres.halt();
    const response = await call(gateway, 'POST', '/v1/cases', {
      token: TOKENS.ask,
      body: { question: 'Why?' },
      headers: { 'idempotency-key': 'k-away' },
    });
    expect(response.status).toBe(201);
    const { caseId } = CaseAccepted.parse(await response.json());
    expect(await (await get(`/v1/cases/${caseId}`)).json()).toMatchObject({ status: 'OPENED' });
    expect((await get('/v1/cases')).status).toBe(503);
    // Neither there nor not there: nobody can say.
    expect((await get(`/v1/cases/${randomRunId()}`)).status).toBe(503);
    await postgres.start();
    await waitFor('the list to come back', async () => (await get('/v1/cases')).status === 200 || undefined);
  });
});
