import { z } from 'zod';
import { agentRequested, routerRequested, type AgentRequested } from '@inquest/contracts/agent-facts';
import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { evaluatorRequested, type EvaluatorRequested } from '@inquest/contracts/case-facts';
import { evidenceRequested, type EvidenceRequested } from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { isStopped } from '@inquest/contracts/run-stopped';
import { semanticRequested, type SemanticRequested } from '@inquest/contracts/semantic-facts';
import { ragRequested, toolRequested } from '@inquest/contracts/tool-facts';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { RunInterrupts } from '@inquest/service-shell/run-interrupts';
import { Logger } from '@inquest/service-shell/logger';
import { waitFor } from '@inquest/testing/wait-for';
import { transcriptOf } from '../../apps/agent-runner/src/agent/transcript';
import { TranscriptFacts } from '../../apps/agent-runner/src/facts/transcript-facts';
import { NamedFactsReader } from '../../apps/evidence-guard/src/named-facts';
import { readCaseEvidence } from '../../apps/semantic-guard/src/evaluator/case-evidence';
import { evaluatorDocument } from '../../apps/semantic-guard/src/evaluator/evaluator-document';
import { judgeDocument } from '../../apps/semantic-guard/src/judge/judge-document';
import { readFrozen } from '../../apps/semantic-guard/src/judge/frozen-snapshot';
import { SystemInProcess } from './support/system-in-process';

jest.setTimeout(60_000);

// What the four workers need of those who give them work and facts, each through its own readers and with its own rights
// on the broker, against what was really written.

const QUESTION = 'What does the runbook say about connection pool exhaustion?';

