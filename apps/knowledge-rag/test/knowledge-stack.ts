import type { NatsConnection } from '@nats-io/transport-node';
import type { FactContract } from '@inquest/contracts/define-fact';
import type { RunId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { runSubjects } from '@inquest/contracts/subjects';
import { ragRequested, ragResult, type RagRequested } from '@inquest/contracts/tool-facts';
import { connectNats } from '@inquest/event-log/connection';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import type { ServiceUser } from '@inquest/event-log/permissions';
import { provision } from '@inquest/event-log/provisioner';
import { parseConfig } from '@inquest/service-shell/config';
import { startService, type RunningService } from '@inquest/service-shell/run-service';
import { startGuardedNats, type GuardedNats } from '@inquest/testing/guarded-nats';
import { waitFor } from '@inquest/testing/wait-for';
import { knowledgeEnv } from '../src/config';
import { KnowledgeRagModule } from '../src/knowledge-rag.module';

export const STEP = 't1-tool0-a1';

/** A broker with the permissions of production, the service on it, and the neighbours whose facts it reads. */
export class KnowledgeStack {
  private runs = 0;

  private constructor(
    private readonly nats: GuardedNats,
    private readonly connections: NatsConnection[],
    /** May do everything: for looking. */
    readonly nc: NatsConnection,
    readonly log: NatsEventLog,
    private service: RunningService,
  ) {}

  static async start(): Promise<KnowledgeStack> {
    const nats = await startGuardedNats();
    const connections: NatsConnection[] = [];
    const connect = async (user: ServiceUser | 'test'): Promise<NatsConnection> => {
      const nc = await connectNats({ url: nats.urlFor(user), service: user });
      connections.push(nc);
      return nc;
    };
    await provision(await connect('operator'));
    const nc = await connect('test');
    return new KnowledgeStack(nats, connections, nc, await NatsEventLog.open(nc), await startKnowledge(nats));
  }

  urlFor(user: ServiceUser): string {
    return this.nats.urlFor(user);
  }

  newRun(): RunId {
    this.runs += 1;
    return `00000000-0000-8000-8000-${String(this.runs).padStart(12, '0')}` as RunId;
  }

  subjects(runId: RunId) {
    return runSubjects(runId, this.log.partitions);
  }

  async put(contract: FactContract, subject: string, data: unknown): Promise<void> {
    const frame = {
      subject,
      type: contract.type,
      source: 'test',
      time: new Date().toISOString(),
      principal: 'acme/alice',
    };
    await this.log.putIfAbsent(subject, messageOf(frame, data));
  }

  /** Asks as the harness does; returns the subject of the result. */
  async ask(runId: RunId, args: unknown, over: Partial<RagRequested> = {}): Promise<string> {
    const request = {
      toolCallId: 'call_1_0',
      providerId: 'call_1_0',
      tool: 'knowledge_lookup',
      argumentsText: JSON.stringify(args),
      source: 'shop',
      asOf: '2026-01-01T00:00:00Z',
      projectionBytesMax: 32_768,
      deadlineAt: new Date(Date.now() + 30_000).toISOString(),
      ...over,
    };
    const { req, res } = this.subjects(runId);
    await this.put(ragRequested, req('rag', STEP), request);
    return res('rag', STEP);
  }

  stored(subject: string): Promise<StoredMessage> {
    return waitFor(subject, () => this.log.readLast(subject, 'leader'));
  }

  async lookup(runId: RunId, args: unknown, over: Partial<RagRequested> = {}): Promise<LedgerEntry> {
    const { data } = await this.stored(await this.ask(runId, args, over));
    return ragResult.schema.parse(data) as LedgerEntry;
  }

  /** Another process of the service, after what happened while there was none. */
  async restart(whileDown: () => Promise<void>): Promise<void> {
    await this.service.stop();
    await whileDown();
    this.service = await startKnowledge(this.nats);
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await Promise.all(this.connections.map((nc) => nc.close()));
    await this.nats.stop();
  }
}

const startKnowledge = (nats: GuardedNats): Promise<RunningService> =>
  startService({
    name: 'knowledge-rag',
    module: KnowledgeRagModule,
    config: parseConfig(knowledgeEnv, { NATS_URL: nats.urlFor('knowledge-rag'), LOG_LEVEL: 'silent' }),
  });
