import { stepOf, type RunId, type ToolCallId } from '@inquest/contracts/ids';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import type { RunEvent } from '@inquest/contracts/run-decision';
import { RunView } from '@inquest/contracts/run-view';
import { FAILURE_TEXT } from '@inquest/contracts/safe-texts';
import { foldRun } from './fold-run';

const RUN = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162' as RunId;
const AT = '2024-05-01T10:00:02.000Z';
const HASH = 'a'.repeat(64);
const CALL = 'call_1' as ToolCallId;
const TOOL = stepOf(1, 'tool', 0, 1);

const request: RunRequested = {
  runId: RUN,
  tenant: 'acme',
  principal: 'acme/ada',
  sessionId: 's-1',
  question: 'Why?',
  source: null,
  window: null,
  zone: 'UTC',
  locale: 'en',
  bodyHash: HASH,
  detached: true,
  disconnectGraceMs: 0,
  limits: null,
  knownPositions: [],
  entry: null,
  requestedAt: '2024-05-01T10:00:00.000Z',
};

const requested = (
  service: 'router' | 'agent' | 'tool' | 'evidence' | 'semantic',
  kind: 'router' | 'model' | 'tool' | 'evidence' | 'semantic' | 'repair',
  mode: 'INVESTIGATE' | 'REPAIR' | null = null,
): RunEvent => ({
  type: 'StepRequested',
  service,
  step: stepOf(1, kind, 0, 1),
  kind,
  attempt: 1,
  mode,
  toolCallId: null,
  revision: null,
  deadlineAt: AT,
});
const accepted: RunEvent = {
  type: 'ToolActionAccepted',
  turn: 1,
  index: 0,
  toolCallId: CALL,
  providerId: null,
  tool: 'search_logs',
  service: 'tool',
  step: TOOL,
  argumentsText: '{}',
};
const completed: RunEvent = {
  type: 'ToolInvocationCompleted',
  toolCallId: CALL,
  step: TOOL,
  status: 'READY',
  evidenceStatus: 'NO_EVIDENCE',
  errorClass: null,
  truncated: true,
};
const cancelling: RunEvent = {
  type: 'CancellationRequested',
  cause: 'DISCONNECT',
  outstanding: 2,
  settleBy: AT,
};
const interrupted: RunEvent = { type: 'WorkInterrupted', service: 'tool', step: TOOL, how: 'ABORTED' };
const discarded: RunEvent = {
  type: 'LateResultDiscarded',
  service: 'tool',
  step: TOOL,
  hash: HASH,
  usage: null,
};
const sealed: RunEvent = {
  type: 'OutcomeSealed',
  outcome: { kind: 'FAILED', reason: 'DEADLINE_EXCEEDED' },
};
const ending = { coverage: [], modelCalls: 4, toolCalls: 3, tokens: 99 };

const fold = (...entries: RunEvent[][]) =>
  foldRun(
    request,
    entries.map((events, n) => ({
      seq: 10 + n,
      decision: { n, prevSeq: n === 0 ? 0 : 9 + n, took: [], at: AT, events },
    })),
  );

