import { agentResult, routerResult } from '@inquest/contracts/agent-facts';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import { semanticResult } from '@inquest/contracts/semantic-facts';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { SystemInProcess } from './support/system-in-process';

jest.setTimeout(60_000);

// The one producer that is reached over HTTP. Its consumers know it as any model: what they make of its answers, by the
// results that they then write, is the contract.

describe('what the callers of a model need of offline-analyst', () => {
  let analyst: Analyst;
  let system: SystemInProcess;
  let diagnosis: RunId;
  let knowledge: RunId;

  beforeAll(async () => {
    analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
    system = await SystemInProcess.start({ modelUrl: `http://127.0.0.1:${analyst.port}/v1` });
    const ask = async (question: string) => {
      const { runId } = await system.ask({ question });
      await system.ended(runId);
      return runId;
    };
    diagnosis = await ask('Why is checkout failing?');
    knowledge = await ask('What does the runbook say about connection pool exhaustion?');
  });
  afterAll(async () => {
    await system?.stop();
    await analyst?.stop();
  });

  describe('agent-runner <- offline-analyst', () => {
    it('an intent for each question', async () => {
      const intents = await Promise.all(
        [diagnosis, knowledge].map(async (runId) => {
          const [{ res } = { res: undefined }] = await system.steps(runId, 'router');
          const result = routerResult.schema.parse(res?.data);
          return result.kind === 'ROUTED' ? result.intent : result.failure;
        }),
      );
      expect(intents).toEqual(['DIAGNOSIS', 'KNOWLEDGE_QUERY']);
    });

    it('calls with usable ids and arguments until it writes a draft, and never a failed attempt', async () => {
      const results = (await system.steps(diagnosis, 'agent')).map(({ res }) =>
        agentResult.schema.parse(res.data),
      );
      expect(results.at(-1)?.kind).toBe('DRAFT');
      const proposed = results.flatMap((result) => (result.kind === 'TOOL_CALLS' ? result.calls : []));
      expect(proposed.length).toBeGreaterThan(3);
      expect(proposed.filter(({ toolCallId }) => toolCallId === null)).toEqual([]);
      for (const { argumentsText } of proposed)
        expect(() => JSON.parse(argumentsText) as unknown).not.toThrow();
      expect(results.filter(({ kind }) => kind === 'FAILED')).toEqual([]);
      expect(await system.eventsOf(diagnosis, 'ToolActionRejected')).toEqual([]);
    });

    it('drafts that evidence-guard accepts at once', async () => {
      for (const runId of [diagnosis, knowledge]) {
        const judged = (await system.steps(runId, 'evidence')).map(
          ({ res }) => evidenceResult.schema.parse(res.data).kind,
        );
        expect(judged).toEqual(['ACCEPTED']);
      }
    });
  });

  describe('semantic-guard <- offline-analyst', () => {
    it('a valid verdict over every item in the first attempt, which lets the run be released', async () => {
      for (const runId of [diagnosis, knowledge]) {
        const judged = (await system.steps(runId, 'semantic')).map(({ res }) =>
          semanticResult.schema.parse(res.data),
        );
        expect(judged).toMatchObject([{ kind: 'JUDGED', verdict: 'SUPPORTED', attempt: 1 }]);
        expect(await system.eventsOf(runId, 'RunReleased')).toHaveLength(1);
      }
    });
  });
});
