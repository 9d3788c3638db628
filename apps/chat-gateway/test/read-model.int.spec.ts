import { Client } from 'pg';
import { hashOf } from '@inquest/contracts/canonical-json';
import type { RunId } from '@inquest/contracts/ids';
import { RunAccepted, RunList, RunView } from '@inquest/contracts/run-view';
import { startTestPostgres, type TestPostgres } from '@inquest/testing/postgres-server';
import { waitFor } from '@inquest/testing/wait-for';
import { foldRun } from '@inquest/run-view/fold-run';
import { randomRunId, runIdForKey } from '../src/runs/run-id';
import {
  AT,
  CALL_ID,
  failedRun,
  ledgerEntry,
  releasedRun,
  REPORT,
  REPORT_HASH,
  REPORT_TEXT,
  requested,
  started,
} from './a-run';
import { call, TOKENS, World, type CallOptions, type Gateway } from './harness';
import { SseClient } from './sse-client';

/** The tables as the run-projector migrates them. */
const TABLES = `
  create table diagnosis_run (
    run_id text primary key, tenant text not null, session_id text, principal text not null, question text not null,
    source text, status text not null, intent text, outcome text, view jsonb, report_text text, report_hash text,
    snapshot_hash text, snapshot_text text, body_hash text, requested_at timestamptz not null, started_at timestamptz,
    released_at timestamptz, ended_at timestamptz, partition integer not null, last_seq bigint not null);
  create table run_evidence (run_id text not null, tool_call_id text not null, entry jsonb not null, primary key (run_id, tool_call_id));`;

const QUESTION = { question: 'Why is checkout slow?' };

const releasedView = (runId: RunId): RunView => ({
  ...foldRun(requested(runId), [
    {
      seq: 1,
      decision: { n: 0, prevSeq: 0, took: [], at: AT, events: [started(runId), releasedRun(runId)] },
    },
  ]).view,
  report: REPORT,
  author: 'rules-diagnosis',
});
const failedView = (runId: RunId): RunView =>
  foldRun(requested(runId), [
    { seq: 1, decision: { n: 0, prevSeq: 0, took: [], at: AT, events: [started(runId), failedRun] } },
  ]).view;

