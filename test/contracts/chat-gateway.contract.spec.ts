import { z } from 'zod';
import { sha256 } from '@inquest/contracts/canonical-json';
import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import type { RunId, ToolCallId } from '@inquest/contracts/ids';
import { runRequested, type RunRequested } from '@inquest/contracts/inbound-facts';
import { RunFrame } from '@inquest/contracts/run-frame';
import { RunView } from '@inquest/contracts/run-view';
import { foldRun } from '@inquest/run-view/fold-run';
import { citedCalls } from '@inquest/run-view/released-bytes';
import { ServiceRegistry } from '@inquest/service-shell/service-registry';
import type { ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { waitFor } from '@inquest/testing/wait-for';
import { EvidenceReader } from '../../apps/chat-gateway/src/evidence/evidence-reader';
import { guardsProblem } from '../../apps/chat-gateway/src/gate/gate';
import { RunReader } from '../../apps/chat-gateway/src/runs/run-reader';
import { ReadPool } from '../../apps/chat-gateway/src/runs/read-pool';
import { NO_ROWS, PgRunRows, type RunRows } from '../../apps/chat-gateway/src/runs/run-rows';
import { framesOfDecision } from '../../apps/chat-gateway/src/stream/frames-of-decision';
import { AUTHOR, JUDGE, SystemInProcess } from './support/system-in-process';

jest.setTimeout(60_000);

// What chat-gateway shows comes from others: decisions, rows, released bytes, evidence, announcements. Read here through
// its own readers, against what was really written.

const QUESTION = 'What does the runbook say about connection pool exhaustion?';

type Name = 'report' | 'answer' | 'reply' | 'fallback' | 'failure';
const ENDINGS: Record<Name, { knobs: ScriptedRunKnobs; question?: string; last: string; status: string }> = {
  report: { knobs: {}, last: 'run.released', status: 'RELEASED' },
  answer: {
    knobs: { intent: 'KNOWLEDGE_QUERY' },
    question: QUESTION,
    last: 'run.released',
    status: 'RELEASED',
  },
  reply: { knobs: { intent: 'OUT_OF_SCOPE' }, last: 'run.released', status: 'RELEASED' },
  fallback: { knobs: { badDrafts: 2 }, last: 'run.fell-back', status: 'FELL_BACK' },
  failure: { knobs: { router: ['INVALID'] }, last: 'run.failed', status: 'FAILED' },
};
const names = Object.keys(ENDINGS) as Name[];

describe('what chat-gateway needs', () => {
  let system: SystemInProcess;
  const runs = {} as Record<Name, RunId>;
  let pool: ReadPool;
  let rows: PgRunRows;

  beforeAll(async () => {
    system = await SystemInProcess.start({ database: true });
    for (const name of names) {
      const { knobs, question } = ENDINGS[name];
      runs[name] = await system.run(knobs, {
        sessionId: 'shown',
        ...(question !== undefined && { question }),
      });
    }
    pool = new ReadPool(system.postgres?.readerUrl ?? '');
    rows = new PgRunRows(pool);
  });
  afterAll(async () => {
    await pool?.onApplicationShutdown();
    await system?.stop();
  });

  const readerOver = (some: RunRows) =>
    new RunReader(system.log, system.payloads, some, { noteEnding: () => undefined });
  const fromLog = () => readerOver(NO_ROWS);
  const evidenceOver = (some: RunRows) => new EvidenceReader(readerOver(some), system.payloads, some);

  describe('chat-gateway <- harness-orchestrator', () => {
    it.each(names)(
      'decisions that become frames without a word of content, ending in one: %s',
      async (name) => {
        const chain = await system.chain(runs[name]);
        const frames = chain.flatMap(({ decision }) => framesOfDecision(runs[name], decision));
        for (const frame of frames) expect(() => RunFrame.parse(frame)).not.toThrow();
        expect(frames[0]?.type).toBe('run.started');
        expect(frames.map(({ type }) => type).filter((type) => /^run\.(?!started)/.test(type))).toEqual([
          ENDINGS[name].last,
        ]);
      },
    );

    it.each(names)('a chain that folds to the view of its ending: %s', async (name) => {
      const message = await system.message(system.subjects(runs[name]).in('request'));
      const request = runRequested.schema.parse(message.data) as RunRequested;
      const { view, terminalSeq, sealedSeq } = foldRun(request, await system.chain(runs[name]));
      expect(RunView.parse(view).status).toBe(ENDINGS[name].status);
      expect(terminalSeq).toBeGreaterThan(sealedSeq ?? Infinity);
      expect(view.timings.totalMs).not.toBeNull();
    });

    it('every call of the run in its coverage, with how it ended', async () => {
      const { view } = await fromLog().find(runs.report, 'acme');
      const accepted = (await system.eventsOf(runs.report, 'ToolActionAccepted')).map(
        ({ toolCallId }) => toolCallId,
      );
      expect(view.coverage.map(({ toolCallId }) => toolCallId)).toEqual(accepted);
      for (const { status, evidenceStatus } of view.coverage) {
        expect(status).toBe('READY');
        expect(evidenceStatus).not.toBeNull();
      }
    });
  });

  describe('chat-gateway <- evidence-guard', () => {
    it('the released bytes, in the snapshot that the release names', async () => {
      const { view } = await fromLog().find(runs.report, 'acme');
      expect(view.report?.analyses.length).toBeGreaterThan(0);
      expect((await fromLog().find(runs.answer, 'acme')).view.answer?.items.length).toBeGreaterThan(0);
    });
  });

  describe('chat-gateway <- agent-runner', () => {
    it('who wrote the report', async () => {
      expect((await fromLog().find(runs.report, 'acme')).view.author).toBe(AUTHOR);
    });

    it('the record of every cited call, with the very text that its digest is of', async () => {
      const { view } = await fromLog().find(runs.report, 'acme');
      const cited = [...citedCalls(view)] as ToolCallId[];
      expect(cited.length).toBeGreaterThan(0);
      for (const toolCallId of cited) {
        const caller = { tenant: 'acme', scopes: new Set(['ask'] as const) };
        const { projection } = await evidenceOver(NO_ROWS).open(runs.report, toolCallId, caller);
        expect(sha256(projection.inline ?? '')).toBe(projection.sha256);
      }
    });
  });

  describe('chat-gateway <- knowledge-rag', () => {
    it('the record of the lookup that an answer stands on', async () => {
      const { view } = await fromLog().find(runs.answer, 'acme');
      const [toolCallId] = [...citedCalls(view)] as ToolCallId[];
      if (toolCallId === undefined) throw new Error('the answer cites nothing');
      const caller = { tenant: 'acme', scopes: new Set(['ask'] as const) };
      const entry = await evidenceOver(NO_ROWS).open(runs.answer, toolCallId, caller);
      expect(entry).toMatchObject({ tool: 'knowledge_lookup', status: 'READY' });
    });
  });

  describe('chat-gateway <- run-projector', () => {
    const row = (name: Name) =>
      waitFor(`the row of ${name}`, async () => {
        const found = await rows.byId(runs[name]);
        return found?.outcome ? found : undefined;
      });

    it.each(names)('a row that shows the run as the log does: %s', async (name) => {
      await row(name);
      const [told, logged] = [
        await readerOver(rows).find(runs[name], 'acme'),
        await fromLog().find(runs[name], 'acme'),
      ];
      expect(told.from).toBe('row');
      expect(told.view).toEqual(JSON.parse(JSON.stringify(logged.view)));
    });

    it('whose run it is, and which request it answers', async () => {
      const Owned = z.object({ tenant: z.literal('acme'), bodyHash: z.string().regex(/^[0-9a-f]{64}$/) });
      expect(Owned.parse(await row('report'))).toBeDefined();
    });

    it('a session’s runs, the newest first, page by page', async () => {
      await Promise.all(names.map(row));
      const first = await rows.list({ tenant: 'acme', sessionId: 'shown', limit: 2 });
      const [, last] = first;
      if (!last) throw new Error('a page of two has two');
      const second = await rows.list({ tenant: 'acme', sessionId: 'shown', limit: 10, before: last });
      expect([...first, ...second].map(({ runId }) => runId)).toEqual(
        names.map((name) => runs[name]).reverse(),
      );
      for (const { view } of [...first, ...second]) expect(() => RunView.parse(view)).not.toThrow();
    });

    it('the archived evidence of a released run, which outlives the log', async () => {
      await row('report');
      const { view } = await fromLog().find(runs.report, 'acme');
      const [toolCallId] = [...citedCalls(view)];
      expect(await rows.evidence(runs.report, toolCallId ?? '')).toMatchObject({ toolCallId });
    });
  });

  describe.each([
    ['evidence-guard'],
    ['semantic-guard'],
    ['agent-runner'],
    ['knowledge-rag'],
    ['harness-orchestrator'],
  ] as const)('the announcement of %s', (service) => {
    it('names the service, its instance, its contract', async () => {
      const registry = await ServiceRegistry.open(system.nc);
      const [announced] = registry.alive(service);
      registry.close();
      expect(announced).toMatchObject({ service, contractVersion: CONTRACT_VERSION });
    });
  });

  describe('chat-gateway <- semantic-guard', () => {
    it('together with evidence-guard’s, an announcement that opens the gate', async () => {
      const registry = await ServiceRegistry.open(system.nc);
      const services = registry.alive();
      registry.close();
      const gate = { contractVersion: CONTRACT_VERSION, ruleSet: RULE_SET };
      expect(guardsProblem(gate, services)).toBeUndefined();
      const without = services.filter(({ service }) => service !== 'semantic-guard');
      expect(guardsProblem(gate, without)).toBeDefined();
      expect(services.find(({ service }) => service === 'semantic-guard')?.judge?.model).toBe(JUDGE);
    });
  });
});
