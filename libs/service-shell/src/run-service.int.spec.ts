import { Controller, Inject, Module } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import type { WorkContext } from '@inquest/event-log/work';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import type { NatsConnection } from '@nats-io/transport-node';
import { Observable } from 'rxjs';
import { parseConfig, serviceEnv } from './config';
import { startService, type RunningService } from './run-service';
import { ServiceRegistry } from './service-registry';
import { EVENT_LOG } from './tokens';

const RUN = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162';

/** Answers every tool request with a result; what a request's data asks for happens before. */
@Controller()
class ToolController {
  static readonly contexts: WorkContext[] = [];

  constructor(@Inject(EVENT_LOG) private readonly log: EventLog) {}

  @EventPattern('tool')
  async onToolRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    ToolController.contexts.push(context);
    const { behave } = message.data as { behave: string };
    if (behave === 'throw once' && context.deliveryCount === 1) throw new TypeError('broken once');
    if (behave === 'wait for abort')
      await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
    const subject = message.subject.replace('.req.', '.res.');
    await this.log.putIfAbsent(
      subject,
      fact(subject, { behave, deliveryCount: context.deliveryCount, reason: String(context.signal.reason) }),
    );
  }

  /** Nest passes Observables through as they are: the ack has to wait for their end. */
  @EventPattern('rag')
  onRagRequested(message: StoredMessage): Observable<unknown> {
    const subject = message.subject.replace('.req.', '.res.');
    return new Observable((subscriber) => {
      void this.log.putIfAbsent(subject, fact(subject, {})).then(() => subscriber.complete());
    });
  }
}

@Module({ controllers: [ToolController] })
class ToolModule {}

describe('A service on the shell', () => {
  let nats: TestNats;
  let operator: NatsConnection;
  let log: NatsEventLog;
  let service: RunningService;
  let subjects: ReturnType<typeof runSubjects>;

  beforeAll(async () => {
    nats = await startNats();
    operator = await connectNats({ url: nats.url, service: 'provisioner' });
    await provision(operator);
    log = await NatsEventLog.open(operator);
    subjects = runSubjects(RUN, log.partitions);
    const config = parseConfig(serviceEnv, { NATS_URL: nats.url, INSTANCE_ID: 'one', LOG_LEVEL: 'warn' });
    service = await startService({ name: 'knowledge-rag', module: ToolModule, config });
  });

  afterAll(async () => {
    await service.stop();
    await operator.close();
    await nats.stop();
  });

  const request = async (step: string, data: unknown, more = {}): Promise<string> => {
    const subject = subjects.req('tool', step);
    await log.putIfAbsent(subject, fact(subject, data, more));
    return subjects.res('tool', step);
  };
  const result = (subject: string) => waitFor(subject, () => log.readLast(subject, 'leader'));

  it('hands a request to the handler named by its consumer', async () => {
    const answer = await result(await request('t1-tool1-a1', { behave: 'answer' }));
    expect(answer.data).toMatchObject({ behave: 'answer', deliveryCount: 1 });
  });

  it('delivers again what the handler threw on, with the error class kept', async () => {
    const answer = await result(await request('t1-tool2-a1', { behave: 'throw once' }));
    expect(answer.data).toMatchObject({ deliveryCount: 2 });
  });

  it('aborts the signal when the run is cancelled', async () => {
    const subject = await request('t1-tool3-a1', { behave: 'wait for abort' });
    const seen = ToolController.contexts.length;
    await waitFor('the handler to start', () => ToolController.contexts.length > seen - 1 || undefined);
    await log.putIfAbsent(subjects.in('cancel'), fact(subjects.in('cancel'), {}));
    expect((await result(subject)).data).toMatchObject({ reason: expect.stringContaining('interrupt') });
  });

  it('aborts the signal at the step deadline', async () => {
    const deadline = new Date(Date.now() + 150).toISOString();
    const answer = await result(await request('t1-tool4-a1', { behave: 'wait for abort' }, { deadline }));
    expect(answer.data).toMatchObject({ reason: expect.stringContaining('deadline') });
  });

  it('waits for an Observable before it acknowledges', async () => {
    const subject = subjects.req('rag', 't1-tool5-a1');
    await log.putIfAbsent(subject, fact(subject, {}));
    await result(subjects.res('rag', 't1-tool5-a1'));
  });

  it('announces itself', async () => {
    const registry = await ServiceRegistry.open(operator);
    const [announced] = await waitFor('the announcement', () => {
      const alive = registry.alive('knowledge-rag');
      return alive.length > 0 ? alive : undefined;
    });
    registry.close();
    expect(announced).toMatchObject({ service: 'knowledge-rag', instance: 'one', contractVersion: 1 });
  });
});

const fact = (subject: string, data: unknown, more: { deadline?: string } = {}) =>
  messageOf(
    { subject, type: 'inquest.test.v1', source: 'test', time: new Date().toISOString(), ...more },
    data,
  );
