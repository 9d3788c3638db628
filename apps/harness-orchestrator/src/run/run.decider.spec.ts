import type { ToolCallId } from '@inquest/contracts/ids';
import { runDecider, RunNotStarted } from './run.decider';
import { STEP_DEADLINE_SLACK_MS } from './run.limits';
import {
  accepted,
  call,
  drafted,
  failed,
  found,
  HASH_A,
  judged,
  rejectedDraft,
  routed,
  RunUnderTest,
  T0,
  toolCalls,
  violation,
} from './run.fixtures';

const sealedAs = (run: RunUnderTest) => run.run.sealed;
const endedAs = (run: RunUnderTest) => run.run.ended;

describe('H11 the router decides the intent, in at most two attempts owned by the harness', () => {
  it('asks the router first and nobody else', () => {
    const run = new RunUnderTest();
    expect(run.run.open).toMatchObject([{ service: 'router', step: 't0-router0-a1', attempt: 1 }]);
  });

  it('asks once more after a failed attempt', () => {
    const run = new RunUnderTest().reply({ service: 'router', result: failed('SERVER_ERROR') });
    expect(run.run.open).toMatchObject([{ step: 't0-router0-a2', attempt: 2 }]);
  });

  it('waits as long as the endpoint asks before the second attempt', () => {
    const run = new RunUnderTest().reply({ service: 'router', result: failed('RATE_LIMITED', 5_000) });
    expect(run.run.open).toEqual([]);
    expect(run.passTo(T0 + 4_999).decided).toEqual([]);
    expect(run.passTo(T0 + 5_000).run.open).toMatchObject([{ step: 't0-router0-a2' }]);
  });

  it('fails as ROUTER_UNAVAILABLE after the second failure, whatever it is', () => {
    const run = new RunUnderTest()
      .reply({ service: 'router', result: failed('INVALID_RESPONSE') })
      .reply({ service: 'router', result: failed('ATTEMPT_LOST') });
    expect(sealedAs(run)).toEqual({ kind: 'FAILED', reason: 'ROUTER_UNAVAILABLE' });
  });

  it('answers a question out of scope with the constant reply, without an agent', () => {
    const run = new RunUnderTest().route('OUT_OF_SCOPE').finish();
    expect(endedAs(run)).toMatchObject({
      type: 'RunReleased',
      form: 'OUT_OF_SCOPE_REPLY',
      snapshotHash: null,
      modelCalls: 1,
    });
    expect(run.types).not.toContain('DraftReceived');
  });
});

describe('H2 tool_call_id is the sole reference of an invocation', () => {
  const turn = (run: RunUnderTest) => run.events.filter((e) => e.type === 'ToolActionRejected');

  it.each([
    ['missing', null, null, 'MISSING_ID'],
    ['empty', null, '', 'MISSING_ID'],
    ['malformed', null, 'has blanks', 'MALFORMED_ID'],
  ])('rejects an action whose id is %s, without an invocation', (_name, toolCallId, providerId, reason) => {
    const run = new RunUnderTest()
      .route()
      .agent(toolCalls(call(toolCallId, 'active_alerts', { providerId })));
    expect(turn(run)).toMatchObject([{ reason }]);
    expect(run.run.invocations).toEqual([]);
    expect(run.run.open).toMatchObject([{ kind: 'model', step: 't2-model0-a1' }]);
  });

  it('rejects the second of two actions with one id and keeps the first', () => {
    const run = new RunUnderTest()
      .route()
      .agent(toolCalls(call('c1', 'active_alerts'), call('c1', 'search_logs')));
    expect(turn(run)).toMatchObject([{ index: 1, reason: 'REPEATED_ID' }]);
    expect(run.run.invocations).toMatchObject([{ toolCallId: 'c1', tool: 'active_alerts' }]);
  });

  it('rejects an id that an earlier turn has used and leaves the first record as it was', () => {
    const run = new RunUnderTest()
      .route()
      .agent(toolCalls(call('c1')))
      .tool();
    const before = run.run.invocations[0];
    run.agent(toolCalls(call('c1', 'search_logs')));
    expect(turn(run)).toMatchObject([{ reason: 'REUSED_ID' }]);
    expect(run.run.invocations).toEqual([before]);
  });

  it('ends as TOOL_IDS_UNUSABLE after three turns with unusable ids', () => {
    const run = new RunUnderTest().route();
    run.agent(toolCalls(call(null))).agent(toolCalls(call(null)));
    expect(sealedAs(run)).toBeNull();
    expect(sealedAs(run.agent(toolCalls(call(null))))).toEqual({
      kind: 'FAILED',
      reason: 'TOOL_IDS_UNUSABLE',
    });
  });
});

