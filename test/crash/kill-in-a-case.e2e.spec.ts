import { caseDecision, type CaseEvent } from '@inquest/contracts/case-decision';
import type { CaseView } from '@inquest/contracts/case-view';
import { waitFor } from '@inquest/testing/wait-for';
import { endOfCase, openCase } from '../e2e/support/cases';
import { startCountedAnalyst, type CountedAnalyst } from '../e2e/support/counted-analyst';
import { startTheStack, type TheStack } from '../e2e/support/the-stack';
import { ACK_WAIT_MS, LEASE_MS } from './crash-world';

jest.setTimeout(120_000);

const SOURCE = 'checkout-pool-exhaustion';

describe('kill -9 in the middle of a case', () => {
  let the: TheStack;
  let analyst: CountedAnalyst;
  let asked = 0;

  beforeAll(async () => {
    analyst = await startCountedAnalyst();
    the = await startTheStack({ env: analyst.env, ackWaitMs: ACK_WAIT_MS, leaseMs: LEASE_MS });
  });
  afterAll(async () => {
    await the?.stop();
    await analyst?.stop();
  });
  beforeEach(() => analyst.answerInstead(() => undefined));
  afterEach(() => Promise.all(the.stack.processes().map((each) => each.whenReady(25_000))));

  const open = () =>
    openCase(the.api, { question: `Why do checkouts fail (${(asked += 1)})?`, source: SOURCE });
  const chainOf = async (caseId: string): Promise<{ n: number; events: CaseEvent[] }[]> =>
    (await the.log.log.readChain(the.log.subjects(caseId).caseChain)).map(
      ({ data }) => caseDecision.schema.parse(data) as { n: number; events: CaseEvent[] },
    );
  const stepsAsked = (caseId: string) => analyst.requestsOf(caseId).map(({ key }) => key.split('/')[1] ?? '');
  /** The process stands still from here on, as one does between two of its instructions. */
  const signal = (name: string, sign: NodeJS.Signals) => {
    const { pid } = the.stack.process(name);
    if (pid === undefined) throw new Error(`${name} does not run`);
    process.kill(pid, sign);
  };
  /** Whatever was killed: one history with one end, a diagnosis, and no model call made twice under one key. */
  const expectSound = async (caseId: string): Promise<CaseView> => {
    const end = await endOfCase(the.api, caseId);
    expect(end).toMatchObject({ status: 'DIAGNOSED' });
    expect(end.report?.conclusion.text.toLowerCase()).toContain('connection pool');
    const chain = await chainOf(caseId);
    expect(chain.map(({ n }) => n)).toEqual(chain.map((_, n) => n));
    const types = chain.flatMap(({ events }) => events.map(({ type }) => type));
    expect(types.filter((type) => type === 'CaseDiagnosed')).toHaveLength(1);
    expect(types.filter((type) => type === 'CaseOutcomeSealed')).toHaveLength(1);
    expect(types.filter((type) => type === 'DiagnosisCompleted')).toHaveLength(1);
    const keys = stepsAsked(caseId);
    expect(new Set(keys).size).toBe(keys.length);
    return end;
  };

  /** Kills the process once, while the model works on its call of this step, whose answer nobody will hear. */
  const killDuring = (service: string, step: RegExp): string[] => {
    const killed: string[] = [];
    analyst.answerInstead(async ({ key, abandoned }) => {
      const [, name = ''] = key.split('/');
      if (killed.length > 0 || !step.test(name)) return undefined;
      killed.push(name);
      await the.stack.kill9(service);
      await abandoned;
      return undefined;
    });
    return killed;
  };

  it.each([
    ['agent-runner', 'the hypotheses are formed', /^t0-form0-a1$/],
    ['agent-runner', 'a turn is thought about', /^t2-turn0-a1$/],
    ['agent-runner', 'the final diagnosis is written', /^t\d+-final0-a1$/],
    ['semantic-guard', 'the first order is evaluated', /^d0001-e0001-p1-a1$/],
    ['semantic-guard', 'the second order is evaluated', /^d0001-e0001-p2-a1$/],
    ['semantic-guard', 'the final diagnosis is judged', /^t\d+-verdict0-a1$/],
  ])('E11 %s while %s: that attempt is lost, the next has another key', async (service, _, step) => {
    const killed = killDuring(service, step);
    const caseId = await open();
    await expectSound(caseId);
    const again = stepsAsked(caseId).filter((name) => name.endsWith('-a2'));
    expect(killed).toHaveLength(1);
    expect(again).toEqual(killed.map((name) => name.replace(/-a1$/, '-a2')));
  });

  it('E11 agent-runner with research in its hand: the action runs again, no model call does', async () => {
    const held = new Set<string>();
    let go = (): void => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    analyst.answerInstead(async ({ key }) => {
      const [caseId = '', step] = key.split('/');
      if (step === 't1-turn0-a1') {
        held.add(caseId);
        await gate;
      }
      return undefined;
    });
    const caseId = await open();
    await waitFor('the first turn', () => held.has(caseId) || undefined);
    signal('harness-orchestrator', 'SIGSTOP');
    go();
    const result = the.log.subjects(caseId).res('investigator', 't1-turn0-a1');
    await waitFor(result, () => the.log.log.readLast(result, 'leader'));
    signal('agent-runner', 'SIGSTOP');
    signal('harness-orchestrator', 'SIGCONT');
    await the.log.inHand('tool', caseId);
    await the.stack.kill9('agent-runner');
    await expectSound(caseId);
    expect(stepsAsked(caseId).filter((name) => name.endsWith('-a2') && !/^t2-/.test(name))).toEqual([]);
  });

  it('E11 harness-orchestrator while an early review is prepared: it goes on preparing, and reviews once', async () => {
    const prepared: string[] = [];
    analyst.answerInstead(async ({ key, body }) => {
      const last = JSON.parse(body.messages.at(-1)?.content ?? '{}') as { mode?: string };
      if (last.mode !== 'PREPARE') return undefined;
      prepared.push(key);
      if (prepared.length === 1) await the.stack.kill9('harness-orchestrator');
      return undefined;
    });
    const caseId = await open();
    const end = await expectSound(caseId);
    expect(prepared.length).toBeGreaterThan(0);
    expect(end.reviews.map(({ state }) => state)).toEqual(['accepted']);
  });

  it('E11 harness-orchestrator between the verdict and the artifact: the stored verdict decides', async () => {
    const verdicts: string[] = [];
    analyst.answerInstead(({ key }) => {
      const [, step = ''] = key.split('/');
      if (/^t\d+-verdict0-a1$/.test(step)) {
        verdicts.push(step);
        signal('harness-orchestrator', 'SIGSTOP');
      }
      return undefined;
    });
    const caseId = await open();
    const step = await waitFor('the verdict to be asked for', () => verdicts[0], 60_000);
    const result = the.log.subjects(caseId).res('semantic', step);
    await waitFor(result, () => the.log.log.readLast(result, 'leader'), 25_000);
    await the.log.inHand('harness-res', caseId);
    await the.stack.kill9('harness-orchestrator');
    await expectSound(caseId);
    expect(verdicts).toHaveLength(1);
  });
});
