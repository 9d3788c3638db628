import { z } from 'zod';
import { sha256 } from '@inquest/contracts/canonical-json';
import { caseDecision, isTerminalCaseEvent, type CaseEvent } from '@inquest/contracts/case-decision';
import {
  evaluatorRequested,
  evaluatorResult,
  investigatorRequested,
  investigatorResult,
  type EvaluatorRequested,
  type InvestigatorRequested,
} from '@inquest/contracts/case-facts';
import { evidenceRequested, type EvidenceRequested } from '@inquest/contracts/evidence-facts';
import type { RunId, WorkService } from '@inquest/contracts/ids';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { startScriptedModel, type ScriptedModel } from '@inquest/testing/scripted-model';
import { waitFor } from '@inquest/testing/wait-for';
import { TranscriptFacts } from '../../apps/agent-runner/src/facts/transcript-facts';
import { caseTranscript } from '../../apps/agent-runner/src/investigator/case-transcript';
import { NamedFactsReader } from '../../apps/evidence-guard/src/named-facts';
import { EVALUATOR_PROMPT, PROMPTS } from '../../apps/harness-orchestrator/src/case/prompts';
import { caseTriggerOf } from '../../apps/harness-orchestrator/src/reconcile/case-trigger';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { readCaseEvidence } from '../../apps/semantic-guard/src/evaluator/case-evidence';
import { evaluatorDocument } from '../../apps/semantic-guard/src/evaluator/evaluator-document';
import { SystemInProcess } from './support/system-in-process';

jest.setTimeout(120_000);

// What the services of a case need of each other, through their own readers and with their own rights on the broker. The
// offline analyst plays the models; the first turn, the first pass and the first draft are answered amiss, so that each
// is asked for again.

type Step = { step: string; attempt: number; req: StoredMessage; res: StoredMessage };

const AMISS: [RegExp, (answer: string) => string][] = [
  [/\/t1-[a-z]+0-a1$/, () => 'I shall look at the logs.'],
  [/\/d0001-e0001-p1-a1$/, () => 'It is h1.'],
  // A sound draft but for one member that no draft has.
  [/-final0-a1$/, (draft) => draft.replace('{', '{"mood":"sure",')],
];
const Completion = z.object({ choices: z.array(z.object({ message: z.object({ content: z.string() }) })) });