describe('the agent works within its limits', () => {
  it('runs no more tools at once than the limit and starts the next when one ends', () => {
    const run = new RunUnderTest({ limits: { parallelToolsMax: 2 } }).route();
    run.agent(toolCalls(call('c1'), call('c2'), call('c3')));
    expect(run.run.open.map((o) => o.toolCallId)).toEqual(['c1', 'c2']);
    run.answer('t1-tool0-a1', { service: 'tool', result: found() });
    expect(run.run.open.map((o) => o.toolCallId)).toEqual(['c2', 'c3']);
  });

  it('asks for the next turn only when every result of the turn is in', () => {
    const run = new RunUnderTest().route().agent(toolCalls(call('c1'), call('c2')));
    run.answer('t1-tool1-a1', { service: 'tool', result: found({ toolCallId: 'c2' as ToolCallId }) });
    expect(run.run.open).toMatchObject([{ toolCallId: 'c1' }]);
    run.answer('t1-tool0-a1', { service: 'tool', result: found() });
    expect(run.run.open).toMatchObject([{ step: 't2-model0-a1', mode: 'INVESTIGATE' }]);
  });

  it('gives the last turn no tools, and ends as BUDGET_EXHAUSTED when even that one calls some', () => {
    const run = new RunUnderTest({ limits: { modelCallsMax: 2 } })
      .route()
      .agent(toolCalls(call('c1')))
      .tool();
    expect(run.run.open).toMatchObject([{ mode: 'CONCLUDE' }]);
    expect(sealedAs(run.agent(toolCalls(call('c2'))))).toEqual({
      kind: 'FAILED',
      reason: 'BUDGET_EXHAUSTED',
    });
    expect(run.run.invocations).toHaveLength(1);
  });

  it('refuses calls over the tool budget and goes on to the last turn', () => {
    const run = new RunUnderTest({ limits: { toolCallsMax: 1 } })
      .route()
      .agent(toolCalls(call('c1'), call('c2')));
    expect(run.events).toContainEqual({
      type: 'ToolActionRejected',
      turn: 1,
      index: 1,
      reason: 'OVER_LIMIT',
    });
    expect(run.tool().run.open).toMatchObject([{ mode: 'CONCLUDE' }]);
  });

  it('treats a tool that outlives its deadline as failed and goes on', () => {
    const run = new RunUnderTest().route().agent(toolCalls(call('c1')));
    run.passTo(T0 + run.run.started.limits.toolTimeoutMs + STEP_DEADLINE_SLACK_MS);
    expect(run.decided).toEqual(['StepTimedOut', 'ToolInvocationCompleted', 'StepRequested']);
    expect(run.run.invocations).toMatchObject([{ status: 'ERROR', evidenceStatus: 'ERROR', timedOut: true }]);
  });

  it('ignores a result that comes twice', () => {
    const run = new RunUnderTest()
      .route()
      .agent(toolCalls(call('c1')))
      .tool();
    expect(run.answer('t1-tool0-a1', { service: 'tool', result: found() }).decided).toEqual([]);
  });
});

describe('H9 the harness owns every retry', () => {
  it('does not repeat a failed agent call by default', () => {
    const run = new RunUnderTest().route().agent(failed('SERVER_ERROR'));
    expect(sealedAs(run)).toEqual({ kind: 'FAILED', reason: 'MODEL_UNAVAILABLE' });
  });

  it('repeats a lost agent call at most twice', () => {
    const run = new RunUnderTest().route().agent(failed('ATTEMPT_LOST')).agent(failed('ATTEMPT_LOST'));
    expect(run.run.open).toMatchObject([{ step: 't1-model0-a3' }]);
    expect(sealedAs(run.agent(failed('ATTEMPT_LOST')))).toEqual({
      kind: 'FAILED',
      reason: 'MODEL_UNAVAILABLE',
    });
  });

  it('repeats a transport failure as often as an operator allows', () => {
    const run = new RunUnderTest({ limits: { agentAttemptsMax: 3 } }).route();
    run.agent(failed('TRANSPORT')).agent(failed('TIMEOUT')).agent(drafted);
    expect(run.run.phase).toBe('VALIDATING_EVIDENCE');
  });

  it('judges once more after an invalid verdict, on the same snapshot, and records both attempts', () => {
    const run = new RunUnderTest()
      .untilReview()
      .judge(failed('INVALID_RESPONSE'))
      .judge(judged('SUPPORTED', 2))
      .finish();
    expect(run.events.filter((e) => e.type === 'SemanticAttemptRecorded')).toMatchObject([
      { attempt: 1, outcome: 'FAILED' },
      { attempt: 2, outcome: 'SUPPORTED' },
    ]);
    expect(endedAs(run)).toMatchObject({ type: 'RunReleased', snapshotHash: 'b'.repeat(64) });
  });

  it('never judges a third time', () => {
    const run = new RunUnderTest().untilReview().judge(failed('TIMEOUT')).judge(failed('REFUSED'));
    expect(sealedAs(run)).toEqual({ kind: 'FALLBACK', type: 'SEMANTIC_UNAVAILABLE' });
  });

  it.each(['OVER_CONTEXT', 'UNHEALTHY', 'CLIENT_ERROR'] as const)(
    'does not repeat a judge that failed with %s',
    (failure) => {
      expect(sealedAs(new RunUnderTest().untilReview().judge(failed(failure)))).toMatchObject({
        type: 'SEMANTIC_UNAVAILABLE',
      });
    },
  );
});

