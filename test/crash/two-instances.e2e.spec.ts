import { CrashWorld } from './crash-world';
import { expectSoundRelease } from './sound-run';

jest.setTimeout(90_000);

const RUNS = 20;
const DOUBLED = ['harness-orchestrator', 'agent-runner', 'evidence-guard', 'semantic-guard'] as const;

describe('two instances of each worker under concurrent runs, one of each killed', () => {
  let world: CrashWorld;

  beforeAll(async () => {
    world = await CrashWorld.start({ instances: Object.fromEntries(DOUBLED.map((name) => [name, 2])) });
  });
  afterAll(() => world?.stop());

  it('loses nothing and doubles nothing', async () => {
    const drafts = world.hold('agent', 't2-model0-a1');
    const verdicts = world.hold('judge', 't2-semantic0-a1');
    const asked = await Promise.all(Array.from({ length: RUNS }, () => world.ask()));
    expect(new Set(asked.map(({ runId }) => runId)).size).toBe(RUNS);

    // Every run waits for its draft. One agent-runner dies over its share; the results of the others' calls reach an
    // orchestrator and a guard that die with them in their hands.
    await drafts.waiting(RUNS);
    await world.stack.kill9('agent-runner-1');
    world.freeze('harness-orchestrator-1');
    world.freeze('evidence-guard-1');
    drafts.release();
    await verdicts.asked;
    await world.stack.kill9('harness-orchestrator-1');
    await world.stack.kill9('evidence-guard-1');

    // Every run waits for its verdict.
    await verdicts.waiting(RUNS);
    await world.stack.kill9('semantic-guard-1');
    verdicts.release();

    const lost: string[] = [];
    for (const { runId } of asked) lost.push(...(await expectSoundRelease(world, runId)));
    for (const step of ['agent.t2-model0-a1', 'semantic.t2-semantic0-a1']) {
      const share = lost.filter((each) => each === step).length;
      expect({ step, bothInstancesWorked: share > 0 && share < RUNS }).toEqual({
        step,
        bothInstancesWorked: true,
      });
    }
  });
});
