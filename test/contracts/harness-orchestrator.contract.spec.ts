import { Pool } from 'pg';
import { z } from 'zod';
import { agentResult } from '@inquest/contracts/agent-facts';
import type { RunId } from '@inquest/contracts/ids';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { waitFor } from '@inquest/testing/wait-for';
import { PostgresSessionHistory } from '../../apps/harness-orchestrator/src/previous-turn/postgres-session-history';
import { triggerOf } from '../../apps/harness-orchestrator/src/reconcile/trigger';
import { SystemInProcess } from './support/system-in-process';

jest.setTimeout(60_000);

// What harness-orchestrator decides on, in its own words, against what the others really write. It reads enums, ids,
// counts and hashes; whatever else a message holds is free to change.

const Usage = z.object({ promptTokens: z.number(), completionTokens: z.number() }).nullable();
const Failed = z.object({
  kind: z.literal('FAILED'),
  failure: z.string(),
  retryAfterMs: z.number().nullable(),
});

describe('what harness-orchestrator needs', () => {
  let system: SystemInProcess;
  let diagnosis: RunId;

  beforeAll(async () => {
    system = await SystemInProcess.start({ database: true });
    diagnosis = await system.run({ badDrafts: 1, judge: ['INVALID', 'SUPPORTED'] }, { sessionId: 's-1' });
  });
  afterAll(() => system?.stop());

  /** The orchestrator's own reading of a message: what it would tell its decider. */
  const commandOf = (message: StoredMessage) => {
    const trigger = triggerOf(message, system.log.partitions);
    if (trigger.kind === 'request') throw new Error('a request is no command');
    return trigger.commandAt(0);
  };
  const first = async (runId: RunId, service: 'router' | 'agent' | 'tool' | 'semantic' | 'rag') => {
    const [step] = await system.steps(runId, service);
    if (!step) throw new Error(`${service} was not asked`);
    return step;
  };

  describe('harness-orchestrator <- agent-runner', () => {
    it('an intent with what the attempt cost', async () => {
      const { res } = await first(diagnosis, 'router');
      const Routed = z.object({
        kind: z.literal('ROUTED'),
        intent: z.enum(['DIAGNOSIS', 'KNOWLEDGE_QUERY', 'OUT_OF_SCOPE']),
        record: z.object({ usage: Usage }),
      });
      expect(Routed.parse(res.data).intent).toBe('DIAGNOSIS');
      expect(commandOf(res)).toMatchObject({ type: 'TakeResult', service: 'router', step: 't0-router0-a1' });
    });

    it('proposed calls one by one, each with the id that it accepts or rejects it by', async () => {
      const { res } = await first(diagnosis, 'agent');
      const Calls = z.object({
        kind: z.literal('TOOL_CALLS'),
        record: z.object({ usage: Usage }),
        calls: z.array(
          z.object({
            index: z.number(),
            toolCallId: z.string().nullable(),
            providerId: z.string().nullable(),
            name: z.string(),
            argumentsText: z.string(),
          }),
        ),
      });
      const { calls } = Calls.parse(res.data);
      expect(calls.map(({ index }) => index)).toEqual([0, 1, 2]);
      expect(commandOf(res).type).toBe('TakeResult');
    });

    it('H2 an unusable id as none, and never another in its place', async () => {
      const ids = ['call_1', 'call_1', undefined, 'no good'];
      const turn = ids.map(() => ({ name: 'active_alerts', arguments: {} }));
      const runId = await system.run({ turns: [turn], idOf: (_, index) => ids[index] });
      const { res } = await first(runId, 'agent');
      const { data } = agentResult.schema.safeParse(res.data);
      const calls = data?.kind === 'TOOL_CALLS' ? data.calls : [];
      expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(['call_1', 'call_1', null, null]);
      expect(calls.map(({ providerId }) => providerId)).toEqual(['call_1', 'call_1', null, 'no good']);
      expect(
        (await system.eventsOf(runId, 'ToolActionAccepted')).map(({ toolCallId }) => toolCallId),
      ).toHaveLength(1);
    });

    it('a draft by its hash and size, with no need of its text', async () => {
      const drafts = (await system.steps(diagnosis, 'agent')).slice(1);
      const Draft = z.object({
        kind: z.literal('DRAFT'),
        draft: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), bytes: z.number().positive() }),
      });
      expect(drafts).toHaveLength(2);
      for (const { res } of drafts) expect(() => Draft.parse(res.data)).not.toThrow();
      const recorded = await system.eventsOf(diagnosis, 'DraftReceived');
      expect(recorded.map(({ sha256 }) => sha256)).toEqual(
        drafts.map(({ res }) => Draft.parse(res.data).draft.sha256),
      );
    });

    it('of each invocation how it ended and what it found, under the id that was accepted', async () => {
      const Completed = z.object({
        toolCallId: z.string(),
        status: z.enum(['READY', 'ERROR']),
        evidenceStatus: z.enum(['EVIDENCE_FOUND', 'NO_EVIDENCE', 'ERROR']),
        errorClass: z.string().nullable(),
        truncated: z.boolean(),
      });
      for (const { req, res } of await system.steps(diagnosis, 'tool')) {
        const { toolCallId } = Completed.parse(res.data);
        expect(toolCallId).toBe((req.data as { toolCallId: string }).toolCallId);
        expect(commandOf(res).type).toBe('TakeResult');
      }
    });

    it('a failed attempt as a fixed word, with the pause that the endpoint asked for', async () => {
      system.play({
        intercept: (role) =>
          role === 'router'
            ? { kind: 'RAW', status: 429, body: '{}', headers: { 'retry-after': '1' } }
            : undefined,
      });
      const { runId } = await system.ask();
      const res = await system.message(system.subjects(runId).res('router', 't0-router0-a1'));
      expect(Failed.parse(res.data)).toEqual({
        kind: 'FAILED',
        failure: 'RATE_LIMITED',
        retryAfterMs: 1_000,
      });
      expect(commandOf(res)).toMatchObject({ type: 'TakeResult', result: { kind: 'FAILED' } });
      await system.ended(runId);
    });
  });

  describe('harness-orchestrator <- semantic-guard', () => {
    it('an attempt without a valid verdict as a failure that it may repeat', async () => {
      const [{ res } = await first(diagnosis, 'semantic')] = await system.steps(diagnosis, 'semantic');
      expect(Failed.parse(res.data)).toMatchObject({ failure: 'INVALID_RESPONSE' });
      expect(commandOf(res).type).toBe('TakeResult');
    });

    it('one verdict over the whole, on the snapshot that it was asked about', async () => {
      const [, second] = await system.steps(diagnosis, 'semantic');
      const Judged = z.object({
        kind: z.literal('JUDGED'),
        attempt: z.literal(2),
        verdict: z.enum(['SUPPORTED', 'UNSUPPORTED']),
        snapshotHash: z.string(),
      });
      const { snapshotHash, verdict } = Judged.parse(second?.res.data);
      expect(verdict).toBe('SUPPORTED');
      expect(snapshotHash).toBe((second?.req.data as { snapshotHash: string }).snapshotHash);
    });
  });

  describe('harness-orchestrator <- evidence-guard', () => {
    it('takes a rejection and an acceptance of the real guard as results', async () => {
      const kinds = (await system.steps(diagnosis, 'evidence')).map(({ res }) => {
        expect(commandOf(res).type).toBe('TakeResult');
        return evidenceResult.schema.parse(res.data).kind;
      });
      expect(kinds).toEqual(['REJECTED', 'ACCEPTED']);
    });
  });

  describe('harness-orchestrator <- knowledge-rag', () => {
    it('takes a lookup of the real service as a result of the call that it answers', async () => {
      const question = 'What does the runbook say about connection pool exhaustion?';
      const runId = await system.run({ intent: 'KNOWLEDGE_QUERY' }, { question });
      const { res } = await first(runId, 'rag');
      expect(commandOf(res)).toMatchObject({
        type: 'TakeResult',
        service: 'rag',
        result: { status: 'READY' },
      });
    });
  });

  describe('harness-orchestrator <- chat-gateway', () => {
    const request = async (runId: RunId) => system.message(system.subjects(runId).in('request'));

    it('a question with everything that a run is started from', async () => {
      const Asked = z.object({
        runId: z.literal(diagnosis),
        tenant: z.literal('acme'),
        principal: z.literal('acme/ada'),
        sessionId: z.literal('s-1'),
        question: z.string().min(1),
        source: z.string().nullable(),
        window: z.unknown(),
        zone: z.string().min(1),
        locale: z.enum(['en', 'de']),
        detached: z.literal(true),
        limits: z.unknown(),
        requestedAt: z.iso.datetime({ offset: true }),
        knownPositions: z.array(z.number()).length(system.log.partitions),
      });
      const message = await request(diagnosis);
      expect(() => Asked.parse(message.data)).not.toThrow();
      expect(triggerOf(message, system.log.partitions)).toMatchObject({ kind: 'request', runId: diagnosis });
    });

    it('a cancellation by its cause', async () => {
      system.play({ router: ['HANG'] });
      const { runId } = await system.ask();
      await system.message(system.subjects(runId).req('router', 't0-router0-a1'));
      expect((await system.http('POST', `/v1/runs/${runId}/cancel`)).status).toBe(202);
      expect(commandOf(await system.message(system.subjects(runId).in('cancel')))).toMatchObject({
        type: 'TakeCancel',
        cause: 'PERSON',
      });
      await system.ended(runId);
    });

    it('H8 the coming and going of the owner’s stream, numbered, with the grace that it has', async () => {
      system.play({ router: ['HANG'] });
      const { runId, streamToken } = await system.ask({ detached: false });
      const leaving = new AbortController();
      const url = `/v1/runs/${runId}/events?stream_token=${streamToken}`;
      const stream = await system.http('GET', url, undefined, leaving.signal);
      expect(stream.status).toBe(200);
      const attached = await system.message(system.subjects(runId).in('attach-1'));
      expect(commandOf(attached)).toMatchObject({ type: 'TakeAttach', n: 1 });
      leaving.abort();
      const lost = await system.message(system.subjects(runId).in('disconnect-1'));
      expect(commandOf(lost)).toMatchObject({ type: 'TakeDisconnect', n: 1, graceMs: 0 });
      await system.ended(runId);
    });
  });

  describe('harness-orchestrator <- run-projector', () => {
    let history: PostgresSessionHistory;
    beforeAll(() => {
      history = new PostgresSessionHistory(new Pool({ connectionString: system.postgres?.readerUrl }));
    });
    afterAll(() => history.close());

    it('H7 the session’s latest released diagnosis, with its question, hash and conclusion', async () => {
      const soon = Date.now() + 60_000;
      const latest = await waitFor('the row', () => history.latestDiagnosis('acme', 's-1', soon));
      const [released] = await system.eventsOf(diagnosis, 'RunReleased');
      expect(latest).toEqual({
        kind: 'RUN',
        runId: diagnosis,
        reportHash: released?.reportHash,
        question: 'Why is checkout failing?',
        conclusion: 'The evidence shows no single cause.',
      });
    });

    it('H7 no run of another session, of another tenant, or from after the question', async () => {
      const soon = Date.now() + 60_000;
      expect(await history.latestDiagnosis('acme', 's-2', soon)).toBeUndefined();
      expect(await history.latestDiagnosis('globex', 's-1', soon)).toBeUndefined();
      expect(await history.latestDiagnosis('acme', 's-1', 0)).toBeUndefined();
    });

    it('how far each partition is projected', async () => {
      const { partition } = system.subjects(diagnosis);
      const seq = (await system.chain(diagnosis)).at(-1)?.seq ?? 0;
      const upTo = (position: number) =>
        Array.from({ length: system.log.partitions }, (_, p) => (p === partition ? position : 0));
      await waitFor('the projection', async () => (await history.hasReached(upTo(seq))) || undefined);
      expect(await history.hasReached(upTo(1_000_000))).toBe(false);
    });
  });
});
