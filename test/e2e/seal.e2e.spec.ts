import { cancelRequested } from '@inquest/contracts/inbound-facts';
import { isTerminal, runDecision, type RunDecision } from '@inquest/contracts/run-decision';
import type { RunAccepted, RunView } from '@inquest/contracts/run-view';
import { messageOf } from '@inquest/event-log/message';
import { problemKind } from './support/api';
import { EventStream } from './support/event-stream';
import { Freezer } from './support/freeze';
import { holdModelCall } from './support/hold';
import { RunLog } from './support/run-log';
import { startTheStack, type TheStack } from './support/the-stack';

jest.setTimeout(60_000);

const ORCHESTRATORS = ['harness-orchestrator-1', 'harness-orchestrator-2'];
const VERDICT_STEP = 't2-semantic0-a1';

let the: TheStack;
let freezer: Freezer;
/** As the services themselves, with their own users on the broker. */
let harness: RunLog;
let gateway: RunLog;
beforeAll(async () => {
  the = await startTheStack({ instances: { 'harness-orchestrator': 2 } });
  freezer = new Freezer(the.stack);
  harness = await RunLog.open(the.stack.natsUrlFor('harness-orchestrator'), 'harness-orchestrator');
  gateway = await RunLog.open(the.stack.natsUrlFor('chat-gateway'), 'chat-gateway');
});
afterEach(() => freezer?.thaw());
afterAll(async () => {
  await Promise.all([harness?.close(), gateway?.close()]);
  await the?.stop();
});

type Run = RunAccepted & { stream: EventStream };

/** A run whose SUPPORTED verdict stands in the log while no orchestrator can take it in. */
const runWithVerdict = async (): Promise<Run> => {
  const held = holdModelCall('judge');
  the.play({ intercept: held.intercept });
  const accepted = await the.api.ask({ source: 'checkout-pool-exhaustion', detached: false });
  const stream = await EventStream.open(the.api, accepted.runId, { streamToken: accepted.streamToken });
  await held.reached;
  freezer.freeze(...ORCHESTRATORS);
  held.release();
  await the.log.untilResult(accepted.runId, 'semantic', VERDICT_STEP);
  return { ...accepted, stream };
};

const cancel = async ({ runId }: Run): Promise<void> => {
  expect((await the.api.cancel(runId)).status).toBe(202);
};

const cancelTooLate = async ({ runId }: Run): Promise<void> => {
  const answer = await the.api.cancel(runId);
  expect([answer.status, problemKind(answer)]).toEqual([409, 'already-decided']);
  expect(await the.log.inbound(runId, 'cancel')).toBeUndefined();
};

const loseOwner = async ({ runId, stream }: Run): Promise<void> => {
  stream.drop();
  await the.log.untilInbound(runId, 'disconnect-1');
};

/** A cancellation that another gateway had under way when the seal was written. */
const cancelThatLostTheRace = async ({ runId }: Run): Promise<void> => {
  const subject = gateway.subjects(runId).in('cancel');
  const time = new Date().toISOString();
  const data = { cause: 'PERSON', principal: 'local/somebody', requestedAt: time };
  const frame = { subject, type: cancelRequested.type, source: 'chat-gateway', time };
  await gateway.log.putIfAbsent(subject, messageOf(frame, cancelRequested.schema.parse(data)));
};

/** The seal, as an orchestrator writes it that then dies before the terminal fact. */
const seal = async ({ runId }: Run): Promise<void> => {
  const chain = await harness.chain(runId);
  const [accepted] = await harness.eventsOf(runId, 'EvidenceAccepted');
  const verdict = await harness.untilResult(runId, 'semantic', VERDICT_STEP);
  const last = chain.at(-1);
  const at = new Date().toISOString();
  const decision = {
    n: (last?.n ?? 0) + 1,
    prevSeq: last?.seq ?? 0,
    took: [{ fact: `res.semantic.${VERDICT_STEP}`, seq: verdict.seq }],
    at,
    events: [
      {
        type: 'SemanticAttemptRecorded',
        attempt: 1,
        step: VERDICT_STEP,
        outcome: 'SUPPORTED',
        failure: null,
      },
      {
        type: 'OutcomeSealed',
        outcome: {
          kind: 'SUCCESS',
          form: 'REPORT',
          snapshotHash: accepted?.snapshotHash,
          evidenceStep: accepted?.step,
        },
      },
    ],
  };
  const data: RunDecision = runDecision.schema.parse(decision);
  const subject = harness.subjects(runId).chain;
  const frame = {
    subject,
    type: runDecision.type,
    source: 'harness-orchestrator',
    time: at,
    chainIndex: data.n,
  };
  expect(await harness.log.append(subject, messageOf(frame, data), data.prevSeq)).toMatchObject({
    kind: 'APPENDED',
  });
};

