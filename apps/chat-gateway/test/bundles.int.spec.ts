import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { hashOf } from '@inquest/contracts/canonical-json';
import { Explanation } from '@inquest/contracts/explanation';
import type { RunId } from '@inquest/contracts/ids';
import { RunAccepted, RunView } from '@inquest/contracts/run-view';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { verifyBundle, type Verification } from '@inquest/evidence-bundle/verify-bundle';
import { startTestPostgres, type TestPostgres } from '@inquest/testing/postgres-server';
import { randomRunId } from '../src/runs/run-id';
import {
  AT,
  CALL_ID,
  failedRun,
  fellBack,
  REPORT_TEXT,
  snapshotText,
  started,
  UNCITED_ID,
  writeReleasedRun,
  ChainWriter,
  type Writers,
} from './a-run';
import { call, TOKENS, World, type Gateway } from './harness';

/** The tables as the run-projector migrates them. */
const TABLES = `
  create table diagnosis_run (
    run_id text primary key, tenant text not null, session_id text, principal text not null, question text not null,
    source text, status text not null, intent text, outcome text, view jsonb, report_text text, report_hash text,
    snapshot_hash text, snapshot_text text, body_hash text, requested_at timestamptz not null, started_at timestamptz,
    released_at timestamptz, ended_at timestamptz, partition integer not null, last_seq bigint not null);
  create table run_event (
    stream text not null, incarnation text not null, seq bigint not null, run_id text not null, subject text not null,
    type text not null, stored_at timestamptz not null, causation_id text, data jsonb, data_hash text not null,
    primary key (stream, incarnation, seq));
  create table run_evidence (run_id text not null, tool_call_id text not null, entry jsonb not null, primary key (run_id, tool_call_id));`;

/** What holds of every bundle that was made of facts, whatever the guards would say of these facts. */
const OF_ANY_LOG = [
  'The file can be read as an evidence bundle',
  'The file is one canonical JSON document',
  'Every part has the hash that the manifest lists',
  'The manifest has its own digest',
  'The log excerpt is one unbroken chain of hashes',
  'Every text has the digest that its fact names',
  'Tool results, drafts and verdicts are the facts of their positions',
  'The ledger holds every tool call of the run, as the decisions recorded it, and no other',
  'The release names exactly this snapshot and this report',
];