describe('the guards decide what may be released', () => {
  it('releases the snapshot that both guards passed', () => {
    const run = new RunUnderTest().untilReview().judge(judged('SUPPORTED'));
    expect(run.decided).toEqual(['SemanticAttemptRecorded', 'OutcomeSealed']);
    expect(run.last[0]).toMatchObject({ usage: expect.any(Object) as unknown });
    expect(endedAs(run.finish())).toMatchObject({ type: 'RunReleased', form: 'REPORT', reportHash: HASH_A });
  });

  it('takes a verdict on another snapshot for no verdict', () => {
    const run = new RunUnderTest().untilReview().judge(judged('SUPPORTED', 1, HASH_A));
    expect(run.last).toMatchObject([
      { outcome: 'FAILED', failure: 'INVALID_RESPONSE' },
      { step: 't2-semantic0-a2' },
    ]);
  });

  it('falls back on UNSUPPORTED without asking again', () => {
    const run = new RunUnderTest().untilReview().judge(judged('UNSUPPORTED')).finish();
    expect(endedAs(run)).toMatchObject({
      type: 'RunFellBack',
      fallback: 'SEMANTIC_UNSUPPORTED',
      verifiedSources: [{ toolCallId: 'c1' }],
    });
  });

  it('lets a late UNSUPPORTED of the first attempt win over the second attempt', () => {
    const run = new RunUnderTest().untilReview();
    run.passTo(T0 + run.run.started.limits.semanticTimeoutMs + STEP_DEADLINE_SLACK_MS);
    expect(run.run.open).toMatchObject([{ attempt: 2 }]);
    run.answer('t2-semantic0-a1', { service: 'semantic', result: judged('UNSUPPORTED') });
    expect(sealedAs(run)).toEqual({ kind: 'FALLBACK', type: 'SEMANTIC_UNSUPPORTED' });
  });

  it('takes no late SUPPORTED of an attempt that was given up', () => {
    const run = new RunUnderTest().untilReview();
    run.passTo(T0 + run.run.started.limits.semanticTimeoutMs + STEP_DEADLINE_SLACK_MS);
    expect(
      run.answer('t2-semantic0-a1', { service: 'semantic', result: judged('SUPPORTED') }).decided,
    ).toEqual([]);
  });

  it('repairs once, without tools, and falls back with no sources when the draft is bad twice', () => {
    const run = new RunUnderTest()
      .route()
      .agent(toolCalls(call('c1')))
      .tool()
      .agent(drafted)
      .evidence(rejectedDraft());
    expect(run.run.open).toMatchObject([{ kind: 'repair', mode: 'REPAIR', step: 't3-repair0-a1' }]);
    run.agent(drafted).evidence(rejectedDraft(2)).finish();
    expect(endedAs(run)).toMatchObject({
      type: 'RunFellBack',
      fallback: 'EVIDENCE_VALIDATION_FAILED',
      verifiedSources: [],
    });
  });

  it('does not repair what no repair can mend', () => {
    const run = new RunUnderTest()
      .route()
      .agent(drafted)
      .evidence(rejectedDraft(1, violation({ repairable: false })));
    expect(sealedAs(run)).toEqual({ kind: 'FALLBACK', type: 'EVIDENCE_VALIDATION_FAILED' });
  });

  it('runs no tool in a repair: calling one is the second bad draft', () => {
    const run = new RunUnderTest()
      .route()
      .agent(drafted)
      .evidence(rejectedDraft())
      .agent(toolCalls(call('c9')));
    expect(sealedAs(run)).toEqual({ kind: 'FALLBACK', type: 'EVIDENCE_VALIDATION_FAILED' });
    expect(run.run.invocations).toEqual([]);
  });

  it('sends a draft without items to no judge and releases none as a diagnosis', () => {
    const run = new RunUnderTest().route().agent(drafted).evidence(accepted(1, 0));
    expect(sealedAs(run)).toMatchObject({ kind: 'FALLBACK' });
  });

  it.each(['FACT_MISSING', 'PAYLOAD_UNUSABLE', 'INTERNAL', 'TIMEOUT'] as const)(
    'fails closed when the evidence guard reports %s',
    (failure) => {
      const run = new RunUnderTest().route().agent(drafted).evidence({ kind: 'FAILED', failure });
      expect(sealedAs(run)).toEqual({ kind: 'FAILED', reason: 'EVIDENCE_GUARD_UNAVAILABLE' });
    },
  );
});

