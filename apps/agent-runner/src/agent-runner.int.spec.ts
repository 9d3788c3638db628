import { join } from 'node:path';
import type { NatsConnection } from '@nats-io/transport-node';
import { sha256 } from '@inquest/contracts/canonical-json';
import type { FactContract } from '@inquest/contracts/define-fact';
import type { RunId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import {
  agentRequested,
  agentResult,
  routerRequested,
  routerResult,
  type AgentRequested,
  type AgentResult,
  type RouterResult,
} from '@inquest/contracts/agent-facts';
import { cancelRequested } from '@inquest/contracts/inbound-facts';
import { ragResult, toolRequested, toolResult } from '@inquest/contracts/tool-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { parseConfig } from '@inquest/service-shell/config';
import { startService, type RunningService } from '@inquest/service-shell/run-service';
import { startGuardedNats, type GuardedNats } from '@inquest/testing/guarded-nats';
import { calls, json, startScriptedModel, text, type ScriptedModel } from '@inquest/testing/scripted-model';
import { scriptedRun } from '@inquest/testing/scripted-run';
import { waitFor } from '@inquest/testing/wait-for';
import { AgentRunnerModule } from './agent-runner.module';
import { agentRunnerEnv } from './config';

const INCIDENT = join(__dirname, '../../../incidents/checkout-pool-exhaustion');

describe('agent-runner', () => {
  let nats: GuardedNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let model: ScriptedModel;
  let service: RunningService;
  let runs = 0;

  beforeAll(async () => {
    nats = await startGuardedNats();
    nc = await connectNats({ url: nats.urlFor('test'), service: 'test' });
    await provision(nc, { partitions: 1 });
    log = await NatsEventLog.open(nc);
    model = await startScriptedModel(scriptedRun());
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
  beforeEach(() => model.play(scriptedRun()));

  const newRun = () => `00000000-0000-8000-8000-${String(++runs).padStart(12, '0')}` as RunId;
  const put = async (contract: FactContract, subject: string, data: unknown): Promise<void> => {
    const frame = {
      subject,
      type: contract.type,
      source: 'test',
      time: new Date().toISOString(),
      principal: 'acme/alice',
    };
    await log.putIfAbsent(subject, messageOf(frame, contract.schema.parse(data)));
  };
  const result = async <T>(contract: FactContract, subject: string): Promise<T> => {
    const message = await waitFor(subject, () => log.readLast(subject, 'leader'));
    expect(message.envelope).toMatchObject({
      source: 'agent-runner',
      type: contract.type,
      principal: 'acme/alice',
    });
    expect(message.envelope.causationId).toBe(subject.replace('.res.', '.req.'));
    return contract.schema.parse(message.data) as T;
  };
  const deadlineAt = () => new Date(Date.now() + 20_000).toISOString();

  const route = async (runId: RunId): Promise<RouterResult> => {
    const run = runSubjects(runId, 1);
    await put(routerRequested, run.req('router', 't0-router0-a1'), {
      question: 'Why is checkout slow?',
      attempt: 1,
      deadlineAt: deadlineAt(),
    });
    return result(routerResult, run.res('router', 't0-router0-a1'));
  };
  const agentStep = (turn: number) => `t${turn}-model0-a1`;
  const ask = async (runId: RunId, over: Partial<AgentRequested> = {}): Promise<AgentResult> => {
    const run = runSubjects(runId, 1);
    const request = {
      intent: 'DIAGNOSIS',
      mode: 'INVESTIGATE',
      turn: 1,
      attempt: 1,
      question: 'Why is checkout slow?',
      source: 'shop',
      window: null,
      zone: 'UTC',
      asOf: '2025-06-01T12:00:00Z',
      locale: 'en',
      idMode: 'strict',
      history: [],
      previousRun: null,
      repair: null,
      toolCallsLeft: 40,
      callsPerResponseMax: 16,
      draftBytesMax: 131_072,
      deadlineAt: deadlineAt(),
      ...over,
    };
    const step = agentStep(request.turn);
    await put(agentRequested, run.req('agent', step), request);
    return result(agentResult, run.res('agent', step));
  };
  const call = async (runId: RunId, step: string, over: Record<string, unknown>): Promise<LedgerEntry> => {
    const run = runSubjects(runId, 1);
    const request = {
      toolCallId: 'call_1_0',
      providerId: 'call_1_0',
      tool: 'active_alerts',
      argumentsText: '{}',
      source: 'shop',
      asOf: '2025-06-01T12:00:00Z',
      projectionBytesMax: 32_768,
      deadlineAt: deadlineAt(),
      ...over,
    };
    await put(toolRequested, run.req('tool', step), request);
    return result(toolResult, run.res('tool', step));
  };
  const cancel = (runId: RunId) =>
    put(cancelRequested, runSubjects(runId, 1).in('cancel'), {
      cause: 'PERSON',
      principal: 'acme/alice',
      requestedAt: new Date().toISOString(),
    });
  const lastBody = () => model.requests.at(-1)!.body;
  const expectCalls = (reply: AgentResult) => {
    if (reply.kind !== 'TOOL_CALLS') throw new Error(JSON.stringify(reply));
    return reply.calls;
  };

  it('routes a question with one request', async () => {
    const runId = newRun();
    expect(await route(runId)).toMatchObject({ kind: 'ROUTED', intent: 'DIAGNOSIS', record: { model: 'r' } });
    expect(model.counts.get(`${runId}/t0-router0-a1`)).toBe(1);
  });

  it.each(['It is a DIAGNOSIS.', '{"intent":"MAYBE"}', '{"intent":"DIAGNOSIS","why":"x"}', '["DIAGNOSIS"]'])(
    'H11 an intent is never guessed: %s',
    async (answer) => {
      model.play(() => text(answer));
      expect(await route(newRun())).toMatchObject({
        kind: 'FAILED',
        failure: 'INVALID_RESPONSE',
        record: { model: 'r' },
      });
    },
  );

  it('plays a whole investigation: parallel calls, their results in the transcript, a draft', async () => {
    const runId = newRun();
    const proposed = expectCalls(await ask(runId));
    expect(proposed.map(({ name }) => name)).toEqual(['active_alerts', 'list_objects', 'search_logs']);
    const entries = await Promise.all(
      proposed.map(({ toolCallId, providerId, name, argumentsText }, i) =>
        call(runId, `t1-tool${i}-a1`, { toolCallId, providerId, tool: name, argumentsText }),
      ),
    );
    const history = [
      {
        turn: 1,
        replyStep: agentStep(1),
        calls: proposed.map(({ toolCallId }, i) => ({
          toolCallId,
          service: 'tool',
          step: `t1-tool${i}-a1`,
          timedOut: i === 2,
        })),
        rejected: [{ index: 3, reason: 'MISSING_ID' }],
      },
    ] as AgentRequested['history'];
    const reply = await ask(runId, { turn: 2, history });
    expect(reply).toMatchObject({ kind: 'DRAFT' });

    const { messages, tools, tool_choice: choice } = lastBody();
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'tool',
      'user',
    ]);
    expect(messages[2]?.tool_calls?.map(({ id }) => id)).toEqual(
      proposed.map(({ toolCallId }) => toolCallId),
    );
    // 13: every tool message names its call.
    expect(messages.slice(3, 6).map((m) => m.tool_call_id)).toEqual(
      proposed.map(({ toolCallId }) => toolCallId),
    );
    const [first, , timedOut] = messages
      .slice(3, 6)
      .map(({ content }) => JSON.parse(content ?? '') as { projection: string | null; meta: object });
    expect(sha256(first?.projection ?? '')).toBe(entries[0]?.projection.sha256);
    expect(timedOut).toMatchObject({
      projection: null,
      meta: { status: 'ERROR', errorClass: 'STEP_TIMED_OUT' },
    });
    expect(JSON.parse(messages[6]?.content ?? '')).toEqual({
      kind: 'rejected',
      actions: [{ index: 3, reason: 'MISSING_ID' }],
    });
    expect(choice).toBe('auto');
    expect(tools?.map((tool) => tool.function.name)).toEqual(
      expect.arrayContaining(['query_metric', 'knowledge_lookup']),
    );
  });

  it('a turn of rejected actions alone leaves no empty assistant message', async () => {
    const runId = newRun();
    model.play(() => calls({ name: 'active_alerts', arguments: '{}' }));
    expect(expectCalls(await ask(runId))).toEqual([expect.objectContaining({ toolCallId: null })]);
    model.play(() => text('{}'));
    await ask(runId, {
      turn: 2,
      history: [
        { turn: 1, replyStep: agentStep(1), calls: [], rejected: [{ index: 0, reason: 'MISSING_ID' }] },
      ] as never,
    });
    expect(lastBody().messages.map(({ role }) => role)).toEqual(['system', 'user', 'user']);
  });

  it.each([
    ['CONCLUDE', 'none', 'conclude'],
    ['INVESTIGATE', 'auto', 'question'],
  ] as const)('%s sends tool_choice %s', async (mode, choice, last) => {
    model.play(() => json({ draft: true }));
    await ask(newRun(), { mode });
    expect(lastBody().tool_choice).toBe(choice);
    expect(JSON.parse(lastBody().messages.at(-1)?.content ?? '')).toMatchObject({ kind: last });
    expect(lastBody().response_format).toMatchObject({ json_schema: { name: 'diagnosis_draft' } });
  });

  it('H5 forces the one lookup of a knowledge query and takes its result from knowledge-rag', async () => {
    const runId = newRun();
    const over = { intent: 'KNOWLEDGE_QUERY', source: null } as const;
    expect(
      expectCalls(await ask(runId, { ...over, mode: 'KNOWLEDGE_LOOKUP' })).map(({ name }) => name),
    ).toEqual(['knowledge_lookup']);
    expect(lastBody().tool_choice).toEqual({ type: 'function', function: { name: 'knowledge_lookup' } });
    expect(lastBody().tools).toHaveLength(1);
    const projection = JSON.stringify({ tool: 'knowledge_lookup', documents: [{ id: 'rb-x#y', text: 'z' }] });
    const entry = {
      ...(await call(runId, 't9-tool0-a1', {})),
      tool: 'knowledge_lookup',
      projection: { inline: projection, sha256: sha256(projection), bytes: projection.length },
    };
    const subject = runSubjects(runId, 1).res('rag', 't1-tool0-a1');
    await log.putIfAbsent(
      subject,
      messageOf(
        { subject, type: ragResult.type, source: 'knowledge-rag', time: new Date().toISOString() },
        entry,
      ),
    );
    const history = [
      {
        turn: 1,
        replyStep: agentStep(1),
        calls: [{ toolCallId: 'call_1_0', service: 'rag', step: 't1-tool0-a1', timedOut: false }],
        rejected: [],
      },
    ] as never;
    const reply = await ask(runId, { ...over, mode: 'KNOWLEDGE_ANSWER', turn: 2, history });
    expect(reply.kind === 'DRAFT' && JSON.parse(reply.draft.inline ?? '')).toMatchObject({
      items: [{ documentIds: ['rb-x#y'] }],
    });
  });

  it('a repair gets the previous draft, the violations and the valid ids', async () => {
    const runId = newRun();
    model.play(() => text('```json\n{"bad":1}\n```'));
    const first = await ask(runId);
    expect(first).toMatchObject({ kind: 'DRAFT', draft: { inline: '{"bad":1}' } });
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
    await ask(runId, {
      turn: 2,
      mode: 'REPAIR',
      repair: { draftStep: agentStep(1) as never, violations, validToolCallIds: ['call_1_0' as never] },
    });
    expect(lastBody().tool_choice).toBe('none');
    expect(JSON.parse(lastBody().messages.at(-1)?.content ?? '')).toEqual({
      kind: 'repair',
      draft: '{"bad":1}',
      violations,
      validToolCallIds: ['call_1_0'],
    });
  });

  it('prose is a draft for the guard to refuse, a draft over its bound is none', async () => {
    model.play(() => text('I shall look at the logs next.'));
    expect(await ask(newRun())).toMatchObject({
      kind: 'DRAFT',
      draft: { inline: 'I shall look at the logs next.' },
    });
    expect(await ask(newRun(), { draftBytesMax: 10 })).toMatchObject({ kind: 'FAILED', failure: 'LENGTH' });
  });

  it('H2 minted ids are a function of turn and index', async () => {
    model.play(() =>
      calls(
        { id: 'x', name: 'active_alerts', arguments: '{}' },
        { id: 'y', name: 'active_alerts', arguments: '{}' },
      ),
    );
    const found = expectCalls(await ask(newRun(), { idMode: 'mint', turn: 4 }));
    expect(found.map(({ toolCallId, providerId }) => [toolCallId, providerId])).toEqual([
      ['tc-4-0', 'x'],
      ['tc-4-1', 'y'],
    ]);
  });

  it.each([
    ['an unknown tool', { tool: 'delete_everything' }, 'UNKNOWN_TOOL'],
    ['arguments that are no JSON', { argumentsText: '{"a":' }, 'BAD_ARGUMENTS'],
    ['an unknown source', { source: 'elsewhere' }, 'UNKNOWN_SOURCE'],
    ['a source that is a path', { source: '/etc' }, 'UNKNOWN_SOURCE'],
  ])('%s is a typed result', async (_, over, errorClass) => {
    expect(await call(newRun(), 't1-tool0-a1', over)).toMatchObject({
      status: 'ERROR',
      evidenceStatus: 'ERROR',
      errorClass,
    });
  });

  describe('H8 a cancelled run', () => {
    it('starts neither a model call nor a tool call', async () => {
      const runId = newRun();
      await cancel(runId);
      expect(await ask(runId)).toEqual({
        kind: 'FAILED',
        failure: 'NOT_STARTED',
        retryAfterMs: null,
        record: null,
      });
      expect(await route(runId)).toMatchObject({ failure: 'NOT_STARTED' });
      expect(await call(runId, 't1-tool0-a1', {})).toMatchObject({
        status: 'ERROR',
        errorClass: 'NOT_STARTED',
      });
      expect([...model.counts.keys()].filter((key) => key.startsWith(runId))).toEqual([]);
    });

    it('interrupts a model call under way', async () => {
      const runId = newRun();
      model.play(() => ({ kind: 'HANG_HEADERS' }));
      const reply = ask(runId);
      await waitFor('the call', () => model.counts.get(`${runId}/${agentStep(1)}`));
      await cancel(runId);
      expect(await reply).toMatchObject({ kind: 'FAILED', failure: 'ABORTED' });
    });
  });

  it('H9 the deadline of a step ends a hanging call as TIMEOUT after one request', async () => {
    const runId = newRun();
    model.play(() => ({ kind: 'HANG_BODY' }));
    expect(await ask(runId, { deadlineAt: new Date(Date.now() + 300).toISOString() })).toMatchObject({
      failure: 'TIMEOUT',
      record: { model: 'a' },
    });
    expect(model.counts.get(`${runId}/${agentStep(1)}`)).toBe(1);
  });
});
