import { STEP_DEADLINE_SLACK_MS } from './run.limits';
import { call, drafted, failed, found, HASH_A, judged, RunUnderTest, T0, toolCalls } from './run.fixtures';

const sealedAs = (run: RunUnderTest) => run.run.sealed;
const endedAs = (run: RunUnderTest) => run.run.ended;

describe('H8 cancellation in layers', () => {
  it('ends at once when nothing is under way', () => {
    const run = new RunUnderTest()
      .reply({ service: 'router', result: failed('RATE_LIMITED', 5_000) })
      .cancel();
    expect(run.decided).toEqual(['CancellationRequested', 'RunCancelled']);
  });

  it('issues no new work, records what was interrupted and what came late, then ends', () => {
    const run = new RunUnderTest()
      .route()
      .agent(toolCalls(call('c1'), call('c2')))
      .cancel();
    run.answer('t1-tool0-a1', { service: 'tool', result: found() });
    expect(run.decided).toEqual(['LateResultDiscarded']);
    run.answer('t1-tool1-a1', {
      service: 'tool',
      result: found({ status: 'ERROR', evidenceStatus: 'ERROR', errorClass: 'CANCELLED' }),
    });
    expect(run.last).toMatchObject([
      { type: 'WorkInterrupted', how: 'ABORTED' },
      { type: 'RunCancelled', cause: 'PERSON' },
    ]);
  });

  it('ends ten seconds later when a worker does not answer, and still records its late result as discarded', () => {
    const run = new RunUnderTest()
      .route()
      .cancel()
      .passTo(T0 + 10_000);
    expect(run.decided).toEqual(['WorkInterrupted', 'RunCancelled']);
    expect(run.answer('t1-model0-a1', { service: 'agent', result: drafted }).last).toMatchObject([
      { type: 'LateResultDiscarded', hash: HASH_A, usage: { promptTokens: 10 } },
    ]);
    expect(run.answer('t1-model0-a1', { service: 'agent', result: drafted }).decided).toEqual([]);
  });

  it('makes a seal void when the log holds an earlier cancellation', () => {
    const run = new RunUnderTest().untilReview().judge(judged('SUPPORTED')).finish('PERSON');
    expect(endedAs(run)).toMatchObject({ type: 'RunCancelled', cause: 'PERSON', sealedSeq: 99 });
  });

  it('is too late after the seal', () => {
    const run = new RunUnderTest().untilReview().judge(judged('SUPPORTED')).cancel();
    expect(run.decided).toEqual([]);
    expect(endedAs(run.finish())).toMatchObject({ type: 'RunReleased' });
  });

  it('treats a lost owner without grace as a cancellation', () => {
    const run = new RunUnderTest().route();
    run.give({ type: 'TakeDisconnect', n: 1, atMs: T0, graceMs: 0, nowMs: T0 });
    expect(run.decided).toEqual(['OwnerDisconnected', 'CancellationRequested']);
  });

  it('seals nothing while the owner is away within its grace, and goes on when the owner is back', () => {
    const run = new RunUnderTest().untilReview();
    run.give({ type: 'TakeDisconnect', n: 1, atMs: T0, graceMs: 5_000, nowMs: T0 });
    expect(run.judge(judged('SUPPORTED')).decided).toEqual([]);
    run.give({ type: 'TakeAttach', n: 2, nowMs: T0 + 1 });
    expect(run.judge(judged('SUPPORTED')).decided).toContain('OutcomeSealed');
  });

  it('takes no attachment for a return that is older than the loss, in whatever order the two are seen', () => {
    const run = new RunUnderTest().untilReview();
    run.give({ type: 'TakeDisconnect', n: 1, atMs: T0, graceMs: 5_000, nowMs: T0 });
    expect(run.give({ type: 'TakeAttach', n: 1, nowMs: T0 + 1 }).decided).toEqual([]);
    expect(run.passTo(T0 + 5_000).decided).toContain('CancellationRequested');
  });

  it('cancels when the grace runs out', () => {
    const run = new RunUnderTest().untilReview();
    run.give({ type: 'TakeDisconnect', n: 1, atMs: T0, graceMs: 5_000, nowMs: T0 });
    expect(run.passTo(T0 + 5_000).decided).toEqual(['CancellationRequested']);
  });
});

describe('deadlines', () => {
  it('fails as DEADLINE_EXCEEDED before a review', () => {
    const run = new RunUnderTest({ limits: { wallClockMs: 1_000 } }).route().passTo(T0 + 1_000);
    expect(sealedAs(run)).toEqual({ kind: 'FAILED', reason: 'DEADLINE_EXCEEDED' });
  });

  it('falls back as SEMANTIC_UNAVAILABLE in the review', () => {
    const run = new RunUnderTest().untilReview();
    expect(sealedAs(run.passTo(T0 + 600_000))).toEqual({ kind: 'FALLBACK', type: 'SEMANTIC_UNAVAILABLE' });
  });

  it('gives the router its second attempt when the first step times out', () => {
    const run = new RunUnderTest();
    run.passTo(T0 + run.run.started.limits.routerTimeoutMs + STEP_DEADLINE_SLACK_MS);
    expect(run.run.open).toMatchObject([{ step: 't0-router0-a2' }]);
  });
});
