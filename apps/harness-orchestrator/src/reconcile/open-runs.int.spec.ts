import type { NatsConnection } from '@nats-io/transport-node';
import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { cutOver } from '@inquest/contracts/platform-facts';
import type { RunId, Step } from '@inquest/contracts/ids';
import type { RunDecision } from '@inquest/contracts/run-decision';
import { CUT_OVER_SUBJECT, runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { parseConfig } from '@inquest/service-shell/config';
import { startService, type RunningService } from '@inquest/service-shell/run-service';
import { startGuardedNats, type GuardedNats } from '@inquest/testing/guarded-nats';
import { waitFor } from '@inquest/testing/wait-for';
import { orchestratorEnv } from '../config';
import { HarnessOrchestratorModule } from '../harness-orchestrator.module';
import { request, routed } from '../run/run.fixtures';
import { openRuns } from './open-runs';

const ROUTED = 't0-router0-a1' as Step;

describe('The first look of a process that starts', () => {
  let nats: GuardedNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  const services: RunningService[] = [];

  beforeAll(async () => {
    nats = await startGuardedNats();
    nc = await connectNats({ url: nats.urlFor('test'), service: 'test' });
    await provision(nc);
    log = await NatsEventLog.open(nc);
    const at = new Date().toISOString();
    const fact = { kind: 'CUT_OVER', contractVersion: CONTRACT_VERSION, ruleSet: RULE_SET, at, by: 'test' };
    await put(CUT_OVER_SUBJECT, cutOver.type, fact);
  });
  afterAll(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await nc.close();
    await nats.stop();
  });

  const startOrchestrator = async (): Promise<RunningService> => {
    const config = parseConfig(orchestratorEnv, {
      NATS_URL: nats.urlFor('harness-orchestrator'),
      LOG_LEVEL: 'error',
    });
    const definition = { name: 'harness-orchestrator', module: HarnessOrchestratorModule, config };
    const service = await startService({ ...definition, interruptible: false });
    services.push(service);
    return service;
  };

  const put = async (subject: string, type: string, data: unknown): Promise<void> => {
    const frame = { subject, type, source: 'test', time: new Date().toISOString() };
    await log.putIfAbsent(subject, messageOf(frame, data));
  };

  it('takes in a result that its predecessor died over, without waiting for a redelivery', async () => {
    const runId = '00000000-0000-8000-8000-000000000001' as RunId;
    const subjects = runSubjects(runId, log.partitions);
    const first = await startOrchestrator();
    const asked = request({ runId, requestedAt: new Date().toISOString() });
    await put(subjects.in('request'), 'inquest.in.request.v1', asked);
    await waitFor('the router step', () => log.readLast(subjects.req('router', ROUTED), 'leader'));
    await first.stop();

    // The result is taken from the consumer and never answered: what a process does that dies over it.
    await put(subjects.res('router', ROUTED), 'inquest.res.router.v1', routed('DIAGNOSIS'));
    const next = `$JS.API.CONSUMER.MSG.NEXT.${subjects.stream}.harness-res`;
    const taken = await nc.request(next, '1', { timeout: 5_000, noMux: true });
    expect(taken.subject).toBe(subjects.res('router', ROUTED));

    await startOrchestrator();
    const decided = await waitFor('the decision over it', async () => {
      const chain = await log.readChain(subjects.chain);
      return chain.find(({ data }) => (data as RunDecision).events.some((e) => e.type === 'IntentDecided'));
    });
    expect((decided.data as RunDecision).took).toEqual([
      expect.objectContaining({ fact: `res.router.${ROUTED}` }),
    ]);
  });

  it('finds exactly the runs that have a wake-up', async () => {
    const found: RunId[] = [];
    for await (const { runId } of openRuns(nc)) found.push(runId);
    expect(found).toEqual(['00000000-0000-8000-8000-000000000001']);
  });
});