describe('what the services of a case need', () => {
  let analyst: Analyst;
  let model: ScriptedModel;
  let system: SystemInProcess;
  let caseId: RunId;
  let events: CaseEvent[];

  beforeAll(async () => {
    analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
    model = await startScriptedModel(async ({ key, body }) => {
      const answer = await fetch(`http://127.0.0.1:${analyst.port}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const written = await answer.text();
      const amiss = AMISS.find(([pattern]) => pattern.test(key))?.[1];
      if (amiss === undefined) return { kind: 'RAW', status: answer.status, body: written };
      const [choice] = Completion.parse(JSON.parse(written)).choices;
      return { kind: 'TEXT', text: amiss(choice?.message.content ?? '') };
    });
    system = await SystemInProcess.start({ modelUrl: model.url });
    const response = await system.http('POST', '/v1/cases', {
      question: 'Why are the checkouts failing?',
      source: 'checkout-pool-exhaustion',
    });
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    ({ caseId } = (await response.json()) as { caseId: RunId });
    events = await waitFor(
      'the end of the case',
      async () => {
        const chain = await system.log.readChain(system.subjects(caseId).caseChain);
        const all = chain.flatMap(({ data }) => caseDecision.schema.parse(data).events as CaseEvent[]);
        return all.some(isTerminalCaseEvent) ? all : undefined;
      },
      60_000,
    );
  });
  afterAll(async () => {
    await system?.stop();
    await model?.close();
    await analyst?.stop();
  });

  const steps = async (service: WorkService): Promise<Step[]> =>
    Promise.all(
      events
        .flatMap((event) => (event.type === 'CaseStepRequested' && event.service === service ? [event] : []))
        .map(async ({ step, attempt }) => ({
          step,
          attempt,
          req: await system.message(system.subjects(caseId).req(service, step)),
          res: await system.message(system.subjects(caseId).res(service, step)),
        })),
    );
  const asked = async () =>
    (await steps('investigator')).map(
      ({ req }) => investigatorRequested.schema.parse(req.data) as InvestigatorRequested,
    );
  const passes = async () =>
    (await steps('evaluator')).map(
      ({ req }) => evaluatorRequested.schema.parse(req.data) as EvaluatorRequested,
    );
  /** The orchestrator's own reading of a message: what it would tell its decider. */
  const commandOf = (message: StoredMessage) => {
    const protocol = { prompts: PROMPTS, evaluatorVersion: EVALUATOR_PROMPT };
    const trigger = caseTriggerOf(message, system.log.partitions, protocol);
    if (trigger.kind === 'request') throw new Error('a request is no command');
    return trigger.commandAt(0);
  };
  const expectWorkEnvelope = ({ envelope, data }: StoredMessage) => {
    expect(envelope.deadline).toBe((data as { deadlineAt: string }).deadlineAt);
    expect(Date.parse(envelope.deadline ?? '')).toBeGreaterThan(Date.parse(envelope.time));
    expect(envelope.principal).toBe('acme/ada');
  };

  describe('agent-runner <- harness-orchestrator', () => {
    it('for each turn references from which the whole case can be told, with its own rights', async () => {
      const { log, payloads } = await system.logAs('agent-runner');
      const facts = new TranscriptFacts(log, payloads);
      const all = await steps('investigator');
      for (const { req } of all) {
        expectWorkEnvelope(req);
        const request = investigatorRequested.schema.parse(req.data) as InvestigatorRequested;
        const settled = request.actions.filter(({ state }) => state === 'settled');
        const evidence = await facts.resultsOf(caseId, settled);
        const draft = request.repair && (await facts.finalDraft(caseId, request.repair.draftStep));
        const told = caseTranscript(request, evidence, draft).flatMap((message) =>
          message.role === 'tool' ? [message.tool_call_id] : [],
        );
        expect(told).toEqual(settled.map(({ toolCallId }) => toolCallId));
      }
      expect(Math.max(...(await asked()).map(({ actions }) => actions.length))).toBeGreaterThan(2);
    });

    it('what a turn may do, and whose it is', async () => {
      const [forming, ...later] = await asked();
      expect(forming).toMatchObject({ mode: 'FORM', hypothesisId: null, hypotheses: [], permitted: [] });
      const turns = later.filter(({ mode }) => mode === 'INVESTIGATE');
      expect(turns.length).toBeGreaterThan(2);
      for (const { hypothesisId, hypotheses, permitted } of turns) {
        expect(hypotheses.map(({ id }) => id)).toContain(hypothesisId);
        expect(permitted).toEqual(expect.arrayContaining(['assess', 'conclude', 'reject']));
      }
    });

    it('E4 of a turn that is asked for again what was wrong with its answer, and the version of the first', async () => {
      const [first, second] = (await asked()).filter(({ turn }) => turn === 1);
      expect(first).toMatchObject({ attempt: 1, previousInvalid: null });
      expect(second).toMatchObject({
        attempt: 2,
        previousInvalid: 'NOT_THIS_PROTOCOL',
        hypothesisId: first?.hypothesisId,
        promptVersion: first?.promptVersion,
      });
    });

    it('for a repair the rejected draft, what is wrong with it, and the ids that may be cited', async () => {
      const { log, payloads } = await system.logAs('agent-runner');
      const repair = (await asked()).find(({ mode }) => mode === 'REPAIR')?.repair;
      const draft = await new TranscriptFacts(log, payloads).finalDraft(caseId, repair?.draftStep ?? '');
      expect(draft).toContain('"mood":"sure"');
      expect(repair?.violations.length).toBeGreaterThan(0);
      const settled = events.flatMap((event) => (event.type === 'ActionSettled' ? [event.toolCallId] : []));
      expect([...(repair?.validToolCallIds ?? [])].sort()).toEqual(settled.sort());
    });
  });

  describe('harness-orchestrator <- agent-runner', () => {
    it('hypotheses, turns and drafts as results of the steps that it asked for', async () => {
      const Usage = z.object({ promptTokens: z.number(), completionTokens: z.number() }).nullable();
      const Answer = z.object({ kind: z.string(), record: z.object({ usage: Usage }).nullable() });
      const kinds = (await steps('investigator')).map(({ step, res }) => {
        expect(commandOf(res)).toMatchObject({ type: 'TakeResult', service: 'investigator', step });
        return Answer.parse(res.data).kind;
      });
      expect(kinds[0]).toBe('FORMED');
      expect(kinds.slice(-2)).toEqual(['DRAFT', 'DRAFT']);
      expect(new Set(kinds)).toEqual(new Set(['FORMED', 'TURN', 'DRAFT', 'FAILED']));
    });

    it('research as text that a tool takes as it is', async () => {
      const Research = z.object({
        turn: z.object({
          next: z.object({
            actions: z.array(
              z.object({
                tool: z.string(),
                argumentsText: z.string(),
                expectedIfTrue: z.string().min(1),
                expectedIfFalse: z.string().min(1),
              }),
            ),
          }),
        }),
      });
      const proposed = (await steps('investigator')).flatMap(({ res }) => {
        const read = Research.safeParse(res.data);
        return read.success ? read.data.turn.next.actions : [];
      });
      const asIs = (await steps('tool')).map(
        ({ req }) => (req.data as { argumentsText: string }).argumentsText,
      );
      expect(asIs.length).toBeGreaterThan(2);
      expect(proposed.map(({ argumentsText }) => argumentsText)).toEqual(expect.arrayContaining(asIs));
    });

    it('an answer of another protocol as a failure that it may ask again after', async () => {
      const [first] = (await steps('investigator')).filter(({ step }) => step.startsWith('t1-'));
      expect(investigatorResult.schema.parse(first?.res.data)).toMatchObject({
        kind: 'FAILED',
        failure: 'INVALID_RESPONSE',
      });
    });
  });

  describe('semantic-guard <- harness-orchestrator', () => {
    it('E7 every hypothesis and all evidence, in one order and its reverse, with its own rights', async () => {
      const { log, payloads } = await system.logAs('semantic-guard');
      for (const { req } of await steps('evaluator')) {
        expectWorkEnvelope(req);
        const request = evaluatorRequested.schema.parse(req.data) as EvaluatorRequested;
        const evidence = await readCaseEvidence(log, payloads, caseId, request);
        const { hypotheses, evidence: shown } = evaluatorDocument(request, evidence ?? new Map(), '==b==');
        expect(shown).toHaveLength(request.evidence.length);
        expect(hypotheses.length).toBeGreaterThanOrEqual(2);
      }
      const [one, again, two] = await passes();
      expect([one?.pass, again?.pass, two?.pass]).toEqual([1, 1, 2]);
      expect(two?.hypotheses).toEqual([...(one?.hypotheses ?? [])].reverse());
      expect(two?.evidence).toEqual([...(one?.evidence ?? [])].reverse());
      const settled = new Set(
        events.flatMap((event) => (event.type === 'ActionSettled' ? [event.toolCallId] : [])),
      );
      expect(one?.evidence.every(({ toolCallId }) => settled.has(toolCallId))).toBe(true);
    });

    it('E7 nothing that an author thought of it', async () => {
      const told = JSON.stringify(await passes());
      const reasons = events.flatMap((event) =>
        event.type === 'EarlyDiagnosisRequested' ? [event.reason] : [],
      );
      expect(reasons.length).toBeGreaterThan(0);
      for (const reason of reasons) expect(told).not.toContain(reason);
      expect(told).not.toMatch(/strongly_supported|weakly_supported|contradicted|"confidence"|"findings"/);
    });
  });

  describe('harness-orchestrator <- semantic-guard', () => {
    it('a pass without a valid evaluation as a failure that it may repeat, and one evaluation of each order', async () => {
      const read = (await steps('evaluator')).map(({ step, attempt, res }) => {
        expect(commandOf(res)).toMatchObject({ type: 'TakeResult', service: 'evaluator', step });
        const result = evaluatorResult.schema.parse(res.data);
        return [attempt, result.kind === 'EVALUATED' ? result.pass : result.failure];
      });
      expect(read).toEqual([
        [1, 'INVALID_RESPONSE'],
        [2, 1],
        [1, 2],
      ]);
    });

    it('ratings by the ids that it gave, and quotes of calls that it knows', async () => {
      const Evaluated = z.object({
        evaluation: z.object({
          hypothesisId: z.string().nullable(),
          ratings: z.array(z.object({ hypothesisId: z.string(), confidence: z.string() })),
          directEvidence: z.array(z.object({ toolCallId: z.string() })).min(1),
          countercheck: z.object({ adequate: z.boolean(), toolCallIds: z.array(z.string()) }),
          contradictions: z.array(z.object({ material: z.boolean(), resolved: z.boolean() })),
        }),
      });
      for (const { req, res } of (await steps('evaluator')).slice(1)) {
        const request = evaluatorRequested.schema.parse(req.data) as EvaluatorRequested;
        const { evaluation } = Evaluated.parse(res.data);
        const ids = request.hypotheses.map(({ id }) => id);
        expect(evaluation.ratings.map(({ hypothesisId }) => hypothesisId).sort()).toEqual([...ids].sort());
        const known = request.evidence.map(({ toolCallId }) => toolCallId);
        expect(known).toEqual(
          expect.arrayContaining(evaluation.directEvidence.map(({ toolCallId }) => toolCallId)),
        );
      }
    });
  });

  describe('evidence-guard <- agent-runner', () => {
    it('the final draft of a case as its very text, where the request says that it stands', async () => {
      const { log, payloads } = await system.logAs('evidence-guard');
      const drafts = events.flatMap((event) => (event.type === 'FinalDraftReceived' ? [event.sha256] : []));
      expect(drafts).toHaveLength(2);
      const read = await Promise.all(
        (await steps('evidence')).map(async ({ req }) => {
          const request = evidenceRequested.schema.parse(req.data) as EvidenceRequested;
          expect(request.draftService).toBe('investigator');
          const named = await new NamedFactsReader(log, payloads).read(caseId, request);
          return named.kind === 'FACTS' ? sha256(named.facts.draftText) : named.failure;
        }),
      );
      expect(read).toEqual(drafts);
    });
  });

  describe('harness-orchestrator <- evidence-guard', () => {
    it('H1 what an accepted diagnosis concludes, without its text', async () => {
      const Accepted = z.object({ kind: z.literal('ACCEPTED'), conclusionStatus: z.string() });
      const [rejected, accepted] = await steps('evidence');
      expect(rejected?.res.data).toMatchObject({ kind: 'REJECTED' });
      const { conclusionStatus } = Accepted.parse(accepted?.res.data);
      expect(events.find(({ type }) => type === 'FinalEvidenceAccepted')).toMatchObject({ conclusionStatus });
      expect(events.find(isTerminalCaseEvent)).toMatchObject({ type: 'CaseDiagnosed' });
    });
  });

  describe('agent-runner and semantic-guard <- offline-analyst', () => {
    it('valid answers to every call that reached it', async () => {
      const failed = [...(await steps('investigator')), ...(await steps('evaluator'))].filter(
        ({ res }) => (res.data as { kind: string }).kind === 'FAILED',
      );
      expect(failed.map(({ step }) => step)).toEqual([
        expect.stringMatching(/^t1-.*-a1$/),
        'd0001-e0001-p1-a1',
      ]);
    });
  });
});
