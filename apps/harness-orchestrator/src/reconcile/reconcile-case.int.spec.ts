import type { NatsConnection } from '@nats-io/transport-node';
import type { CaseDecision, CaseEvent } from '@inquest/contracts/case-decision';
import { isTerminalCaseEvent } from '@inquest/contracts/case-decision';
import type { CaseRequested } from '@inquest/contracts/case-facts';
import type { RunId, Step, WorkService } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type { EventLog, NewMessage, StoredMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import {
  caseRequest,
  draftResult,
  evaluated,
  finding,
  formed,
  proofAccepted,
  requestDiagnosis,
  research,
  turn,
} from '../case/case.fixtures';
import { narrowedPolicy, INVESTIGATION_POLICY } from '../case/case.policy';
import { EVALUATOR_PROMPT, PROMPTS } from '../case/prompts';
import { found, judged } from '../run/run.fixtures';
import { caseTriggerOf } from './case-trigger';
import { CaseReconciler, type CaseTerms } from './reconcile-case';

class Killed extends Error {}

const terms: CaseTerms = {
  prompts: PROMPTS,
  of: ({ policy }) =>
    Promise.resolve({
      policy: narrowedPolicy(INVESTIGATION_POLICY, policy),
      evaluatorVersion: EVALUATOR_PROMPT,
      ruleSet: 'evidence-2',
      gate: 'OPEN' as const,
    }),
};

const instanceOn = (log: EventLog): CaseReconciler =>
  new CaseReconciler(
    log,
    terms,
    () => Date.now(),
    () => undefined,
  );

/** A log whose process dies at its n-th write: before it, or after it and before the answer. */
const dyingLog = (log: EventLog, diesAt: number, when: 'before' | 'after'): EventLog => {
  let writes = 0;
  const write = async <T>(act: () => Promise<T>): Promise<T> => {
    writes += 1;
    if (writes > diesAt || (writes === diesAt && when === 'before')) throw new Killed();
    const answer = await act();
    if (writes >= diesAt) throw new Killed();
    return answer;
  };
  return {
    partitions: log.partitions,
    putIfAbsent: (subject: string, message: NewMessage) => write(() => log.putIfAbsent(subject, message)),
    append: (subject: string, message: NewMessage, last: number) =>
      write(() => log.append(subject, message, last)),
    readLast: (...args) => log.readLast(...args),
    readAt: (...args) => log.readAt(...args),
    readChain: (...args) => log.readChain(...args),
  };
};

const result = (toolCallId: string, hash: string): LedgerEntry =>
  found({ toolCallId: toolCallId as never, contentHash: hash.repeat(64) });
const low = turn({ kind: 'assess' }, { confidence: 'contradicted' });
const asking = (n: number) =>
  turn(requestDiagnosis(`f${n}-0`), {
    findings: [finding('tc-1-0', { h1: 'consistent', h2: 'inconsistent' })],
    confidence: 'strongly_supported',
  });

/** What every service answers, by service and step, in the order in which it is asked. */
const ACCEPTED: Record<string, unknown> = {
  'investigator.t0-form0-a1': formed(),
  'investigator.t1-turn0-a1': turn(research()),
  'tool.t1-act0-a1': result('tc-1-0', '1'),
  'investigator.t2-turn0-a1': low,
  'investigator.t3-turn0-a1': low,
  'investigator.t4-turn0-a1': asking(4),
  'evaluator.d0001-e0001-p1-a1': evaluated(1),
  'evaluator.d0001-e0001-p2-a1': evaluated(2),
  'investigator.t5-final0-a1': draftResult,
  'evidence.t5-proof1-a1': proofAccepted(),
  'semantic.t5-verdict0-a1': judged('SUPPORTED'),
};
const DECLINED_FIRST: Record<string, unknown> = {
  ...Object.fromEntries(Object.entries(ACCEPTED).slice(0, 6)),
  'evaluator.d0001-e0001-p1-a1': evaluated(1, { hypothesisId: null, uncertainty: 'the lock is not shown' }),
  'investigator.t5-turn0-a1': turn(research()),
  'tool.t5-act0-a1': result('tc-5-0', '2'),
  'investigator.t6-turn0-a1': low,
  'investigator.t7-turn0-a1': asking(7),
  'evaluator.d0002-e0002-p1-a1': evaluated(1),
  'evaluator.d0002-e0002-p2-a1': evaluated(2),
  'investigator.t8-final0-a1': draftResult,
  'evidence.t8-proof1-a1': proofAccepted(),
  'semantic.t8-verdict0-a1': judged('SUPPORTED'),
};

describe('Reconciling a case on a real log', () => {
  let nats: TestNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let count = 0;

  beforeAll(async () => {
    nats = await startNats();
    nc = await connectNats({ url: nats.url, service: 'harness-orchestrator' });
    await provision(nc);
    log = await NatsEventLog.open(nc);
  });
  afterAll(async () => {
    await nc.close();
    await nats.stop();
  });

  const put = async (subject: string, data: unknown): Promise<void> => {
    const frame = { subject, type: 'inquest.test.v1', source: 'test', time: new Date().toISOString() };
    await log.putIfAbsent(subject, messageOf(frame, data));
  };
  const newCase = async (over: Partial<CaseRequested> = {}) => {
    count += 1;
    const caseId = `00000000-0000-8000-8000-${String(count).padStart(12, '0')}` as RunId;
    const subjects = runSubjects(caseId, log.partitions);
    await put(subjects.in('open'), caseRequest({ caseId, ...over }));
    return { caseId, subjects };
  };
  const read = async (subject: string): Promise<StoredMessage> => {
    const message = await log.readLast(subject, 'leader');
    if (message === undefined) throw new Error(`nothing at ${subject}`);
    return message;
  };
  const deliver = async (instance: CaseReconciler, subject: string): Promise<void> => {
    const message = await read(subject);
    const trigger = caseTriggerOf(message, log.partitions, terms);
    await instance.reconcile(trigger.runId, trigger, message.envelope);
  };
  const eventsOf = async (caseId: RunId): Promise<CaseEvent[]> =>
    (await log.readChain(runSubjects(caseId, log.partitions).caseChain)).flatMap(
      ({ data }) => (data as CaseDecision).events,
    );

  /** Plays every service: answers each request that stands in the log, in order. */
  const play = async (
    caseId: RunId,
    answers: Record<string, unknown>,
    deliverResult: (subject: string) => Promise<void>,
  ): Promise<void> => {
    const subjects = runSubjects(caseId, log.partitions);
    await deliverResult(subjects.in('open'));
    for (const [key, answer] of Object.entries(answers)) {
      const [service, step] = key.split('.') as [WorkService, Step];
      await read(subjects.req(service, step));
      await put(subjects.res(service, step), answer);
      await deliverResult(subjects.res(service, step));
    }
  };

  it('E8 E10 takes a case through an accepted early review to its diagnosis', async () => {
    const { caseId } = await newCase();
    const instance = instanceOn(log);
    await play(caseId, ACCEPTED, (subject) => deliver(instance, subject));
    const events = await eventsOf(caseId);
    expect(events.filter(isTerminalCaseEvent)).toMatchObject([{ type: 'CaseDiagnosed' }]);
    expect(events.filter(({ type }) => type === 'DiagnosisCompleted')).toHaveLength(1);
  });

  it('E9 E13 goes on after a declined review, tells why in later turns, and accepts a later one', async () => {
    const { caseId, subjects } = await newCase();
    const instance = instanceOn(log);
    await play(caseId, DECLINED_FIRST, (subject) => deliver(instance, subject));
    const events = await eventsOf(caseId);
    expect(events.filter(isTerminalCaseEvent)).toMatchObject([{ type: 'CaseDiagnosed' }]);
    expect((await read(subjects.req('investigator', 't5-turn0-a1' as Step))).data).toMatchObject({
      declined: [{ review: 1, hypothesisId: 'h1', reason: 'INCONCLUSIVE', text: 'the lock is not shown' }],
    });
  });

  it('E11 ends the same when its process dies at any write, before it or after it, in every state', async () => {
    for (const when of ['before', 'after'] as const) {
      for (let diesAt = 1; diesAt <= 4; diesAt += 1) {
        const { caseId } = await newCase();
        await play(caseId, DECLINED_FIRST, async (subject) => {
          // Each message meets a process that dies over it, and then, redelivered, one that lives.
          const dying = instanceOn(dyingLog(log, diesAt, when));
          await deliver(dying, subject).catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error;
          });
          await deliver(instanceOn(log), subject);
        });
        const events = await eventsOf(caseId);
        expect(events.filter(isTerminalCaseEvent)).toMatchObject([{ type: 'CaseDiagnosed' }]);
        const steps = events.flatMap((e) => (e.type === 'CaseStepRequested' ? [e.step] : []));
        expect(new Set(steps).size).toBe(steps.length);
      }
    }
  }, 60_000);

  it('is cancelled by a fact that stands before its seal', async () => {
    const { caseId, subjects } = await newCase();
    const instance = instanceOn(log);
    const answers = Object.fromEntries(Object.entries(ACCEPTED).slice(0, 10));
    await play(caseId, answers, (subject) => deliver(instance, subject));
    await put(subjects.in('cancel'), {
      cause: 'PERSON',
      principal: 'demo/ada',
      requestedAt: new Date().toISOString(),
    });
    // The verdict is looked at before the cancellation, which is older all the same.
    await put(subjects.res('semantic', 't5-verdict0-a1' as Step), judged('SUPPORTED'));
    await deliver(instance, subjects.res('semantic', 't5-verdict0-a1' as Step));
    await deliver(instance, subjects.in('cancel'));
    expect((await eventsOf(caseId)).filter(isTerminalCaseEvent)).toMatchObject([
      { type: 'CaseCancelled', cause: 'PERSON' },
    ]);
  });
});
