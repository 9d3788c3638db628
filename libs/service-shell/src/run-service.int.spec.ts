import { Controller, Get, HttpException, Inject, Module } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import type { WorkContext } from '@inquest/event-log/work';
import { freePort, startNats, type TestNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import type { NatsConnection } from '@nats-io/transport-node';
import { Observable } from 'rxjs';
import { parseConfig, serviceEnv } from './config';
import { startService, type RunningService } from './run-service';
import { ServiceRegistry } from './service-registry';
import { EVENT_LOG } from './injection-keys';

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

@Controller()
class HelloController {
  @Get('hello')
  hello(): string {
    return 'hello';
  }

  @Get('broken')
  broken(): never {
    throw new HttpException('teapot', 418);
  }
}

@Module({ controllers: [ToolController, HelloController] })
class HybridModule {}

@Controller()
class MistakenController {
  @EventPattern('tools')
  handle(): void {
    throw new Error('never called');
  }
}

@Module({ controllers: [MistakenController] })
class MistakenModule {}

describe('A service on the shell', () => {
  let nats: TestNats;
  let operator: NatsConnection;
  let log: NatsEventLog;
  let service: RunningService;
  let healthPort: number;
  let subjects: ReturnType<typeof runSubjects>;

  beforeAll(async () => {
    nats = await startNats();
    operator = await connectNats({ url: nats.url, service: 'provisioner' });
    await provision(operator);
    log = await NatsEventLog.open(operator);
    subjects = runSubjects(RUN, log.partitions);
    healthPort = await freePort();
    const config = parseConfig(serviceEnv, {
      NATS_URL: nats.url,
      INSTANCE_ID: 'one',
      LOG_LEVEL: 'silent',
      HEALTH_PORT: String(healthPort),
    });
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

  it('answers whether it is alive and ready', async () => {
    for (const path of ['healthz', 'readyz']) {
      const response = await fetch(`http://127.0.0.1:${healthPort}/${path}`);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ ready: true, service: 'knowledge-rag', instance: 'one' });
    }
    expect((await fetch(`http://127.0.0.1:${healthPort}/other`)).status).toBe(404);
  });

  it('announces itself', async () => {
    const registry = await ServiceRegistry.open(operator);
    const [announced] = await waitFor('the announcement', () => {
      const alive = registry.alive('knowledge-rag');
      return alive.length > 0 ? alive : undefined;
    });
    registry.close();
    const later = await ServiceRegistry.open(operator, () => Date.now() + 31_000);
    expect(later.alive()).toEqual([]);
    later.close();
    expect(announced).toMatchObject({ service: 'knowledge-rag', instance: 'one', contractVersion: 1 });
  });
});

describe('The word of a service', () => {
  it('follows its judge at once, and ends with it: to whoever listens and to whoever comes later', async () => {
    const nats = await startNats();
    const operator = await connectNats({ url: nats.url, service: 'operator' });
    await provision(operator);
    const registry = await ServiceRegistry.open(operator);
    const config = parseConfig(serviceEnv, { NATS_URL: nats.url, LOG_LEVEL: 'silent' });
    let healthy = true;
    const service = await startService({
      name: 'semantic-guard',
      module: ToolModule,
      config,
      announce: () => () => ({ judge: { healthy, model: 'm', checkedAt: null, why: null } }),
    });
    const judged = () => registry.alive('semantic-guard')[0]?.judge?.healthy;
    await waitFor('its first word', () => judged() === true || undefined);
    healthy = false;
    // The next beat would come ten seconds later.
    await waitFor('the change', () => judged() === false || undefined, 3_000);
    await service.stop();
    await waitFor('its leaving', () => registry.alive().length === 0 || undefined, 3_000);
    const later = await ServiceRegistry.open(operator);
    expect(later.alive()).toEqual([]);
    for (const open of [registry, later]) open.close();
    await operator.close();
    await nats.stop();
  });
});

describe('A service with an HTTP side', () => {
  it('serves requests and works on the log, and stops both', async () => {
    const nats = await startNats();
    const operator = await connectNats({ url: nats.url, service: 'operator' });
    await provision(operator);
    const log = await NatsEventLog.open(operator);
    const port = await freePort();
    const config = parseConfig(serviceEnv, { NATS_URL: nats.url, LOG_LEVEL: 'silent' });
    const service = await startService({
      name: 'chat-gateway',
      module: HybridModule,
      config,
      http: { port },
    });
    const subjects = runSubjects(RUN, log.partitions);
    const subject = subjects.req('tool', 't1-tool1-a1');
    await log.putIfAbsent(subject, fact(subject, { behave: 'answer' }));
    await waitFor('the answer', () => log.readLast(subjects.res('tool', 't1-tool1-a1'), 'leader'));
    expect(await (await fetch(`http://127.0.0.1:${port}/hello`)).text()).toBe('hello');
    expect((await fetch(`http://127.0.0.1:${port}/broken`)).status).toBe(418);
    const startedAt = performance.now();
    await service.stop();
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    await expect(fetch(`http://127.0.0.1:${port}/hello`)).rejects.toThrow();
    expect(service.nc.isClosed()).toBe(true);
    await operator.close();
    await nats.stop();
  });

  it('refuses a handler for a consumer that does not exist', async () => {
    const nats = await startNats();
    const operator = await connectNats({ url: nats.url, service: 'operator' });
    await provision(operator);
    const config = parseConfig(serviceEnv, { NATS_URL: nats.url, LOG_LEVEL: 'silent' });
    await expect(startService({ name: 'x', module: MistakenModule, config })).rejects.toThrow(
      /'tools' is not|\('tools'\)/,
    );
    await operator.close();
    await nats.stop();
  });
});

const fact = (subject: string, data: unknown, more: { deadline?: string } = {}) =>
  messageOf(
    { subject, type: 'inquest.test.v1', source: 'test', time: new Date().toISOString(), ...more },
    data,
  );
