import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { sha256 } from '@inquest/contracts/canonical-json';
import {
  investigatorRequested,
  investigatorResult,
  type InvestigatorRequested,
  type InvestigatorResult,
} from '@inquest/contracts/case-facts';
import type { FactContract } from '@inquest/contracts/define-fact';
import type { RunId } from '@inquest/contracts/ids';
import { cancelRequested } from '@inquest/contracts/inbound-facts';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { runSubjects } from '@inquest/contracts/subjects';
import { ragResult, toolRequested, toolResult } from '@inquest/contracts/tool-facts';
import { connectNats } from '@inquest/event-log/connection';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { RetryLater, type WorkContext } from '@inquest/event-log/work';
import { parseConfig } from '@inquest/service-shell/config';
import { startService, type RunningService } from '@inquest/service-shell/run-service';
import { startGuardedNats, type GuardedNats } from '@inquest/testing/guarded-nats';
import { calls, json, startScriptedModel, text, type ScriptedModel } from '@inquest/testing/scripted-model';
import { waitFor } from '@inquest/testing/wait-for';
import { AgentRunnerModule } from '../agent-runner.module';
import { agentRunnerEnv } from '../config';
import { FINAL_DIAGNOSIS_V1 } from '../prompts/final-diagnosis-v1';
import { INVESTIGATION_PROMPTS } from '../prompts/investigation';
import { InvestigatorController } from './investigator.controller';

const INCIDENT = join(__dirname, '../../../../incidents/checkout-pool-exhaustion');
const STEP = 't2-turn0-a1';
const ASSESS = { findings: [], assessment: null, next: { kind: 'assess' } };

