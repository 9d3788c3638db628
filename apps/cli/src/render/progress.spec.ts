import type { RunFrame } from '@inquest/contracts/run-frame';
import type { RunId } from '@inquest/contracts/ids';
import { NO_PROGRESS, advance, drawLine } from './progress';
import { PLAIN } from './style';

describe('live progress', () => {
  it('tells the story of a run: router, each tool call with both statuses, draft, verdicts, release', () => {
    expect(
      story(
        frame('run.started', 0, { deadlineAt: at(60_000), modelCallsMax: 12, toolCallsMax: 24 }),
        requested('router', 't0-router0-a1', 10),
        frame('intent.decided', 200, { intent: 'DIAGNOSIS' }),
        frame('tool.accepted', 400, { toolCallId: 'call_1', tool: 'search_logs', step: 't1-tool0-a1' }),
        requested('tool', 't1-tool0-a1', 410, 'call_1'),
        completed('call_1', 1_310, { evidenceStatus: 'EVIDENCE_FOUND', truncated: true }),
        frame('draft.received', 2_000, { revision: 1, bytes: 4_300 }),
        frame('evidence.rejected', 2_100, { revision: 1, rules: ['unknown-source', 'value-mismatch'] }),
        frame('draft.received', 3_000, { revision: 2, bytes: 4_096 }),
        frame('evidence.accepted', 3_100, { revision: 2, items: 7, verifiedSources: 1 }),
        frame('semantic.judged', 3_500, { attempt: 1, outcome: 'SUPPORTED', failure: null }),
        frame('outcome.sealed', 3_600, {}),
        frame('run.released', 3_700, { intent: 'DIAGNOSIS', modelCalls: 5, toolCalls: 1 }),
      ),
    ).toEqual([
      '  0.2 s  ✓ router               DIAGNOSIS',
      '  1.3 s  ✓ search_logs          READY EVIDENCE_FOUND call_1  0.9 s  truncated',
      '  2.0 s  ✓ draft                revision 1, 4.2 KiB',
      '  2.1 s  ✗ evidence guard       REJECTED  draft 1: rules unknown-source, value-mismatch',
      '  3.0 s  ✓ draft                revision 2, 4.0 KiB',
      '  3.1 s  ✓ evidence guard       ACCEPTED  draft 2: 7 statements on 1 source',
      '  3.5 s  ✓ semantic guard       SUPPORTED',
      '  3.7 s  ✓ released             DIAGNOSIS, 5 model calls, 1 tool call',
    ]);
  });

  it('keeps success without a match apart from an error', () => {
    expect(
      story(
        frame('tool.accepted', 0, { toolCallId: 'c1', tool: 'active_alerts', step: 's1' }),
        completed('c1', 10, { evidenceStatus: 'NO_EVIDENCE' }),
        completed('c1', 20, { status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'TIMEOUT' }),
      ),
    ).toEqual([
      '  0.0 s  ! active_alerts        READY NO_EVIDENCE    c1',
      '  0.0 s  ✗ active_alerts        ERROR ERROR          c1  TIMEOUT',
    ]);
  });

  it('shows which layer of a cancellation took effect', () => {
    expect(
      story(
        frame('cancel.requested', 0, { cause: 'PERSON', outstanding: 2 }),
        frame('cancel.interrupted', 5, { service: 'agent', step: 's', how: 'ABORTED' }),
        frame('cancel.interrupted', 5, { service: 'tool', step: 's', how: 'NOT_STARTED' }),
        frame('cancel.discarded', 9, { service: 'agent', step: 's' }),
        frame('run.cancelled', 20, { cause: 'PERSON', modelCalls: 1, toolCalls: 0 }),
      ).map((line) => line.slice(9)),
    ).toEqual([
      '! cancellation         requested (PERSON), 2 steps outstanding',
      '! cancellation         agent was interrupted',
      '! cancellation         tool was not started',
      '! cancellation         late result of agent discarded',
      '✗ cancelled            PERSON, 1 model call, 0 tool calls',
    ]);
  });

  it('knows what is being waited for', () => {
    const waiting = (...frames: RunFrame[]) =>
      frames.reduce((p, f) => advance(p, f).progress, NO_PROGRESS).waitingFor;
    expect(waiting(requested('router', 's', 0))).toBe('the router');
    expect(waiting(requested('agent', 's', 0), requested('agent', 's', 1))).toBe('the agent, turn 2');
    expect(
      waiting(
        frame('tool.accepted', 0, { toolCallId: 'c', tool: 'query_metric', step: 's' }),
        requested('tool', 's', 1, 'c'),
      ),
    ).toBe('query_metric');
    expect(waiting(requested('semantic', 's', 0))).toBe('the semantic guard');
  });

  it('ends with a terminal frame only', () => {
    expect(advance(NO_PROGRESS, frame('outcome.sealed', 0, {})).progress.ended).toBe(false);
    const failed = frame('run.failed', 0, { reason: 'MODEL_UNAVAILABLE', modelCalls: 1, toolCalls: 0 });
    expect(advance(NO_PROGRESS, failed).progress.ended).toBe(true);
  });
});

const T0 = Date.parse('2026-05-04T09:00:00Z');
const at = (ms: number): string => new Date(T0 + ms).toISOString();

const frame = <Type extends RunFrame['type']>(
  type: Type,
  ms: number,
  more: Omit<Extract<RunFrame, { type: Type }>, 'type' | 'runId' | 'at'>,
): RunFrame =>
  ({ type, runId: '6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b' as RunId, at: at(ms), ...more }) as RunFrame;

const requested = (
  service: 'router' | 'agent' | 'tool' | 'semantic',
  step: string,
  ms: number,
  toolCallId: string | null = null,
) =>
  frame('step.requested', ms, {
    service,
    step,
    kind: service === 'agent' ? 'model' : service,
    attempt: 1,
    mode: null,
    toolCallId,
  });

const completed = (toolCallId: string, ms: number, more: object) =>
  frame('tool.completed', ms, {
    toolCallId,
    step: 't1-tool0-a1',
    status: 'READY',
    evidenceStatus: 'EVIDENCE_FOUND',
    errorClass: null,
    truncated: false,
    ...more,
  });

const story = (...frames: RunFrame[]): string[] => {
  const lines: string[] = [];
  frames.reduce((progress, each) => {
    const next = advance(progress, each);
    if (next.line) lines.push(drawLine(next.line, PLAIN));
    return next.progress;
  }, NO_PROGRESS);
  return lines;
};