const resumeBoth = async (): Promise<void> => freezer.thaw();

/** Both die where they stand and come back with an empty memory. */
const replaceBoth = async (): Promise<void> => {
  await Promise.all(ORCHESTRATORS.map((name) => the.stack.kill9(name)));
  await Promise.all(ORCHESTRATORS.map((name) => the.stack.process(name).whenReady(30_000)));
};

const expectEndedOnce = async (view: RunView): Promise<void> => {
  const ends = (await the.log.events(view.runId)).filter(isTerminal);
  expect(ends).toHaveLength(1);
  const chain = await the.log.chain(view.runId);
  expect(chain.map(({ n }) => n)).toEqual(chain.map((_, index) => index));
};

type Act = (run: Run) => Promise<void>;
type Case = {
  name: string;
  acts: Act[];
  resume: () => Promise<void>;
  outcome: 'SUCCESS' | 'CANCELLED';
  cause?: string;
};

const CASES: Case[] = [
  {
    name: 'a cancel after the verdict and before any seal',
    acts: [cancel],
    resume: resumeBoth,
    outcome: 'CANCELLED',
    cause: 'PERSON',
  },
  {
    name: 'a lost owner after the verdict and before any seal',
    acts: [loseOwner],
    resume: resumeBoth,
    outcome: 'CANCELLED',
    cause: 'DISCONNECT',
  },
  {
    name: 'a cancel before the seal, which was written without a look',
    acts: [cancel, seal],
    resume: resumeBoth,
    outcome: 'CANCELLED',
    cause: 'PERSON',
  },
  {
    name: 'a lost owner before the seal',
    acts: [loseOwner, seal],
    resume: resumeBoth,
    outcome: 'CANCELLED',
    cause: 'DISCONNECT',
  },
  { name: 'no cancel at all', acts: [seal], resume: resumeBoth, outcome: 'SUCCESS' },
  {
    name: 'a cancel between seal and terminal',
    acts: [seal, cancelTooLate],
    resume: resumeBoth,
    outcome: 'SUCCESS',
  },
  {
    name: 'a cancel between seal and terminal that was under way before',
    acts: [seal, cancelThatLostTheRace],
    resume: resumeBoth,
    outcome: 'SUCCESS',
  },
  {
    name: 'a lost owner between seal and terminal',
    acts: [seal, loseOwner],
    resume: resumeBoth,
    outcome: 'SUCCESS',
  },
  {
    name: 'a cancel before the seal, both orchestrators dead',
    acts: [cancel, seal],
    resume: replaceBoth,
    outcome: 'CANCELLED',
    cause: 'PERSON',
  },
  {
    name: 'a cancel after the seal, both orchestrators dead',
    acts: [seal, cancelThatLostTheRace],
    resume: replaceBoth,
    outcome: 'SUCCESS',
  },
];

describe('H8 a cancellation around verdict, seal and terminal fact, with two orchestrators', () => {
  it.each(CASES)('$name: $outcome', async ({ acts, resume, outcome, cause }) => {
    const run = await runWithVerdict();
    for (const act of acts) await act(run);
    await resume();
    const view = await the.api.ended(run.runId);
    expect(view.outcome).toBe(outcome);
    await expectEndedOnce(view);
    if (outcome === 'SUCCESS') {
      expect(view).toHaveProperty('report');
      return;
    }
    expect(view).not.toHaveProperty('report');
    expect(view.cancellation?.cause).toBe(cause);
    const [cancelled] = await the.log.eventsOf(run.runId, 'RunCancelled');
    const sealed = (await the.log.chain(run.runId)).find(({ events }) =>
      events.some(({ type }) => type === 'OutcomeSealed'),
    );
    expect(cancelled?.sealedSeq).toBe(sealed?.seq ?? null);
  });

  it('what has ended stays as it is, whoever looks at it again', async () => {
    const run = await runWithVerdict();
    await resumeBoth();
    const view = await the.api.ended(run.runId);
    const chain = await the.log.chain(run.runId);
    await cancelTooLate(run);
    await replaceBoth();
    the.play();
    expect((await the.api.askAndEnd()).outcome).not.toBeNull();
    expect(await the.log.chain(run.runId)).toEqual(chain);
    expect(await the.api.view(run.runId)).toEqual(view);
  });
});