describe('Bundles and explanations', () => {
  let world: World;
  let postgres: TestPostgres;
  let gateway: Gateway;
  let log: EventLog;
  let writers: Writers;

  beforeAll(async () => {
    [world, postgres] = await Promise.all([World.start(), startTestPostgres()]);
    await sql(TABLES);
    gateway = await world.openGateway({ DATABASE_URL: postgres.readerUrl });
    log = await world.log('harness-orchestrator');
    writers = {
      orchestrator: log,
      agentRunner: await world.log('agent-runner'),
      evidenceGuard: await world.log('evidence-guard'),
    };
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
  const asked = async (): Promise<RunId> => {
    const body = { question: 'Why is checkout slow?', source: 'shop-pool', detached: true };
    const response = await call(gateway, 'POST', '/v1/runs', { token: TOKENS.ask, body });
    return RunAccepted.parse(await response.json()).runId;
  };
  const released = async (): Promise<RunId> => {
    const runId = await asked();
    await writeReleasedRun(writers, runId);
    return runId;
  };
  const bundleOf = (runId: string, token: string = TOKENS.audit): Promise<Response> =>
    call(gateway, 'GET', `/v1/runs/${runId}/bundle`, { token });
  const explanationOf = async (runId: string, token: string): Promise<Explanation> =>
    Explanation.parse(await (await call(gateway, 'GET', `/v1/runs/${runId}/explanation`, { token })).json());
  const holding = ({ checks }: Verification): string[] =>
    checks.filter(({ holds }) => holds === true).map(({ check }) => check);

  it('streams the bundle of an ended run, with the digest of its bytes, and each time the same', async () => {
    const runId = await released();
    const response = await bundleOf(runId);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${runId}.bundle.json"`);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-length')).toBe(String(bytes.length));
    const digest = createHash('sha256').update(bytes).digest('base64');
    expect(response.headers.get('repr-digest')).toBe(`sha-256=:${digest}:`);
    const verified = verifyBundle(bytes);
    expect(holding(verified)).toEqual(expect.arrayContaining(OF_ANY_LOG));
    expect(verified.bundle).toMatchObject({
      report: REPORT_TEXT,
      snapshot: snapshotText(runId),
      manifest: { runId, tenant: 'acme', outcome: 'SUCCESS', missing: [] },
    });
    expect(Buffer.from(await (await bundleOf(runId, TOKENS.operate)).arrayBuffer()).equals(bytes)).toBe(true);
  });

  it('gives no bundle to who may not open all evidence, and none of another tenant’s run', async () => {
    const runId = await released();
    expect((await bundleOf(runId, TOKENS.ask)).status).toBe(403);
    expect((await bundleOf(runId, TOKENS.watch)).status).toBe(403);
    expect((await bundleOf(runId, TOKENS.other)).status).toBe(404);
  });

  it('waits for the end of a run', async () => {
    const runId = await asked();
    await new ChainWriter(log, runId).decide(started(runId));
    const response = await bundleOf(runId);
    expect([response.status, await response.text()]).toEqual([409, expect.stringContaining('not-ended')]);
  });

  it('bundles and explains runs that released nothing', async () => {
    const [fallen, failed] = [await asked(), await asked()];
    await new ChainWriter(log, fallen).decide(started(fallen), fellBack);
    await new ChainWriter(log, failed).decide(started(failed), failedRun);
    expect(await (await bundleOf(fallen)).json()).toMatchObject({
      report: null,
      manifest: { outcome: 'FALLBACK' },
    });
    expect(await explanationOf(fallen, TOKENS.ask)).toMatchObject({
      outcome: 'FALLBACK',
      fallback: 'SEMANTIC_UNSUPPORTED',
    });
    expect(await explanationOf(failed, TOKENS.ask)).toMatchObject({
      outcome: 'FAILED',
      reason: 'MODEL_UNAVAILABLE',
    });
  });

  it('explains to who asked, and knows no rejected draft of a released one', async () => {
    const explanation = await explanationOf(await released(), TOKENS.ask);
    expect(explanation).toMatchObject({
      outcome: 'SUCCESS',
      form: 'REPORT',
      drafts: [{ verdict: 'ACCEPTED' }],
    });
    expect(JSON.stringify(explanation)).not.toContain(UNCITED_ID);
  });

  describe('of a run that the log has forgotten', () => {
    /** As the projector keeps a run: bodies of what people did and what was decided, hashes of everything. */
    const archive = async (
      runId: RunId,
      messages: readonly StoredMessage[],
      view: RunView,
      entries: Record<string, unknown>,
    ): Promise<void> => {
      await sql(
        `insert into diagnosis_run (run_id, tenant, principal, question, status, outcome, view, report_text, report_hash, snapshot_text, requested_at, partition, last_seq)
         values ($1, 'acme', 'acme/ada', 'Why?', $2, $3, $4, $5, $6, $7, $8, 0, 1)`,
        [runId, view.status, view.outcome, view, REPORT_TEXT, view.reportHash, snapshotText(runId), AT],
      );
      for (const { seq, subject, envelope, storedAtMs, data } of messages) {
        const kept = /\.in\.[a-z0-9-]+$|\.run$/.test(subject) ? data : null;
        await sql('insert into run_event values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)', [
          'DIAG_0',
          'one',
          seq,
          runId,
          subject,
          envelope.type,
          new Date(storedAtMs),
          null,
          kept,
          hashOf(data),
        ]);
      }
      for (const [id, entry] of Object.entries(entries))
        await sql('insert into run_evidence values ($1, $2, $3)', [runId, id, entry]);
    };

    /** The facts of a run in the log as those of another one, which the log never held. */
    const moved = async (from: RunId, to: RunId): Promise<{ messages: StoredMessage[]; view: RunView }> => {
      const subjects = runSubjects(from, log.partitions);
      const { base, chain } = {
        base: subjects.chain.replace(/run$/, ''),
        chain: await log.readChain(subjects.chain),
      };
      const names = chain.flatMap(({ data }) =>
        (data as { took: { fact: string }[] }).took.map(({ fact }) => fact),
      );
      const rest = await Promise.all(
        [...names, 'in.request'].map((name) => log.readLast(`${base}${name}`, 'leader')),
      );
      const all = [...chain, ...rest.flatMap((message) => message ?? [])].sort((a, b) => a.seq - b.seq);
      const text = JSON.stringify(all)
        .replaceAll(`.${subjects.partition}.${from}.`, `.${runSubjects(to, log.partitions).partition}.${to}.`)
        .replaceAll(from, to);
      const view = await (await call(gateway, 'GET', `/v1/runs/${from}`, { token: TOKENS.audit })).text();
      return {
        messages: JSON.parse(text) as StoredMessage[],
        view: RunView.parse(JSON.parse(view.replaceAll(from, to))),
      };
    };

    it('is made from the archive, and says what the archive does not keep', async () => {
      const old = randomRunId();
      const { messages, view } = await moved(await released(), old);
      const entryOf = (id: string): unknown =>
        messages.find(({ data }) => (data as { toolCallId?: string }).toolCallId === id)?.data;
      await archive(old, messages, view, { [CALL_ID]: entryOf(CALL_ID), [UNCITED_ID]: entryOf(UNCITED_ID) });
      const response = await bundleOf(old);
      const { bundle, checks } = verifyBundle(Buffer.from(await response.arrayBuffer()));
      expect(bundle?.manifest.missing).toEqual(['res.agent.t1-model0-a1', 'res.evidence.t2-evidence0-a1']);
      expect(bundle?.excerpt.every(({ from }) => from === 'ARCHIVE')).toBe(true);
      expect(bundle?.ledger.map(({ kind }) => kind)).toEqual(['RESULT', 'RESULT']);
      expect(bundle?.report).toBe(REPORT_TEXT);
      const of = (check: string) => checks.find((each) => each.check === check);
      expect(of('Nothing of the run is missing')).toMatchObject({ holds: null });
      expect(of('Tool results, drafts and verdicts are the facts of their positions')).toMatchObject({
        holds: true,
      });
      expect(await explanationOf(old, TOKENS.ask)).toMatchObject({ outcome: 'SUCCESS' });
    });

    it('is none when only its row is left, and nothing at all when it was erased', async () => {
      const [bare, erased] = [randomRunId(), randomRunId()];
      const { view } = await moved(await released(), bare);
      await archive(bare, [], view, {});
      const response = await bundleOf(bare);
      expect([response.status, await response.text()]).toEqual([
        404,
        expect.stringContaining('Neither the log nor'),
      ]);
      await sql(
        `insert into diagnosis_run (run_id, tenant, principal, question, status, requested_at, partition, last_seq)
         values ($1, 'acme', '', '', 'ERASED', $2, 0, 1)`,
        [erased, AT],
      );
      expect((await bundleOf(erased)).status).toBe(404);
    });
  });

  it('says so when neither is there to be asked', async () => {
    await postgres.halt();
    const response = await bundleOf(randomRunId());
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    // What the log holds is bundled without Postgres.
    expect((await bundleOf(await released())).status).toBe(200);
    await postgres.start();
  });
});
