import { RunEvent } from '@inquest/contracts/run-decision';
import { RunFrame } from '@inquest/contracts/run-frame';
import { stepOf } from '@inquest/contracts/ids';
import {
  accepted,
  AT,
  CALL_ID,
  cancelledRun,
  completedCall,
  failedRun,
  fellBack,
  outOfScope,
  releasedRun,
  sealedRun,
  started,
} from '../../test/a-run';
import { randomRunId } from '../runs/run-id';
import { receivedRun, foldRun } from '@inquest/run-view/fold-run';
import { requested } from '../../test/a-run';
import { endingFrameOf, framesOfDecision } from './frames-of-decision';

const RUN = randomRunId();
const STEP = stepOf(1, 'model', 0, 1);
const HASH = 'a'.repeat(64);
/** Stands wherever an event has room for words. */
const WORDS = 'the pool of orders-db is exhausted';

/** One event of every type, with words in every place that holds some. */
const EVENTS: RunEvent[] = [
  {
    ...started(RUN),
    question: WORDS,
    source: WORDS,
    previousTurn: { kind: 'RUN', runId: RUN, reportHash: HASH, question: WORDS, conclusion: WORDS },
  },
  {
    type: 'StepRequested',
    service: 'agent',
    step: STEP,
    kind: 'model',
    attempt: 1,
    mode: 'INVESTIGATE',
    toolCallId: null,
    revision: null,
    deadlineAt: AT,
  },
  { type: 'IntentDecided', intent: 'DIAGNOSIS', step: STEP },
  { ...accepted(CALL_ID), tool: WORDS, argumentsText: WORDS, providerId: WORDS },
  { type: 'ToolActionRejected', turn: 1, index: 0, reason: 'REPEATED_ID' },
  { type: 'ModelTurnRecorded', service: 'agent', step: STEP, usage: null },
  completedCall(CALL_ID),
  { type: 'AttemptFailed', service: 'agent', step: STEP, failure: 'TIMEOUT' },
  { type: 'RetryScheduled', service: 'agent', step: STEP, dueAt: AT },
  { type: 'StepTimedOut', service: 'agent', step: STEP },
  { type: 'DraftReceived', revision: 1, step: STEP, sha256: HASH, bytes: 12 },
  {
    type: 'EvidenceAccepted',
    revision: 1,
    step: STEP,
    snapshotHash: HASH,
    reportHash: HASH,
    items: 2,
    verifiedSources: [{ toolCallId: CALL_ID, tool: WORDS, service: WORDS, namespace: WORDS, window: null }],
  },
  {
    type: 'EvidenceRejected',
    revision: 1,
    step: STEP,
    violations: [1, 2].map((n) => ({
      ruleId: '25 FACT_VALUE',
      analysisId: `a${n}`,
      path: `/${WORDS}`,
      toolCallId: CALL_ID,
      message: WORDS,
      repairable: true,
      candidates: [WORDS],
    })),
  },
  { type: 'SemanticAttemptRecorded', attempt: 1, step: STEP, outcome: 'FAILED', failure: 'INVALID_RESPONSE' },
  { type: 'OwnerAttached', n: 1 },
  { type: 'OwnerDisconnected', n: 1, cancelsAt: AT },
  { type: 'CancellationRequested', cause: 'PERSON', outstanding: 2, settleBy: AT },
  { type: 'LateResultDiscarded', service: 'tool', step: STEP, hash: HASH, usage: null },
  { type: 'WorkInterrupted', service: 'tool', step: STEP, how: 'ABORTED' },
  sealedRun(RUN),
  releasedRun(RUN),
  fellBack,
  failedRun,
  cancelledRun,
];

const frames = (...events: RunEvent[]): RunFrame[] =>
  framesOfDecision(RUN, { n: 0, prevSeq: 0, took: [], at: AT, events });

describe('The frames of a decision', () => {
  it('are tried with every event that there is', () => {
    const types = RunEvent.options.map((option) => option.shape.type.value);
    expect(EVENTS.map(({ type }) => type).sort()).toEqual([...types].sort());
  });

  it.each(EVENTS.map((event) => [event.type, event] as const))(
    'of %s fit their contract and hold no words',
    (_, event) => {
      for (const frame of frames(event)) {
        expect(RunFrame.parse(frame)).toEqual(frame);
        expect(JSON.stringify(frame)).not.toContain('pool');
        expect(frame).toMatchObject({ runId: RUN, at: AT });
      }
    },
  );

  it('cover every event but those that concern the harness alone', () => {
    const silent = EVENTS.filter((event) => frames(event).length === 0).map(({ type }) => type);
    expect(silent).toEqual(['ModelTurnRecorded', 'RetryScheduled']);
  });

  it('keep the order of the events', () => {
    expect(frames(...EVENTS)).toEqual(EVENTS.flatMap((event) => frames(event)));
  });

  it('name each broken rule once', () => {
    expect(frames(EVENTS[12] as RunEvent)).toMatchObject([
      { type: 'evidence.rejected', rules: ['25 FACT_VALUE'] },
    ]);
  });

  it.each([
    ['search_logs', 'search_logs'],
    ['The cause is the pool', 'unrecognised'],
    ['x'.repeat(65), 'unrecognised'],
  ])('show the tool %s as %s', (tool, shown) => {
    expect(frames({ ...accepted(CALL_ID), tool })).toMatchObject([{ tool: shown }]);
  });
});

describe('The frame of an ending', () => {
  it.each([
    ['released', outOfScope, { type: 'run.released', intent: 'OUT_OF_SCOPE' }],
    ['fallen back', fellBack, { type: 'run.fell-back', fallback: 'SEMANTIC_UNSUPPORTED' }],
    ['failed', failedRun, { type: 'run.failed', reason: 'MODEL_UNAVAILABLE' }],
    ['cancelled', cancelledRun, { type: 'run.cancelled', cause: 'PERSON' }],
  ])('is told of a run that has %s', (_, event, expected) => {
    const { view } = foldRun(requested(RUN), [
      { seq: 1, decision: { n: 0, prevSeq: 0, took: [], at: AT, events: [event] } },
    ]);
    const frame = endingFrameOf(view);
    expect(RunFrame.parse(frame)).toMatchObject(expected);
  });

  it('is not told of a run that goes on', () => {
    expect(endingFrameOf(receivedRun(requested(RUN)).view)).toBeUndefined();
  });
});