describe('the investigator of agent-runner', () => {
  let nats: GuardedNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let model: ScriptedModel;
  let service: RunningService;
  let cases = 0;

  beforeAll(async () => {
    nats = await startGuardedNats();
    nc = await connectNats({ url: nats.urlFor('test'), service: 'test' });
    await provision(nc, { partitions: 1 });
    log = await NatsEventLog.open(nc);
    model = await startScriptedModel(() => json(ASSESS));
    const config = parseConfig(agentRunnerEnv, {
      NATS_URL: nats.urlFor('agent-runner'),
      LOG_LEVEL: 'error',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      MODEL_ROUTER: 'r',
      MODEL_AGENT: 'a',
      INCIDENT_SOURCES: `shop=${INCIDENT}`,
    });
    service = await startService({ name: 'agent-runner', module: AgentRunnerModule, config });
  });
  afterAll(async () => {
    await service.stop();
    await model.close();
    await nc.close();
    await nats.stop();
  });
  beforeEach(() => model.play(() => json(ASSESS)));

  const newCase = () => `00000000-0000-8000-8000-${String(++cases).padStart(12, '0')}` as RunId;
  const put = async (contract: FactContract, subject: string, data: unknown, source = 'test') => {
    const frame = {
      subject,
      type: contract.type,
      source,
      time: new Date().toISOString(),
      principal: 'acme/alice',
    };
    await log.putIfAbsent(subject, messageOf(frame, contract.schema.parse(data)));
  };
  const deadlineAt = () => new Date(Date.now() + 20_000).toISOString();

  const hypothesis = (id: string) => ({
    id,
    statement: `explanation ${id}`,
    confirmedBy: 'this',
    refutedBy: 'that',
    confidence: 'unassessed',
    account: { state: 'open', budget: 8, reserved: 0, spent: 0 },
  });
  const action = (index: number, over: Record<string, unknown> = {}) => ({
    toolCallId: `tc-1-${index}`,
    hypothesisId: 'h1',
    tool: 'active_alerts',
    argumentsText: '{}',
    expectedIfTrue: 'an alert',
    expectedIfFalse: 'none',
    service: 'tool',
    step: `t1-act${index}-a1`,
    state: 'settled',
    contentHash: null,
    ...over,
  });
  const requestOf = (over: Record<string, unknown> = {}): InvestigatorRequested =>
    investigatorRequested.schema.parse({
      mode: 'INVESTIGATE',
      promptVersion: 'investigation_v3',
      turn: 2,
      attempt: 1,
      question: 'Why is checkout slow?',
      source: 'shop',
      window: null,
      zone: 'UTC',
      asOf: '2025-06-01T12:00:00Z',
      locale: 'en',
      hypothesisId: 'h1',
      hypotheses: [hypothesis('h1'), hypothesis('h2')],
      actions: [],
      findings: [],
      declined: [],
      leading: null,
      permitted: ['research', 'assess', 'conclude', 'reject'],
      hypothesesMax: 5,
      actionsLeft: 8,
      actionsPerTurnMax: 3,
      previousInvalid: null,
      repair: null,
      draftBytesMax: 131_072,
      deadlineAt: deadlineAt(),
      ...over,
    }) as InvestigatorRequested;
  const request = (caseId: RunId, over: Record<string, unknown> = {}, step = STEP) =>
    put(investigatorRequested, runSubjects(caseId, 1).req('investigator', step), requestOf(over));
  const answered = async (caseId: RunId, step = STEP): Promise<InvestigatorResult> => {
    const subject = runSubjects(caseId, 1).res('investigator', step);
    const message = await waitFor(subject, () => log.readLast(subject, 'leader'));
    expect(message.envelope).toMatchObject({
      source: 'agent-runner',
      type: investigatorResult.type,
      principal: 'acme/alice',
      causationId: subject.replace('.res.', '.req.'),
    });
    return investigatorResult.schema.parse(message.data) as InvestigatorResult;
  };
  const ask = async (caseId: RunId, over: Record<string, unknown> = {}, step = STEP) => {
    await request(caseId, over, step);
    return answered(caseId, step);
  };
  const callsOf = (caseId: RunId, step = STEP) => model.counts.get(`${caseId}/${step}`) ?? 0;
  const lastBody = () => model.requests.at(-1)!.body;
  const documents = () =>
    lastBody().messages.flatMap(({ role, content }) =>
      role === 'user' ? [JSON.parse(content ?? '') as Record<string, unknown>] : [],
    );
  const run = async (caseId: RunId, over: Record<string, unknown> = {}): Promise<LedgerEntry> => {
    const subjects = runSubjects(caseId, 1);
    await put(toolRequested, subjects.req('tool', 't1-act0-a1'), {
      toolCallId: 'tc-1-0',
      providerId: null,
      tool: 'active_alerts',
      argumentsText: '{}',
      source: 'shop',
      asOf: '2025-06-01T12:00:00Z',
      projectionBytesMax: 32_768,
      deadlineAt: deadlineAt(),
      ...over,
    });
    const subject = subjects.res('tool', 't1-act0-a1');
    const message = await waitFor(subject, () => log.readLast(subject, 'leader'));
    return toolResult.schema.parse(message.data) as LedgerEntry;
  };

  it('forms hypotheses with one request under the version that it was given', async () => {
    const caseId = newCase();
    const hypotheses = [1, 2].map((n) => ({ statement: `s${n}`, confirmedBy: 'c', refutedBy: 'r' }));
    model.play(() => json({ hypotheses }));
    const over = {
      mode: 'FORM',
      promptVersion: 'investigation_project_v4',
      hypothesisId: null,
      hypotheses: [],
    };
    expect(await ask(caseId, over, 't0-form0-a1')).toMatchObject({
      kind: 'FORMED',
      hypotheses,
      record: { model: 'a' },
    });
    expect(callsOf(caseId, 't0-form0-a1')).toBe(1);
    expect(lastBody().messages[0]?.content).toBe(INVESTIGATION_PROMPTS.investigation_project_v4.text);
    expect(lastBody()).toMatchObject({
      tool_choice: 'none',
      response_format: { json_schema: { name: 'hypotheses' } },
    });
    expect(documents().map(({ kind }) => kind)).toEqual(['case', 'investigate']);
  });

  it('shows the evidence of tools and lookups as runs do, and nothing of an action that has not returned', async () => {
    const caseId = newCase();
    const entry = await run(caseId);
    const projection = JSON.stringify({ tool: 'knowledge_lookup', documents: [] });
    await put(
      ragResult,
      runSubjects(caseId, 1).res('rag', 't1-act1-a1'),
      {
        ...entry,
        toolCallId: 'tc-1-1',
        tool: 'knowledge_lookup',
        projection: { inline: projection, sha256: sha256(projection), bytes: projection.length },
      },
      'knowledge-rag',
    );
    const actions = [
      action(0),
      action(1, { service: 'rag', tool: 'knowledge_lookup', argumentsText: '{"query":"pool"}' }),
      action(2, { state: 'reserved' }),
    ];
    model.play(() =>
      json({
        findings: [
          {
            text: 'An alert fires.',
            toolCallIds: ['tc-1-0'],
            cells: [{ hypothesisId: 'h1', cell: 'consistent' }],
          },
        ],
        assessment: { confidence: 'supported', text: 'It fires.' },
        next: {
          kind: 'research',
          actions: [
            {
              tool: 'search_logs',
              arguments: { service: 'checkout', limit: 3 },
              expectedIfTrue: 'errors',
              expectedIfFalse: 'none',
            },
          ],
        },
      }),
    );
    expect(await ask(caseId, { actions })).toMatchObject({
      kind: 'TURN',
      turn: {
        findings: [{ toolCallIds: ['tc-1-0'] }],
        next: { kind: 'research', actions: [{ argumentsText: '{"limit":3,"service":"checkout"}' }] },
      },
    });
    const { messages } = lastBody();
    expect(messages.map(({ role }) => role)).toEqual(
      ['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user'], // prettier-ignore
    );
    expect(messages[4]?.tool_calls).toEqual([
      {
        id: 'tc-1-1',
        type: 'function',
        function: { name: 'knowledge_lookup', arguments: '{"query":"pool"}' },
      },
    ]);
    const told = JSON.parse(messages[3]?.content ?? '') as { meta: unknown; projection: string };
    expect(told.meta).toMatchObject({ toolCallId: 'tc-1-0', tool: 'active_alerts', status: 'READY' });
    expect(sha256(told.projection)).toBe(entry.projection.sha256);
    expect(documents()[0]?.['actions']).toMatchObject([{}, {}, { toolCallId: 'tc-1-2', state: 'reserved' }]);
    expect(lastBody().tools?.map((tool) => tool.function.name)).toContain('query_metric');
  });

  it('writes the final diagnosis and its repair under the frozen drafting rules', async () => {
    const caseId = newCase();
    model.play(() => text('```json\n{"bad":1}\n```'));
    const final = { mode: 'DIAGNOSE', hypothesisId: null, leading: 'h2', permitted: [] };
    expect(await ask(caseId, final, 't3-final0-a1')).toMatchObject({
      kind: 'DRAFT',
      draft: { inline: '{"bad":1}' },
    });
    expect(lastBody().messages[0]?.content).toBe(FINAL_DIAGNOSIS_V1.text);
    expect(documents().at(-1)).toEqual({
      kind: 'conclude',
      leading: { id: 'h2', statement: 'explanation h2' },
    });
    const violations = [
      {
        ruleId: '1 SCHEMA',
        analysisId: null,
        path: '/bad',
        toolCallId: null,
        message: 'unknown key',
        repairable: true,
        candidates: [],
      },
    ];
    const repair = { draftStep: 't3-final0-a1', violations, validToolCallIds: ['tc-1-0'] };
    await ask(caseId, { ...final, mode: 'REPAIR', repair }, 't3-refine0-a1');
    expect(documents().at(-1)).toEqual({
      kind: 'repair',
      draft: '{"bad":1}',
      violations,
      validToolCallIds: ['tc-1-0'],
    });
    expect(lastBody().tool_choice).toBe('none');
  });

  it('E11 a pending call of an old version is asked, and its answer read, under that version', async () => {
    const early = {
      ...ASSESS,
      next: { kind: 'request_diagnosis', reason: 'r', countercheck_refs: ['f1-0'] },
    };
    model.play(() => json(early));
    expect(await ask(newCase(), { promptVersion: 'investigation_v1' })).toMatchObject({
      kind: 'FAILED',
      failure: 'INVALID_RESPONSE',
    });
    expect(lastBody().messages[0]?.content).toBe(INVESTIGATION_PROMPTS.investigation_v1.text);
    expect(JSON.stringify(lastBody().response_format)).not.toContain('request_diagnosis');
    expect(await ask(newCase(), { promptVersion: 'investigation_v2' })).toMatchObject({
      kind: 'TURN',
      turn: { next: { countercheckRefs: ['f1-0'] } },
    });
  });

  it.each([
    ['prose', text('It is the database.'), 'INVALID_RESPONSE'],
    ['a call of a tool', calls({ id: 'x', name: 'active_alerts', arguments: '{}' }), 'INVALID_RESPONSE'],
    [
      'a number that nobody can write down again',
      text(
        '{"findings":[],"assessment":null,"next":{"kind":"research","actions":[{"tool":"x","arguments":{"a":1e999},"expectedIfTrue":"a","expectedIfFalse":"b"}]}}',
      ),
      'INVALID_RESPONSE',
    ],
    ['half an answer', { kind: 'TEXT', text: '{"findings":[', finishReason: 'length' }, 'LENGTH'],
    ['an error of the endpoint', { kind: 'RAW', status: 500, body: '{}' }, 'SERVER_ERROR'],
  ] as const)('H9 %s is one recorded attempt of one request', async (_, reply, failure) => {
    const caseId = newCase();
    model.play(() => reply as ReturnType<typeof text>);
    expect(await ask(caseId)).toMatchObject({ kind: 'FAILED', failure, record: { model: 'a' } });
    expect(callsOf(caseId)).toBe(1);
  });

  it('a redelivery repeats no call, neither after a turn nor after a failure', async () => {
    const context: WorkContext = {
      signal: new AbortController().signal,
      deliveryCount: 2,
      fresh: false,
      retryLater: (delayMs) => {
        throw new RetryLater(delayMs);
      },
    };
    const controller = service.app.get(InvestigatorController);
    for (const reply of [json(ASSESS), text('no turn')]) {
      const caseId = newCase();
      model.play(() => reply);
      const first = await ask(caseId);
      const message = (await log.readLast(runSubjects(caseId, 1).req('investigator', STEP), 'leader'))!;
      model.play(() => json({ ...ASSESS, next: { kind: 'conclude' } }));
      await controller.onInvestigatorRequested(message, context);
      // Even a delivery that claims to be the first meets the lease.
      await controller.onInvestigatorRequested(message, { ...context, deliveryCount: 1 });
      expect(await answered(caseId)).toEqual(first);
      expect(callsOf(caseId)).toBe(1);
    }
  });

  it('H8 a cancelled case starts no call', async () => {
    const caseId = newCase();
    await put(cancelRequested, runSubjects(caseId, 1).in('cancel'), {
      cause: 'PERSON',
      principal: 'acme/alice',
      requestedAt: new Date().toISOString(),
    });
    expect(await ask(caseId)).toMatchObject({ kind: 'FAILED', failure: 'NOT_STARTED', record: null });
    expect(callsOf(caseId)).toBe(0);
  });

  it('a hanging endpoint is a TIMEOUT at the deadline of the step, after one request', async () => {
    const caseId = newCase();
    model.play(() => ({ kind: 'HANG_BODY' }));
    expect(await ask(caseId, { deadlineAt: new Date(Date.now() + 300).toISOString() })).toMatchObject({
      failure: 'TIMEOUT',
    });
    expect(callsOf(caseId)).toBe(1);
  });
});