describe('what the workers need', () => {
  let system: SystemInProcess;
  let diagnosis: RunId;
  let knowledge: RunId;
  let cancelled: RunId;

  beforeAll(async () => {
    system = await SystemInProcess.start();
    const turns = [
      [{ name: 'active_alerts', arguments: {} }],
      [
        { name: 'list_objects', arguments: { name_contains: 'nothing-is-called-this' } },
        { name: 'no_such_tool', arguments: {} },
        { name: 'list_metrics', arguments: {} },
      ],
    ];
    // The same id twice in the second turn: one action is rejected, and the transcript has to say so.
    const idOf = (turn: number, index: number) =>
      turn === 2 && index === 1 ? 'call_2_0' : `call_${turn}_${index}`;
    diagnosis = await system.run({ turns, idOf, badDrafts: 1 });
    knowledge = await system.run({ intent: 'KNOWLEDGE_QUERY' }, { question: QUESTION });
    system.play({ router: ['HANG'] });
    cancelled = (await system.ask()).runId;
    await system.message(system.subjects(cancelled).req('router', 't0-router0-a1'));
    await system.http('POST', `/v1/runs/${cancelled}/cancel`);
    await system.ended(cancelled);
  });
  afterAll(() => system?.stop());

  const steps = (runId: RunId, service: 'router' | 'agent' | 'tool' | 'rag' | 'evidence' | 'semantic') =>
    system.steps(runId, service);
  const lastDecision = async (runId: RunId) =>
    (await system.log.readLast(system.subjects(runId).chain, 'leader'))?.data;

  /** Work is kept until its deadline and its results are charged to the asker: both stand on the envelope. */
  const expectWorkEnvelope = ({ envelope, data }: StoredMessage) => {
    expect(envelope.deadline).toBe((data as { deadlineAt: string }).deadlineAt);
    expect(Date.parse(envelope.deadline ?? '')).toBeGreaterThan(Date.parse(envelope.time));
    expect(envelope.principal).toBe('acme/ada');
  };

  describe('agent-runner <- harness-orchestrator', () => {
    it('a question for the router, with its deadline', async () => {
      const [{ req } = { req: undefined }] = await steps(diagnosis, 'router');
      expect(routerRequested.schema.parse(req?.data)).toMatchObject({
        question: 'Why is checkout failing?',
        attempt: 1,
      });
      if (req) expectWorkEnvelope(req);
    });

    it('for each turn references from which the whole conversation can be rebuilt, rejections included', async () => {
      const { log, payloads } = await system.logAs('agent-runner');
      const facts = new TranscriptFacts(log, payloads);
      const asked = await steps(diagnosis, 'agent');
      const roles: string[][] = [];
      for (const { req } of asked) {
        expectWorkEnvelope(req);
        const request = agentRequested.schema.parse(req.data) as AgentRequested;
        const turns = await facts.turns(diagnosis, request);
        const draft = request.repair && (await facts.draft(diagnosis, request.repair.draftStep));
        roles.push(transcriptOf(request, turns, draft).map(({ role }) => role));
      }
      const first = ['system', 'user'];
      const second = [...first, 'assistant', 'tool'];
      const third = [...second, 'assistant', 'tool', 'tool', 'user'];
      expect(roles).toEqual([first, second, third, [...third, 'user']]);
    });

    it('for a repair the rejected draft, what is wrong with it, and the ids that may be cited', async () => {
      const repair = (await steps(diagnosis, 'agent')).at(-1);
      const request = agentRequested.schema.parse(repair?.req.data) as AgentRequested;
      expect(request).toMatchObject({ mode: 'REPAIR', attempt: 1 });
      expect(request.repair?.violations.length).toBeGreaterThan(0);
      expect(request.repair?.validToolCallIds).toEqual(['call_1_0', 'call_2_0', 'call_2_2']);
    });

    it('accepted calls with the model’s own arguments, one bound for the result, one source', async () => {
      for (const { req } of await steps(diagnosis, 'tool')) {
        expectWorkEnvelope(req);
        const call = toolRequested.schema.parse(req.data) as z.infer<typeof toolRequested.schema>;
        expect(call).toMatchObject({ source: 'checkout-pool-exhaustion', projectionBytesMax: 32_768 });
        expect(() => JSON.parse(call.argumentsText) as unknown).not.toThrow();
      }
    });

    it('a last decision from which it sees whether work is still wanted', async () => {
      expect(isStopped(await lastDecision(cancelled), 't0-router0-a1')).toBe(true);
      const going = (await system.chain(diagnosis)).filter(({ decision }) =>
        decision.events.some((event) => event.type === 'StepRequested'),
      );
      for (const { decision } of going) expect(isStopped(decision, 't1-model0-a1')).toBe(false);
    });
  });

  describe('agent-runner <- knowledge-rag', () => {
    it('a lookup’s projection goes into the conversation byte for byte', async () => {
      const { log, payloads } = await system.logAs('agent-runner');
      const request = agentRequested.schema.parse(
        (await steps(knowledge, 'agent')).at(-1)?.req.data,
      ) as AgentRequested;
      const [turn] = await new TranscriptFacts(log, payloads).turns(knowledge, request);
      const [call] = turn?.calls ?? [];
      expect(sha256(call?.result?.projection ?? '')).toBe(call?.result?.entry.projection.sha256);
      const Shown = z.object({
        documents: z.array(z.object({ id: z.string(), text: z.string().min(1) })).min(1),
      });
      expect(() => Shown.parse(JSON.parse(call?.result?.projection ?? ''))).not.toThrow();
    });
  });

  describe('knowledge-rag <- harness-orchestrator', () => {
    it('one accepted lookup, with the id that its record will bear', async () => {
      const [{ req, res } = { req: undefined, res: undefined }] = await steps(knowledge, 'rag');
      if (req) expectWorkEnvelope(req);
      const call = ragRequested.schema.parse(req?.data) as z.infer<typeof ragRequested.schema>;
      expect(call).toMatchObject({ toolCallId: 'call_1_0', tool: 'knowledge_lookup' });
      expect(res?.data).toMatchObject({ toolCallId: 'call_1_0' });
    });
  });

  describe('evidence-guard <- harness-orchestrator', () => {
    it('names exactly the facts of the run that a draft is judged on, each of which is there', async () => {
      const { log, payloads } = await system.logAs('evidence-guard');
      const reader = new NamedFactsReader(log, payloads);
      const asked = await steps(diagnosis, 'evidence');
      expect(asked).toHaveLength(2);
      for (const { req } of asked) {
        expectWorkEnvelope(req);
        const request = evidenceRequested.schema.parse(req.data) as EvidenceRequested;
        expect(request.ledger.map(({ toolCallId }) => toolCallId)).toEqual([
          'call_1_0',
          'call_2_0',
          'call_2_2',
        ]);
        expect((await reader.read(diagnosis, request)).kind).toBe('FACTS');
      }
    });

    it('says of a repaired draft what it repairs', async () => {
      const [first, second] = (await steps(diagnosis, 'evidence')).map(
        ({ req }) => evidenceRequested.schema.parse(req.data) as EvidenceRequested,
      );
      expect(first).toMatchObject({ revision: 1, previousDraftStep: null, repairOf: [] });
      expect(second).toMatchObject({ revision: 2, previousDraftStep: first?.draftStep });
      expect(second?.repairOf.length).toBeGreaterThan(0);
    });
  });

  /** The records that a guard's request names, as the guard reads them. */
  const ledgerOf = async (runId: RunId) => {
    const { log, payloads } = await system.logAs('evidence-guard');
    const request = evidenceRequested.schema.parse(
      (await steps(runId, 'evidence'))[0]?.req.data,
    ) as EvidenceRequested;
    const read = await new NamedFactsReader(log, payloads).read(runId, request);
    if (read.kind !== 'FACTS') throw new Error(read.failure);
    return read.facts;
  };

  describe('evidence-guard <- agent-runner', () => {
    it('the model’s draft as its very text', async () => {
      const { draftText } = await ledgerOf(diagnosis);
      const drafts = await system.eventsOf(diagnosis, 'DraftReceived');
      expect(sha256(draftText)).toBe(drafts[0]?.sha256);
    });

    it('records whose projection is canonical JSON under its own digest, with totals that add up', async () => {
      const Projection = z.object({
        tool: z.string(),
        matched: z.number(),
        returned: z.number(),
        truncated: z.boolean(),
      });
      const { ledger } = await ledgerOf(diagnosis);
      const results = ledger.flatMap((record) => (record.kind === 'RESULT' ? [record] : []));
      expect(results).toHaveLength(3);
      for (const { entry, projection } of results) {
        expect(sha256(projection)).toBe(entry.projection.sha256);
        const parsed: unknown = JSON.parse(projection);
        expect(projection).toBe(canonicalJson(parsed));
        const { matched, returned, truncated } = Projection.parse(parsed);
        expect({ matched, returned, truncated }).toEqual({
          matched: entry.matched,
          returned: entry.returned,
          truncated: entry.truncated,
        });
      }
    });

    it('H3 a negative result that says how far it looked', async () => {
      const { ledger } = await ledgerOf(diagnosis);
      const empty = ledger.flatMap((r) =>
        r.kind === 'RESULT' && r.entry.toolCallId === 'call_2_0' ? [r.entry] : [],
      );
      expect(empty).toMatchObject([
        {
          status: 'READY',
          evidenceStatus: 'NO_EVIDENCE',
          matched: 0,
          limitHit: false,
          partial: false,
          sampled: false,
        },
      ]);
      expect(JSON.stringify(empty[0]?.scope)).toContain('nothing-is-called-this');
    });
  });

  describe('evidence-guard <- knowledge-rag', () => {
    it('H5 exactly the documents that an answer may cite', async () => {
      const { ledger } = await ledgerOf(knowledge);
      const [record] = ledger;
      if (record?.kind !== 'RESULT') throw new Error('no record');
      const { documents } = JSON.parse(record.projection) as { documents: { id: string }[] };
      expect(record.entry.documents?.map(({ id }) => id)).toEqual(documents.map(({ id }) => id));
      expect(documents.length).toBeGreaterThan(0);
    });
  });

  describe('semantic-guard <- harness-orchestrator', () => {
    it('the step and the hash of the one snapshot that it is to judge', async () => {
      const [{ req } = { req: undefined }] = await steps(diagnosis, 'semantic');
      if (req) expectWorkEnvelope(req);
      const request = semanticRequested.schema.parse(req?.data) as SemanticRequested;
      const accepted = await system.eventsOf(diagnosis, 'EvidenceAccepted');
      expect(request).toMatchObject({
        attempt: 1,
        evidenceStep: accepted[0]?.step,
        snapshotHash: accepted[0]?.snapshotHash,
      });
    });
  });

  describe.each([
    ['agent-runner', 'tool'],
    ['knowledge-rag', 'rag'],
  ] as const)('semantic-guard <- %s', (_producer, service) => {
    it('results that its evaluator opens by name with its own rights, and shows as they are', async () => {
      const { log, payloads } = await system.logAs('semantic-guard');
      const runId = service === 'rag' ? knowledge : diagnosis;
      const [{ step, res } = { step: undefined, res: undefined }] = await steps(runId, service);
      const entry = LedgerEntry.parse(res?.data);
      const { toolCallId, tool, contentHash } = entry;
      const request = evaluatorRequested.schema.parse({
        promptVersion: 'diagnosis_early_v2',
        diagnosis: 1,
        review: 1,
        pass: 1,
        attempt: 1,
        question: QUESTION,
        asOf: entry.asOf,
        hypotheses: ['h1', 'h2'].map((id) => ({ id, statement: id, confirmedBy: 'x', refutedBy: 'y' })),
        evidence: [{ toolCallId, tool, service, step, contentHash }],
        counterchecks: [],
        deadlineAt: entry.asOf,
      }) as EvaluatorRequested;
      const evidence = await readCaseEvidence(log, payloads, runId, request);
      const document = evaluatorDocument(request, evidence ?? new Map(), '=====evidence-0a=====');
      expect(document.evidence).toMatchObject([{ toolCallId, tool, evidenceStatus: entry.evidenceStatus }]);
      expect(document.evidence[0]?.projection).toContain(entry.projection.inline);
      // Other content under the same name is not what the chain speaks of.
      const other = { ...request, evidence: [{ ...request.evidence[0], contentHash: 'e'.repeat(64) }] };
      expect(await readCaseEvidence(log, payloads, runId, other as EvaluatorRequested)).toBeUndefined();
    });
  });

  describe('semantic-guard <- evidence-guard', () => {
    it('a frozen snapshot that it can open with its own rights, and put before a judge as it is', async () => {
      const { log, payloads } = await system.logAs('semantic-guard');
      for (const runId of [diagnosis, knowledge]) {
        const [{ req } = { req: undefined }] = await steps(runId, 'semantic');
        const { evidenceStep, snapshotHash } = semanticRequested.schema.parse(req?.data) as SemanticRequested;
        const frozen = await readFrozen(log, payloads, { runId, evidenceStep, snapshotHash });
        expect(sha256(frozen?.text ?? '')).toBe(snapshotHash);
        if (!frozen) continue;
        const document = judgeDocument(frozen.snapshot, snapshotHash, '=====evidence-x=====');
        expect(document.items.length).toBe(frozen.snapshot.items.length);
        expect(document.evidence.length).toBeGreaterThan(0);
      }
    });
  });

  describe.each(['agent-runner', 'evidence-guard', 'semantic-guard', 'knowledge-rag'] as const)(
    '%s <- chat-gateway',
    (worker) => {
      it('H8 a cancellation that it finds before it begins', async () => {
        const { log } = await system.logAs(worker);
        expect(await log.readLast(system.subjects(cancelled).in('cancel'), 'any')).toBeDefined();
        expect(await log.readLast(system.subjects(diagnosis).in('cancel'), 'any')).toBeUndefined();
      });
    },
  );

  describe('every worker <- chat-gateway', () => {
    it('H8 a cancellation, and a lost owner without grace, that reach work under way; with grace, nothing', async () => {
      const interrupts = new RunInterrupts(
        system.nc,
        system.log,
        new Logger({ service: 'test', instance: 'one' }, 'silent'),
      );
      system.play({ router: ['HANG'] });
      const begin = async (disconnectGraceMs?: number) => {
        const { runId, streamToken } = await system.ask({ detached: false, disconnectGraceMs });
        const leaving = new AbortController();
        const url = `/v1/runs/${runId}/events?stream_token=${streamToken}`;
        await system.http('GET', url, undefined, leaving.signal);
        await system.message(system.subjects(runId).in('attach-1'));
        return { runId, leave: () => leaving.abort(), signal: interrupts.signalFor(runId) };
      };
      const [gone, waiting] = [await begin(), await begin(60_000)];
      gone.leave();
      waiting.leave();
      await waitFor('the interrupt', () => gone.signal.aborted || undefined);
      await system.message(system.subjects(waiting.runId).in('disconnect-1'));
      expect(waiting.signal.aborted).toBe(false);
      await system.http('POST', `/v1/runs/${waiting.runId}/cancel`);
      await waitFor('the interrupt', () => waiting.signal.aborted || undefined);
      interrupts.close();
      await Promise.all([system.ended(gone.runId), system.ended(waiting.runId)]);
    });
  });
});
