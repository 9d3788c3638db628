import { CrashWorld } from './crash-world';
import { expectShown, expectSoundRelease } from './sound-run';

jest.setTimeout(60_000);

describe('kill -9 of what the services stand on, in the middle of a run', () => {
  let world: CrashWorld;

  beforeAll(async () => {
    world = await CrashWorld.start();
  });
  afterAll(() => world?.stop());
  beforeEach(() => world.play({}));
  afterEach(() => world.whole());

  it('NATS while the agent model works: the call goes on, and its answer is stored', async () => {
    const held = world.hold('agent', 't1-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    await world.stack.kill9('nats');
    await world.stack.process('nats').whenReady();
    held.release();
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('NATS when the agent model answers: the answer is offered until the broker takes it', async () => {
    const held = world.hold('agent', 't2-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    await world.stack.kill9('nats');
    held.release();
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('NATS when the judge answers: the verdict is stored once', async () => {
    const held = world.hold('judge', 't2-semantic0-a1');
    const { runId } = await world.ask();
    await held.asked;
    await world.stack.kill9('nats');
    held.release();
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('NATS with messages in the hands of three services, again and again', async () => {
    const { runId } = await world.ask();
    for (const type of ['IntentDecided', 'ToolActionAccepted', 'DraftReceived'] as const) {
      await world.until(runId, type);
      await world.stack.kill9('nats');
      await world.stack.process('nats').whenReady();
    }
    await expectSoundRelease(world, runId);
  });

  it('Postgres while the agent model works: the run ends without it, and its row is the fold', async () => {
    const held = world.hold('agent', 't1-model0-a1');
    const { runId } = await world.ask();
    await held.asked;
    await world.stack.kill9('postgres');
    held.release();
    await world.until(runId, 'RunReleased');
    await expectShown(world, runId);
    expect(await expectSoundRelease(world, runId)).toEqual([]);
  });

  it('Postgres before a session’s next question: the run starts with what is known, and ends', async () => {
    const first = await world.ask({ sessionId: 'evening' });
    await expectSoundRelease(world, first.runId);
    const held = world.hold('router', 't0-router0-a1');
    await world.stack.kill9('postgres');
    const { runId } = await world.ask({ sessionId: 'evening' });
    await held.asked;
    held.release();
    expect(await expectSoundRelease(world, runId)).toEqual([]);
    const [started] = await world.events(runId);
    const known = [{ kind: 'UNKNOWN' }, expect.objectContaining({ kind: 'RUN', runId: first.runId })];
    expect(known).toContainEqual(started?.type === 'RunStarted' && started.previousTurn);
  });
});