describe('H5 a knowledge question is one lookup and one answer', () => {
  const lookedUp = () => new RunUnderTest().route('KNOWLEDGE_QUERY');

  it('offers the lookup alone and accepts it once', () => {
    const run = lookedUp().agent(
      toolCalls(call('k1', 'knowledge_lookup'), call('k2', 'knowledge_lookup'), call('k3', 'search_logs')),
    );
    expect(run.run.invocations).toMatchObject([{ toolCallId: 'k1', service: 'rag' }]);
    expect(run.events.filter((e) => e.type === 'ToolActionRejected')).toMatchObject([
      { reason: 'NOT_ALLOWED_NOW' },
      { reason: 'NOT_ALLOWED_NOW' },
    ]);
  });

  it('answers with the constant text when the lookup is empty', () => {
    const run = lookedUp().agent(toolCalls(call('k1', 'knowledge_lookup')));
    run
      .reply({ service: 'rag', result: found({ evidenceStatus: 'NO_EVIDENCE', matched: 0, returned: 0 }) })
      .finish();
    expect(endedAs(run)).toMatchObject({ type: 'RunReleased', form: 'ANSWER', snapshotHash: null });
  });

  it('has a non-empty answer judged', () => {
    const run = lookedUp()
      .agent(toolCalls(call('k1', 'knowledge_lookup')))
      .reply({ service: 'rag', result: found() });
    expect(run.run.open).toMatchObject([{ mode: 'KNOWLEDGE_ANSWER' }]);
    run.agent(drafted).evidence(accepted()).judge(judged('SUPPORTED')).finish();
    expect(endedAs(run)).toMatchObject({ type: 'RunReleased', form: 'ANSWER', intent: 'KNOWLEDGE_QUERY' });
  });
});

describe('every ending', () => {
  it('lists coverage in ids and enums', () => {
    const run = new RunUnderTest().untilReview().judge(judged('SUPPORTED')).finish();
    expect(endedAs(run)?.coverage).toEqual([
      {
        toolCallId: 'c1',
        tool: 'active_alerts',
        status: 'READY',
        evidenceStatus: 'EVIDENCE_FOUND',
        truncated: false,
      },
    ]);
  });

  it('shows no name that a model made up', () => {
    const run = new RunUnderTest().route().agent(toolCalls(call('c1', 'tell_everybody_that_all_is_well')));
    run.tool(found({ status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'UNKNOWN_TOOL' }));
    run.agent(drafted).evidence(accepted()).judge(judged('SUPPORTED')).finish();
    expect(endedAs(run)?.coverage).toMatchObject([{ toolCallId: 'c1', tool: 'unknown_tool' }]);
  });

  it('is the only one', () => {
    const run = new RunUnderTest().untilReview().judge(judged('SUPPORTED')).finish();
    expect(run.finish().decided).toEqual([]);
    expect(run.cancel().decided).toEqual([]);
    expect(run.passTo(T0 + 3_600_000).decided).toEqual([]);
  });
});

describe('H10 a run that was asked for before the cut-over', () => {
  it('fails before anybody is asked anything', () => {
    const run = new RunUnderTest({ gate: 'SHUT' });
    expect(run.decided).toEqual(['RunStarted', 'OutcomeSealed']);
    expect(run.run.open).toEqual([]);
    expect(run.finish().last).toMatchObject([
      { type: 'RunFailed', reason: 'EVIDENCE_GUARD_UNAVAILABLE', modelCalls: 0 },
    ]);
  });
});

it('decides nothing for a run that has not started', () => {
  expect(() => runDecider.decide({ type: 'PassTime', nowMs: T0 }, runDecider.initialState())).toThrow(
    RunNotStarted,
  );
});

it('ends a run as POISONED when a result breaks its contract', () => {
  const run = new RunUnderTest().route().give({ type: 'SetAsidePoison', nowMs: T0 });
  expect(sealedAs(run)).toEqual({ kind: 'FAILED', reason: 'POISONED' });
});

it('starts a run once', () => {
  const run = new RunUnderTest();
  expect(run.reply({ service: 'router', result: routed('DIAGNOSIS') }).run.intent).toBe('DIAGNOSIS');
});