describe('The fold of a run', () => {
  it.each<[string, RunEvent[], RunView['status']]>([
    ['nothing', [], 'RECEIVED'],
    ['a router request', [requested('router', 'router')], 'ROUTING'],
    ['a turn of the agent', [requested('agent', 'model', 'INVESTIGATE')], 'INVESTIGATING'],
    ['a tool request', [requested('tool', 'tool')], 'INVESTIGATING'],
    ['a request to the evidence guard', [requested('evidence', 'evidence')], 'VALIDATING_EVIDENCE'],
    ['the repair', [requested('agent', 'repair', 'REPAIR')], 'REPAIRING'],
    ['a request to the judge', [requested('semantic', 'semantic')], 'REVIEWING_SEMANTICS'],
    ['a cancellation', [requested('tool', 'tool'), cancelling], 'CANCELLING'],
    ['a seal', [sealed], 'SEALED'],
  ])('after %s is a view with that status', (_, events, status) => {
    const { view } = fold(...events.map((event) => [event]));
    expect(RunView.parse(view)).toMatchObject({ status, outcome: null });
  });

  it('H3 keeps the status of a call apart from what it found', () => {
    expect(fold([accepted]).view.coverage).toEqual([
      { toolCallId: CALL, tool: 'search_logs', status: 'PROJECTING', evidenceStatus: null, truncated: false },
    ]);
    expect(fold([accepted], [completed]).view.coverage).toEqual([
      {
        toolCallId: CALL,
        tool: 'search_logs',
        status: 'READY',
        evidenceStatus: 'NO_EVIDENCE',
        truncated: true,
      },
    ]);
  });

  it('forgets the name of a tool that nobody knows', () => {
    const unknown = { ...completed, status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'UNKNOWN_TOOL' };
    expect(fold([accepted], [unknown as RunEvent]).view.coverage).toMatchObject([{ tool: 'unknown_tool' }]);
  });

  it('counts calls and tokens as they come, and takes the ending’s word at the end', () => {
    const usage = { promptTokens: 5, completionTokens: 2 };
    const spent: RunEvent = {
      type: 'ModelTurnRecorded',
      service: 'agent',
      step: stepOf(1, 'model', 0, 1),
      usage,
    };
    const events = [requested('router', 'router'), requested('agent', 'model'), spent, accepted, completed];
    expect(fold(events).view).toMatchObject({ modelCalls: 2, toolCalls: 1, tokens: 7 });
    const failed: RunEvent = {
      type: 'RunFailed',
      reason: 'DEADLINE_EXCEEDED',
      intent: 'DIAGNOSIS',
      ...ending,
    };
    expect(fold(events, [failed]).view).toMatchObject({
      modelCalls: 4,
      toolCalls: 3,
      tokens: 99,
      intent: 'DIAGNOSIS',
      failure: { reason: 'DEADLINE_EXCEEDED', text: FAILURE_TEXT.DEADLINE_EXCEEDED },
      timings: { endedAt: AT, totalMs: 2_000 },
    });
  });

  it('H8 shows which layers of a cancellation took effect, and loses outside of one in silence', () => {
    expect(fold([interrupted], [discarded]).view.cancellation).toBeNull();
    expect(fold([cancelling], [interrupted, discarded]).view.cancellation).toEqual({
      cause: 'DISCONNECT',
      requestedAt: AT,
      interrupted: [{ step: TOOL, how: 'ABORTED' }],
      discarded: [{ step: TOOL, hash: HASH }],
    });
  });

  it('H8 tells a cancellation that came between seal and end', () => {
    const cancelled: RunEvent = {
      type: 'RunCancelled',
      cause: 'PERSON',
      sealedSeq: 10,
      intent: null,
      ...ending,
    };
    const run = fold([sealed], [cancelled]);
    expect(run).toMatchObject({ sealedSeq: 10, terminalSeq: 11 });
    expect(run.view).toMatchObject({
      status: 'CANCELLED',
      outcome: 'CANCELLED',
      cancellation: { cause: 'PERSON' },
    });
  });

  it('H6 takes every word of a fallback from constants', () => {
    const fellBack: RunEvent = {
      type: 'RunFellBack',
      fallback: 'EVIDENCE_VALIDATION_FAILED',
      intent: 'DIAGNOSIS',
      verifiedSources: [{ toolCallId: CALL, tool: 'search_logs', window: null }],
      ...ending,
    };
    expect(fold([fellBack]).view).toMatchObject({
      status: 'FELL_BACK',
      outcome: 'FALLBACK',
      fallback: { type: 'EVIDENCE_VALIDATION_FAILED', verifiedSources: [] },
    });
  });

  it('says of a knowledge question without an answer that there is none', () => {
    const released: RunEvent = {
      type: 'RunReleased',
      form: 'ANSWER',
      intent: 'KNOWLEDGE_QUERY',
      snapshotHash: null,
      reportHash: null,
      evidenceStep: null,
      ...ending,
    };
    expect(fold([released]).view).toMatchObject({
      outcome: 'SUCCESS',
      answer: { items: [], notFound: expect.any(String) },
    });
  });
});
