import { type RunId } from '@inquest/contracts/ids';
import { Problem } from '@inquest/contracts/problem';
import { RunAccepted, RunView } from '@inquest/contracts/run-view';
import { runRequested } from '@inquest/contracts/inbound-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import { randomRunId, runIdForKey } from '../src/runs/run-id';
import {
  AUTHOR,
  CALL_ID,
  cancelledRun,
  ChainWriter,
  failedRun,
  fellBack,
  ledgerEntry,
  outOfScope,
  REPORT,
  REPORT_HASH,
  sealedRun,
  snapshotText,
  started,
  UNCITED_ID,
  writeReleasedRun,
  type Writers,
} from './a-run';
import { call, TOKENS, World, type CallOptions, type Gateway } from './harness';

const QUESTION = { question: 'Why is checkout slow? password=hunter2hunter2', source: 'shop-pool' };

describe('The runs of the gateway', () => {
  let world: World;
  let gateway: Gateway;
  let log: EventLog;
  let writers: Writers;

  beforeAll(async () => {
    world = await World.start();
    gateway = await world.openGateway();
    const orchestrator = await world.log('harness-orchestrator');
    log = orchestrator;
    writers = {
      orchestrator,
      agentRunner: await world.log('agent-runner'),
      evidenceGuard: await world.log('evidence-guard'),
    };
  });
  afterAll(() => world.stop());

  const ask = (key?: string, body: unknown = QUESTION, options: CallOptions = {}): Promise<Response> =>
    call(gateway, 'POST', '/v1/runs', {
      token: TOKENS.ask,
      body,
      headers: { ...(key !== undefined && { 'idempotency-key': key }) },
      ...options,
    });
  const asked = async (body: unknown = QUESTION): Promise<RunAccepted> =>
    RunAccepted.parse(await (await ask(undefined, body)).json());
  const view = async (runId: string, token: string = TOKENS.ask): Promise<RunView> =>
    RunView.parse(await (await call(gateway, 'GET', `/v1/runs/${runId}`, { token })).json());
  const problemOf = async (response: Response): Promise<Problem> => Problem.parse(await response.json());
  const request = async (runId: RunId) =>
    runRequested.schema.parse(
      (await log.readLast(runSubjects(runId, log.partitions).in('request'), 'leader'))?.data,
    );

  describe('asking', () => {
    it('makes a run exist by its request, with the secrets of the question gone', async () => {
      const response = await ask('k-redacted');
      expect(response.status).toBe(201);
      const run = RunAccepted.parse(await response.json());
      expect(response.headers.get('location')).toBe(`/v1/runs/${run.runId}`);
      expect(run).toMatchObject({ runId: runIdForKey('acme', 'k-redacted'), status: 'RECEIVED' });
      const fact = await request(run.runId);
      expect(fact).toMatchObject({
        tenant: 'acme',
        principal: 'acme/ada',
        source: 'shop-pool',
        zone: 'UTC',
        detached: false,
      });
      expect(JSON.stringify(fact)).not.toContain('hunter2');
      expect(fact.knownPositions).toHaveLength(log.partitions);
    });

    it('finds the same run for the same key and body, and refuses the key for another body', async () => {
      const first = RunAccepted.parse(await (await ask('k-again')).json());
      const again = await ask('k-again');
      expect(again.status).toBe(200);
      expect(RunAccepted.parse(await again.json())).toEqual(first);
      const other = await ask('k-again', { ...QUESTION, question: 'Why is it fast?' });
      expect(other.status).toBe(422);
      expect((await problemOf(other)).type).toBe('urn:inquest:problem:key-reused');
    });

    it('keeps the keys of tenants apart', async () => {
      const mine = RunAccepted.parse(await (await ask('k-shared')).json());
      const theirs = await ask('k-shared', QUESTION, {
        token: TOKENS.other,
        headers: { 'idempotency-key': 'k-shared' },
      });
      expect(theirs.status).toBe(201);
      expect(RunAccepted.parse(await theirs.json()).runId).not.toBe(mine.runId);
    });

    it('makes one run of many simultaneous askings with one key', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask('k-race')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201]);
    });

    it('hands the owner a stream token, and the asker of a detached run none', async () => {
      expect((await asked()).streamToken).toBeDefined();
      expect((await asked({ ...QUESTION, detached: true })).streamToken).toBeUndefined();
    });

    it('writes without a key what nobody has asked before, every time', async () => {
      expect((await asked()).runId).not.toBe((await asked()).runId);
    });
  });

  describe('reading', () => {
    it('shows a run that nobody has taken up', async () => {
      const { runId } = await asked();
      expect(await view(runId)).toMatchObject({
        status: 'RECEIVED',
        outcome: null,
        timings: { startedAt: null },
      });
    });

    it('is no run to another tenant', async () => {
      const { runId } = await asked();
      expect((await call(gateway, 'GET', `/v1/runs/${runId}`, { token: TOKENS.other })).status).toBe(404);
    });

    it('shows the released bytes, their hash and who wrote them', async () => {
      const { runId } = await asked();
      await writeReleasedRun(writers, runId);
      expect(await view(runId)).toMatchObject({
        status: 'RELEASED',
        outcome: 'SUCCESS',
        report: REPORT,
        reportHash: REPORT_HASH,
        author: AUTHOR,
      });
    });

    it('shows nothing of a run whose snapshot is not the one that was released', async () => {
      const { runId } = await asked();
      await writeReleasedRun(
        writers,
        runId,
        snapshotText(runId).replace('Why is checkout slow?', 'Why is it slow?'),
      );
      const response = await call(gateway, 'GET', `/v1/runs/${runId}`, { token: TOKENS.ask });
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain('pool is exhausted');
    });

    it.each([
      [
        'a safe fallback',
        fellBack,
        { status: 'FELL_BACK', outcome: 'FALLBACK', fallback: { type: 'SEMANTIC_UNSUPPORTED' } },
      ],
      [
        'a failure',
        failedRun,
        { status: 'FAILED', outcome: 'FAILED', failure: { reason: 'MODEL_UNAVAILABLE' } },
      ],
      [
        'a cancellation',
        cancelledRun,
        { status: 'CANCELLED', outcome: 'CANCELLED', cancellation: { cause: 'PERSON' } },
      ],
      [
        'a question out of scope',
        outOfScope,
        { status: 'RELEASED', outcome: 'SUCCESS', reply: { schema: 'inquest.reply.v1' } },
      ],
    ])('shows %s', async (_, end, expected) => {
      const { runId } = await asked();
      await new ChainWriter(log, runId).decide(started(runId), end);
      const shown = await view(runId);
      expect(shown).toMatchObject(expected);
      const contents = [shown.report, shown.answer, shown.reply, shown.fallback, shown.failure].filter(
        (part) => part !== undefined,
      );
      expect(contents).toHaveLength(end === cancelledRun ? 0 : 1);
    });

    it('knows what its askers were shown, for the next question of their session', async () => {
      const { runId } = await asked();
      const end = await new ChainWriter(log, runId).decide(started(runId), failedRun);
      await view(runId);
      const next = await request((await asked()).runId);
      expect(next.knownPositions[runSubjects(runId, log.partitions).partition]).toBeGreaterThanOrEqual(end);
    });
  });

  describe('H8 cancelling', () => {
    const cancel = (runId: string, token: string = TOKENS.ask) =>
      call(gateway, 'POST', `/v1/runs/${runId}/cancel`, { token });
    const cancelFact = async (runId: RunId) =>
      (await log.readLast(runSubjects(runId, log.partitions).in('cancel'), 'leader'))?.data;

    it('is a fact, and one only', async () => {
      const { runId } = await asked();
      for (let n = 0; n < 3; n += 1) {
        const response = await cancel(runId);
        expect(response.status).toBe(202);
        expect(await response.json()).toMatchObject({ runId, status: 'CANCELLING' });
      }
      expect(await cancelFact(runId)).toMatchObject({ cause: 'PERSON', principal: 'acme/ada' });
    });

    it('says that an operator did it', async () => {
      const { runId } = await asked();
      await cancel(runId, TOKENS.operate);
      expect(await cancelFact(runId)).toMatchObject({ cause: 'OPERATOR', principal: 'acme/otto' });
    });

    it.each([
      ['is sealed', (runId: RunId) => [sealedRun(runId)]],
      ['has ended', () => [failedRun]],
    ])('comes too late for a run that %s, and writes nothing', async (_, events) => {
      const { runId } = await asked();
      await new ChainWriter(log, runId).decide(started(runId), ...events(runId));
      const response = await cancel(runId);
      expect(response.status).toBe(409);
      expect((await problemOf(response)).type).toBe('urn:inquest:problem:already-decided');
      expect(await cancelFact(runId)).toBeUndefined();
    });

    it('stands when it came before the seal, also when repeated after it', async () => {
      const { runId } = await asked();
      const chain = new ChainWriter(log, runId);
      await chain.decide(started(runId));
      await cancel(runId);
      await chain.decide(sealedRun(runId));
      expect((await cancel(runId)).status).toBe(202);
      await chain.decide(cancelledRun);
      expect(await (await cancel(runId)).json()).toMatchObject({ status: 'CANCELLED' });
    });

    it('is not for another tenant, nor for those who only watch', async () => {
      const { runId } = await asked();
      expect((await cancel(runId, TOKENS.other)).status).toBe(404);
      expect((await cancel(runId, TOKENS.watch)).status).toBe(403);
      expect(await cancelFact(runId)).toBeUndefined();
    });
  });

  describe('evidence', () => {
    const evidence = (runId: string, id: string, token: string) =>
      call(gateway, 'GET', `/v1/runs/${runId}/evidence/${id}`, { token });

    it.each([
      ['ask', CALL_ID, 200],
      ['ask', UNCITED_ID, 404],
      ['operate', UNCITED_ID, 200],
      ['audit', UNCITED_ID, 200],
      ['audit', 'call_9', 404],
      ['watch', CALL_ID, 403],
      ['other', CALL_ID, 404],
    ] as const)('with scope %s of call %s of a released run: %s', async (who, id, status) => {
      const { runId } = await asked();
      await writeReleasedRun(writers, runId);
      const response = await evidence(runId, id, TOKENS[who]);
      expect(response.status).toBe(status);
      if (status === 200) expect(await response.json()).toEqual({ ...ledgerEntry(id as typeof CALL_ID) });
    });

    it('of a run that released nothing is for operators and auditors', async () => {
      const { runId } = await asked();
      const chain = await writeReleasedRun(writers, randomRunId());
      const own = new ChainWriter(log, runId);
      await own.decide(started(runId), failedRun);
      expect((await evidence(runId, CALL_ID, TOKENS.ask)).status).toBe(404);
      expect(chain.runId).not.toBe(runId);
    });
  });

  describe('the system', () => {
    it('tells who is up, whether the judge is in order, and where the gate stands', async () => {
      const response = await call(gateway, 'GET', '/v1/system', { token: TOKENS.watch });
      expect(await response.json()).toMatchObject({
        services: expect.arrayContaining([
          expect.objectContaining({ service: 'evidence-guard', ruleSet: 'evidence-2' }),
        ]),
        judgeHealthy: true,
        cutOver: { kind: 'CUT_OVER' },
        entry: { path: 'GUARDED', refusal: null },
        log: {
          server: { connected: true, version: expect.stringMatching(/^\d+\.\d+/) },
          partitions: expect.any(Array),
        },
        readModel: { available: false },
      });
    });

    it('is ready without its read model, and says so', async () => {
      const response = await call(gateway, 'GET', '/readyz');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        status: 'ready',
        checks: { log: 'up', readModel: 'down', guards: 'up' },
      });
      expect(await (await call(gateway, 'GET', '/healthz')).json()).toEqual({ status: 'ok' });
    });

    it('gives no list without its read model, and reads single runs all the same', async () => {
      const { runId } = await asked();
      const list = await call(gateway, 'GET', '/v1/runs', { token: TOKENS.ask });
      expect(list.status).toBe(503);
      expect(list.headers.get('retry-after')).toBe('5');
      expect((await view(runId)).runId).toBe(runId);
    });

    it('points at its description from /', async () => {
      expect(await (await call(gateway, 'GET', '/')).text()).toContain('/openapi.json');
    });

    it('forbids every answer to be framed, sniffed or kept', async () => {
      for (const path of ['/', '/healthz', '/v1/runs', '/nowhere']) {
        const { headers } = await call(gateway, 'GET', path);
        expect(headers.get('x-content-type-options')).toBe('nosniff');
        expect(headers.get('content-security-policy')).toContain("default-src 'none'");
        expect(headers.get('cache-control')).toContain('no-store');
        expect(headers.get('x-powered-by')).toBeNull();
      }
    });
  });
});
