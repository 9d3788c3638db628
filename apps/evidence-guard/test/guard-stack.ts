import type { NatsConnection } from '@nats-io/transport-node';
import type { RunId } from '@inquest/contracts/ids';
import { connectNats } from '@inquest/event-log/connection';
import { natsConfigText } from '@inquest/event-log/nats-config';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { NatsPayloadStore } from '@inquest/event-log/payload-store';
import { SERVICE_USERS, type ServiceUser } from '@inquest/event-log/permissions';
import { provision } from '@inquest/event-log/provisioner';
import { parseConfig } from '@inquest/service-shell/config';
import { startService, type RunningService } from '@inquest/service-shell/run-service';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { evidenceGuardEnv } from '../src/config';
import { EvidenceGuardModule } from '../src/evidence-guard.module';
import { DraftedRun, type Writers } from './drafted-run';

/** A broker with the permissions of production, the guard on it, and the writers whose facts it reads. */
export class GuardStack {
  private runs = 0;
  private constructor(
    private readonly nats: TestNats,
    private readonly connections: NatsConnection[],
    readonly writers: Writers,
    private service: RunningService,
  ) {}

  static async start(): Promise<GuardStack> {
    const passwords = Object.fromEntries(SERVICE_USERS.map((user) => [user, user]));
    const nats = await startNats((at) => natsConfigText({ ...at, passwords }));
    const connections: NatsConnection[] = [];
    const connect = async (user: ServiceUser): Promise<NatsConnection> => {
      const nc = await connectNats({ url: urlOf(nats, user), service: user });
      connections.push(nc);
      return nc;
    };
    await provision(await connect('operator'));
    const agent = await connect('agent-runner');
    const writers: Writers = {
      gateway: await NatsEventLog.open(await connect('chat-gateway')),
      harness: await NatsEventLog.open(await connect('harness-orchestrator')),
      agent: await NatsEventLog.open(agent),
      rag: await NatsEventLog.open(await connect('knowledge-rag')),
      payloads: new NatsPayloadStore(agent),
    };
    return new GuardStack(nats, connections, writers, await startGuard(nats));
  }

  newRun(): DraftedRun {
    this.runs += 1;
    return new DraftedRun(
      `00000000-0000-8000-8000-${String(this.runs).padStart(12, '0')}` as RunId,
      this.writers,
    );
  }

  async restartGuard(whileDown: () => Promise<void>): Promise<void> {
    await this.service.stop();
    await whileDown();
    this.service = await startGuard(this.nats);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await Promise.all(this.connections.map((nc) => nc.close()));
    await this.nats.stop();
  }
}

const urlOf = (nats: TestNats, user: ServiceUser): string =>
  nats.url.replace('nats://', `nats://${user}:${user}@`);

export const LINK_HOST = 'runbooks.example';

const startGuard = (nats: TestNats): Promise<RunningService> =>
  startService({
    name: 'evidence-guard',
    module: EvidenceGuardModule,
    config: parseConfig(evidenceGuardEnv, {
      NATS_URL: urlOf(nats, 'evidence-guard'),
      LOG_LEVEL: 'error',
      LINK_HOSTS: LINK_HOST,
    }),
  });