describe('The read model behind the gateway', () => {
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
    view: RunView | null;
    tenant?: string;
    status?: string;
    sessionId?: string;
    reportText?: string | null;
    bodyHash?: string | null;
    requestedAt?: string;
  };
  const insert = async (
    runId: RunId,
    { view, tenant = 'acme', requestedAt = AT, sessionId, ...row }: Row,
  ): Promise<void> => {
    const status = row.status ?? view?.status ?? 'RECEIVED';
    const reportText = row.reportText === undefined && view?.report ? REPORT_TEXT : (row.reportText ?? null);
    await sql(
      `insert into diagnosis_run (run_id, tenant, session_id, principal, question, status, outcome, view, report_text, report_hash, body_hash, requested_at, partition, last_seq)
       values ($1, $2, $3, 'acme/ada', 'Why?', $4, $5, $6, $7, $8, $9, $10, 0, 1)`,
      [
        runId,
        tenant,
        sessionId ?? null,
        status,
        view?.outcome ?? null,
        view,
        reportText,
        view?.reportHash ?? null,
        row.bodyHash ?? null,
        requestedAt,
      ],
    );
  };
  const get = (path: string, options: CallOptions = {}) =>
    call(gateway, 'GET', path, { token: TOKENS.ask, ...options });
  const listed = async (query: string): Promise<RunList> =>
    RunList.parse(await (await get(`/v1/runs?${query}`)).json());

  it('lists the runs of a session, newest first, page by page, and of no other tenant', async () => {
    // Three of one microsecond: their order is that of their ids, and no page repeats or skips one.
    const moments = [
      '2024-05-01T10:00:00.000001Z',
      '2024-05-01T10:00:00.000002Z',
      '2024-05-01T10:00:00.000002Z',
      '2024-05-01T10:00:00.000002Z',
      '2024-05-01T10:00:00.000003Z',
    ];
    const ids = moments.map(() => randomRunId());
    for (const [n, requestedAt] of moments.entries()) {
      const runId = ids[n] as RunId;
      await insert(runId, {
        view: { ...failedView(runId), sessionId: 's-1' },
        sessionId: 's-1',
        requestedAt,
      });
    }
    const foreign = randomRunId();
    await insert(foreign, { view: failedView(foreign), tenant: 'globex', sessionId: 's-1' });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: RunList = await listed(`sessionId=s-1&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.runs.length).toBeLessThanOrEqual(2);
      seen.push(...page.runs.map(({ runId }) => runId));
      cursor = page.nextCursor;
    }
    const middle = ids.slice(1, 4).sort().reverse();
    expect(seen).toEqual([ids[4], ...middle, ids[0]]);
  });

  it('shows a released run whose facts have expired, after checking its bytes', async () => {
    const runId = randomRunId();
    await insert(runId, { view: releasedView(runId) });
    const response = await get(`/v1/runs/${runId}`);
    expect(RunView.parse(await response.json())).toMatchObject({
      status: 'RELEASED',
      report: REPORT,
      reportHash: REPORT_HASH,
      author: 'rules-diagnosis',
    });
    expect((await get(`/v1/runs/${runId}`, { token: TOKENS.other })).status).toBe(404);
  });

  it.each([
    ['another text', REPORT_TEXT.replace('pool', 'disk')],
    ['none', null],
  ])('shows nothing of a released run whose row holds %s', async (_, reportText) => {
    const runId = randomRunId();
    await insert(runId, { view: releasedView(runId), reportText });
    const response = await get(`/v1/runs/${runId}`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('is exhausted');
  });

  it('tells what is left of an erased run', async () => {
    const runId = randomRunId();
    await insert(runId, { view: null, status: 'ERASED' });
    expect(await (await get(`/v1/runs/${runId}`)).json()).toMatchObject({
      runId,
      status: 'ERASED',
      question: '',
      outcome: null,
    });
    expect((await listed('')).runs.map((run) => run.runId)).not.toContain(runId);
  });

  it('answers a key whose run has expired, or was erased, without a new run', async () => {
    const ask = (key: string, body: object = QUESTION) =>
      call(gateway, 'POST', '/v1/runs', { token: TOKENS.ask, body, headers: { 'idempotency-key': key } });
    await insert(runIdForKey('acme', 'k-old'), {
      view: failedView(runIdForKey('acme', 'k-old')),
      bodyHash: hashOf(QUESTION),
    });
    await insert(runIdForKey('acme', 'k-erased'), { view: null, status: 'ERASED' });
    const again = await ask('k-old');
    expect([again.status, RunAccepted.parse(await again.json()).status]).toEqual([200, 'FAILED']);
    expect((await ask('k-old', { question: 'Why not?' })).status).toBe(422);
    const erased = await ask('k-erased');
    expect([erased.status, RunAccepted.parse(await erased.json()).status]).toEqual([200, 'ERASED']);
  });

  it('opens archived evidence, by the same rule as the log’s', async () => {
    const runId = randomRunId();
    await insert(runId, { view: releasedView(runId) });
    await sql('insert into run_evidence values ($1, $2, $3)', [runId, CALL_ID, ledgerEntry(CALL_ID)]);
    expect(await (await get(`/v1/runs/${runId}/evidence/${CALL_ID}`)).json()).toEqual(ledgerEntry(CALL_ID));
    expect((await get(`/v1/runs/${runId}/evidence/call_2`)).status).toBe(404);
    const failed = randomRunId();
    await insert(failed, { view: failedView(failed) });
    await sql('insert into run_evidence values ($1, $2, $3)', [failed, CALL_ID, ledgerEntry(CALL_ID)]);
    expect((await get(`/v1/runs/${failed}/evidence/${CALL_ID}`)).status).toBe(404);
    expect((await get(`/v1/runs/${failed}/evidence/${CALL_ID}`, { token: TOKENS.audit })).status).toBe(200);
  });

  it('ends the event stream of an expired run with its ending, and cancels it no more', async () => {
    const runId = randomRunId();
    await insert(runId, { view: failedView(runId) });
    const client = await SseClient.open(gateway, `/v1/runs/${runId}/events`, {
      authorization: `Bearer ${TOKENS.ask}`,
    });
    await client.ended();
    expect(client.received).toMatchObject([{ event: 'run.failed', frame: { reason: 'MODEL_UNAVAILABLE' } }]);
    expect((await call(gateway, 'POST', `/v1/runs/${runId}/cancel`, { token: TOKENS.ask })).status).toBe(409);
  });

  it('may be away: runs are taken in and read from the log, and lists come back with it', async () => {
    await postgres.halt();
    const response = await call(gateway, 'POST', '/v1/runs', {
      token: TOKENS.ask,
      body: QUESTION,
      headers: { 'idempotency-key': 'k-away' },
    });
    expect(response.status).toBe(201);
    const { runId } = RunAccepted.parse(await response.json());
    expect(await (await get(`/v1/runs/${runId}`)).json()).toMatchObject({ status: 'RECEIVED' });
    expect((await get('/v1/runs')).status).toBe(503);
    // Neither there nor not there: nobody can say.
    expect((await get(`/v1/runs/${randomRunId()}`)).status).toBe(503);
    expect(await (await get('/readyz')).json()).toMatchObject({
      status: 'ready',
      checks: { readModel: 'down' },
    });
    await postgres.start();
    await waitFor('the list to come back', async () => (await get('/v1/runs')).status === 200 || undefined);
  });
});
