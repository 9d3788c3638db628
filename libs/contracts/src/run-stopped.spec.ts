import { sha256 } from './canonical-json';
import { runDecision, type RunEvent } from './run-decision';
import { isStopped } from './run-stopped';

const STEP = 't1-tool0-a1';
const AT = '2026-01-01T00:00:00Z';
const decision = (...events: unknown[]) =>
  runDecision.schema.parse({ n: 3, prevSeq: 9, took: [], at: AT, events });
const ending = { coverage: [], modelCalls: 1, toolCalls: 1, tokens: 0 };

const STOPPING: Record<string, object> = {
  CancellationRequested: { cause: 'PERSON', outstanding: 1, settleBy: AT },
  WorkInterrupted: { service: 'rag', step: STEP, how: 'NOT_STARTED' },
  LateResultDiscarded: { service: 'rag', step: STEP, hash: sha256('x'), usage: null },
  OutcomeSealed: { outcome: { kind: 'FAILED', reason: 'DEADLINE_EXCEEDED' } },
  RunReleased: {
    form: 'ANSWER',
    intent: 'KNOWLEDGE_QUERY',
    snapshotHash: null,
    reportHash: null,
    evidenceStep: null,
    ...ending,
  },
  RunFellBack: { fallback: 'SEMANTIC_UNAVAILABLE', intent: 'DIAGNOSIS', verifiedSources: [], ...ending },
  RunFailed: { reason: 'DEADLINE_EXCEEDED', intent: null, ...ending },
  RunCancelled: { cause: 'PERSON', sealedSeq: null, intent: null, ...ending },
} satisfies Partial<Record<RunEvent['type'], object>>;

describe('A run wants no new work', () => {
  it.each(Object.entries(STOPPING))('after %s', (type, rest) => {
    expect(isStopped(decision({ type, ...rest }), STEP)).toBe(true);
  });

  it('on a step that its deadline closed, though on others', () => {
    const closed = decision({ type: 'StepTimedOut', service: 'rag', step: STEP });
    expect([isStopped(closed, STEP), isStopped(closed, 't1-tool1-a1')]).toEqual([true, false]);
  });

  it.each([
    ['before any decision', undefined],
    ['after ordinary work', decision({ type: 'IntentDecided', intent: 'DIAGNOSIS', step: STEP })],
    ['after something that is no decision', { events: [{ type: 'RunCancelled' }] }],
  ])('but does %s', (_, last) => {
    expect(isStopped(last, STEP)).toBe(false);
  });
});
