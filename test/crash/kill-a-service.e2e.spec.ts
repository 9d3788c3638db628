import type { RunId } from '@inquest/contracts/ids';
import { CrashWorld } from './crash-world';
import { expectShown, expectSoundRelease } from './sound-run';

jest.setTimeout(60_000);

describe('kill -9 of a service in the middle of a run', () => {
  let world: CrashWorld;

  beforeAll(async () => {
    world = await CrashWorld.start();
  });
  afterAll(() => world?.stop());
  beforeEach(() => world.play({}));
  afterEach(() => world.whole());

  /** Kills the process while the model works on its call, whose answer nobody will hear. */
  const killDuringCall = async (
    service: string,
    role: 'router' | 'agent' | 'judge',
    step: string,
  ): Promise<RunId> => {
    const held = world.hold(role, step);
    const { runId } = await world.ask();
    const { abandoned } = await held.asked;
    await world.stack.kill9(service);
    await abandoned;
    held.release();
    return runId;
  };

  it('agent-runner while the router model answers: the attempt is lost, the second routes', async () => {
    const runId = await killDuringCall('agent-runner', 'router', 't0-router0-a1');
    expect(await expectSoundRelease(world, runId)).toEqual(['router.t0-router0-a1']);
  });

  it('agent-runner while the agent model answers: the attempt is lost, the next has another key', async () => {
    const runId = await killDuringCall('agent-runner', 'agent', 't1-model0-a1');
    expect(await expectSoundRelease(world, runId)).toEqual(['agent.t1-model0-a1']);
  });

  it('agent-runner after the model answered and before the result is stored: that answer counts for nothing', async () => {
    const held = world.hold('agent', 't2-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    world.freeze('agent-runner');
    held.release();
    await world.stack.kill9('agent-runner');
    expect(await expectSoundRelease(world, runId)).toEqual(['agent.t2-model0-a1']);
  });

  it('agent-runner during its tool calls: they run again, no model call does', async () => {
    const held = world.hold('agent', 't1-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    world.freeze('harness-orchestrator');
    held.release();
    await world.fact(world.subjects(runId).res('agent', 't1-model0-a1'));
    world.freeze('agent-runner');
    world.thaw('harness-orchestrator');
    await world.inHand('tool', runId);
    await world.stack.kill9('agent-runner');
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('semantic-guard while the judge answers: the attempt is lost, the second judges the same snapshot', async () => {
    const runId = await killDuringCall('semantic-guard', 'judge', 't2-semantic0-a1');
    expect(await expectSoundRelease(world, runId)).toEqual(['semantic.t2-semantic0-a1']);
    const judged = (await world.events(runId)).filter((event) => event.type === 'SemanticAttemptRecorded');
    expect(judged).toMatchObject([
      { attempt: 1, outcome: 'FAILED', failure: 'ATTEMPT_LOST' },
      { attempt: 2, outcome: 'SUPPORTED' },
    ]);
  });

  it('harness-orchestrator with a result in its hand: it decides once', async () => {
    const held = world.hold('agent', 't1-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    world.freeze('harness-orchestrator');
    held.release();
    await world.inHand('harness-res', runId);
    await world.stack.kill9('harness-orchestrator');
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('harness-orchestrator while nothing is to do: it takes up the run that it never saw', async () => {
    const held = world.hold('agent', 't2-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    await world.stack.kill9('harness-orchestrator');
    held.release();
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('evidence-guard with a draft in its hand: the draft is judged again, to the same bytes', async () => {
    const held = world.hold('agent', 't2-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    world.freeze('evidence-guard');
    held.release();
    await world.inHand('evidence', runId);
    await world.stack.kill9('evidence-guard');
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('knowledge-rag with a lookup in its hand: the lookup is made again', async () => {
    world.play({ intent: 'KNOWLEDGE_QUERY' });
    const held = world.hold('agent', 't1-model0-a1');
    const question = 'What does the runbook say about connection pool exhaustion?';
    const { runId } = await world.ask({ question });
    await held.asked;
    world.freeze('knowledge-rag');
    held.release();
    await world.inHand('rag', runId);
    await world.stack.kill9('knowledge-rag');
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('run-projector before the end, and again over the end: the row is the fold', async () => {
    const held = world.hold('agent', 't2-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    await world.stack.kill9('run-projector');
    await world.stack.process('run-projector').whenReady();
    world.freeze('run-projector');
    held.release();
    await world.until(runId, 'RunReleased');
    await world.stack.kill9('run-projector');
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('chat-gateway with a detached run: the run goes on, and the same question finds it', async () => {
    const held = world.hold('agent', 't1-model0-a1');
    const { runId } = await world.ask({ key: 'asked-twice' });
    await held.asked;
    await world.stack.kill9('chat-gateway');
    held.release();
    expect(await expectSoundRelease(world, runId)).toEqual([]);
    expect(await world.ask({ key: 'asked-twice' })).toMatchObject({ runId, status: 'RELEASED' });
    await expectShown(world, runId);
  });

  it('chat-gateway with its owner’s stream: it writes no disconnect, so the run goes on', async () => {
    const held = world.hold('agent', 't1-model0-a1');
    const { runId, streamToken } = await world.ask({ detached: false });
    const url = `${world.stack.gatewayUrl}/v1/runs/${runId}/events?stream_token=${streamToken}`;
    const stream = await fetch(url, { headers: world.headers });
    expect(stream.status).toBe(200);
    await held.asked;
    await world.fact(world.subjects(runId).in('attach-1'));
    await world.stack.kill9('chat-gateway');
    await stream.body?.cancel().catch(() => undefined);
    held.release();
    expect(await expectSoundRelease(world, runId)).toEqual([]);
    await expectShown(world, runId);
  });
});
