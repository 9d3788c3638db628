import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { INestApplication, Type } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import type { RunId, Step, WorkService } from '@inquest/contracts/ids';
import { isTerminal, runDecision, type RunDecision, type RunEvent } from '@inquest/contracts/run-decision';
import { runSubjects, type RunSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { NatsPayloadStore } from '@inquest/event-log/payload-store';
import type { ServiceUser } from '@inquest/event-log/permissions';
import { provision } from '@inquest/event-log/provisioner';
import { cutOverOnce } from '@inquest/local-stack/provision-log';
import { parseConfig, type ServiceEnv } from '@inquest/service-shell/config';
import {
  startService,
  type RunningService,
  type ServiceDefinition,
} from '@inquest/service-shell/run-service';
import { startGuardedNats, type GuardedNats } from '@inquest/testing/guarded-nats';
import { startTestPostgres, type TestPostgres } from '@inquest/testing/postgres-server';
import { startScriptedModel, type ScriptedModel } from '@inquest/testing/scripted-model';
import { scriptedRun, type ScriptedRunKnobs } from '@inquest/testing/scripted-run';
import { waitFor } from '@inquest/testing/wait-for';
import type { ChainEntry } from '@inquest/run-view/fold-run';
import { AgentRunnerModule } from '../../../apps/agent-runner/src/agent-runner.module';
import { agentRunnerEnv } from '../../../apps/agent-runner/src/config';
import { chatGateway } from '../../../apps/chat-gateway/src/chat-gateway';
import { gatewayEnv } from '../../../apps/chat-gateway/src/config';
import { evidenceGuardEnv } from '../../../apps/evidence-guard/src/config';
import { EvidenceGuardModule } from '../../../apps/evidence-guard/src/evidence-guard.module';
import { orchestratorEnv } from '../../../apps/harness-orchestrator/src/config';
import { HarnessOrchestratorModule } from '../../../apps/harness-orchestrator/src/harness-orchestrator.module';
import { knowledgeEnv } from '../../../apps/knowledge-rag/src/config';
import { KnowledgeRagModule } from '../../../apps/knowledge-rag/src/knowledge-rag.module';
import { projectorEnv } from '../../../apps/run-projector/src/config';
import { RunProjectorModule } from '../../../apps/run-projector/src/run-projector.module';
import { JudgeHealth } from '../../../apps/semantic-guard/src/canary/judge-health';
import { semanticGuardEnv } from '../../../apps/semantic-guard/src/config';
import { SemanticGuardModule } from '../../../apps/semantic-guard/src/semantic-guard.module';

const TOKEN = 'token-of-a-consumer-that-asks';
const INCIDENT = 'checkout-pool-exhaustion';
export const PUBLISHER = 'portal';

/** The names under which the roles are asked: those of the offline analyst, which the script does not look at. */
export const ROUTER = 'rules-router';
export const AUTHOR = 'rules-diagnosis';
export const JUDGE = 'rules-judge';

export type Asked = {
  question?: string;
  sessionId?: string;
  detached?: boolean;
  disconnectGraceMs?: number;
  source?: string;
};

/**
 * Every service of the system as it really runs, in this process, over a broker with the users and permissions of
 * production and a model that plays a script: the producers whose output the consumers' contracts are held against.
 */
export class SystemInProcess {
  private readonly services: RunningService[] = [];
  private readonly readers: NatsConnection[] = [];
  private gatewayUrl = '';

  private constructor(
    private readonly nats: GuardedNats,
    readonly postgres: TestPostgres | undefined,
    readonly model: ScriptedModel,
    /** May do everything: for looking. */
    readonly nc: NatsConnection,
    readonly log: NatsEventLog,
    readonly payloads: NatsPayloadStore,
  ) {}

  /** `modelUrl`: another endpoint than the script's, for everything that asks a model. */
  static async start(options: { database?: boolean; modelUrl?: string } = {}): Promise<SystemInProcess> {
    const [nats, postgres, model] = await Promise.all([
      startGuardedNats([PUBLISHER]),
      options.database ? startTestPostgres() : undefined,
      startScriptedModel(scriptedRun()),
    ]);
    const nc = await connectNats({ url: nats.urlFor('test'), service: 'test' });
    await provision(nc);
    const log = await NatsEventLog.open(nc);
    const system = new SystemInProcess(nats, postgres, model, nc, log, new NatsPayloadStore(nc));
    await system.startServices(options.modelUrl ?? model.url);
    return system;
  }

  async stop(): Promise<void> {
    await Promise.all(this.services.map((service) => service.stop()));
    await Promise.all([this.nc, ...this.readers].map((nc) => nc.close()));
    await Promise.all([this.nats.stop(), this.postgres?.stop(), this.model.close()]);
  }

  urlFor(user: ServiceUser | 'test' | `publisher-${string}`): string {
    return this.nats.urlFor(user);
  }

  /** The log as a consumer of this name may read it, and no more. */
  async logAs(user: ServiceUser): Promise<{ log: NatsEventLog; payloads: NatsPayloadStore }> {
    const nc = await connectNats({ url: this.urlFor(user), service: user });
    this.readers.push(nc);
    return { log: await NatsEventLog.open(nc), payloads: new NatsPayloadStore(nc) };
  }

  private async startServices(modelUrl: string): Promise<void> {
    const model = { OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'sk-test' };
    const author = { ...model, MODEL_ROUTER: ROUTER, MODEL_AGENT: AUTHOR };
    const sources = { INCIDENT_SOURCES: `${INCIDENT}=${join(__dirname, '../../../incidents', INCIDENT)}` };
    const reader: Record<string, string> = this.postgres ? { DATABASE_URL: this.postgres.readerUrl } : {};
    const env = (user: ServiceUser, more: Record<string, string> = {}) => ({
      NATS_URL: this.urlFor(user),
      LOG_LEVEL: 'silent',
      ...more,
    });
    await Promise.all([
      this.add(
        'harness-orchestrator',
        HarnessOrchestratorModule,
        parseConfig(orchestratorEnv, env('harness-orchestrator', reader)),
        {
          interruptible: false,
        },
      ),
      this.add(
        'agent-runner',
        AgentRunnerModule,
        parseConfig(agentRunnerEnv, env('agent-runner', { ...author, ...sources })),
      ),
      this.add('evidence-guard', EvidenceGuardModule, parseConfig(evidenceGuardEnv, env('evidence-guard')), {
        announce: () => () => ({ ruleSet: RULE_SET }),
      }),
      this.add(
        'semantic-guard',
        SemanticGuardModule,
        parseConfig(semanticGuardEnv, env('semantic-guard', { ...model, MODEL_JUDGE: JUDGE })),
        { announce: (app) => () => ({ judge: app.get(JudgeHealth).announcement() }) },
      ),
      this.add('knowledge-rag', KnowledgeRagModule, parseConfig(knowledgeEnv, env('knowledge-rag'))),
      this.postgres &&
        this.add(
          'run-projector',
          RunProjectorModule,
          parseConfig(projectorEnv, env('run-projector', { DATABASE_URL: this.postgres.url })),
          { interruptible: false },
        ),
    ]);
    await this.startGateway(env('chat-gateway', reader));
  }

  private async add<Config extends ServiceEnv>(
    name: ServiceUser,
    module: Type,
    config: Config,
    more: Pick<ServiceDefinition<Config>, 'announce' | 'interruptible'> = {},
  ): Promise<void> {
    this.services.push(await startService({ name, module, config, ...more }));
  }

  private async startGateway(env: Record<string, string>): Promise<void> {
    const grants = [{ token: TOKEN, tenant: 'acme', subject: 'ada', scopes: ['ask', 'operate'] }];
    const config = parseConfig(gatewayEnv, {
      ...env,
      PORT: '0',
      TOKENS: JSON.stringify(grants),
      PUBLISHERS: JSON.stringify([{ publisher: PUBLISHER, tenants: ['acme'] }]),
    });
    const service = await startService(chatGateway(config));
    this.services.push(service);
    const { port } = (service.app as INestApplication).getHttpServer().address() as AddressInfo;
    this.gatewayUrl = `http://127.0.0.1:${port}`;
    await cutOverOnce(this.urlFor('operator'));
    await waitFor('the gate to open', async () => {
      const { entry } = (await (await this.http('GET', '/v1/system')).json()) as { entry: { path: string } };
      return entry.path === 'GUARDED' || undefined;
    });
  }

  http(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(`${this.gatewayUrl}${path}`, {
      method,
      signal,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }

  play(knobs: ScriptedRunKnobs): void {
    this.model.play(scriptedRun(knobs));
  }

  async ask(asked: Asked = {}): Promise<{ runId: RunId; streamToken?: string }> {
    const body = { question: 'Why is checkout failing?', source: INCIDENT, detached: true, ...asked };
    const response = await this.http('POST', '/v1/runs', body);
    if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
    return (await response.json()) as { runId: RunId; streamToken?: string };
  }

  /** A whole run from the question to its end. */
  async run(knobs: ScriptedRunKnobs, asked: Asked = {}): Promise<RunId> {
    this.play(knobs);
    const { runId } = await this.ask(asked);
    await this.ended(runId);
    return runId;
  }

  ended(runId: RunId): Promise<unknown> {
    return waitFor(`the end of ${runId}`, async () => (await this.events(runId)).find(isTerminal));
  }

  subjects(runId: RunId): RunSubjects {
    return runSubjects(runId, this.log.partitions);
  }

  async chain(runId: RunId): Promise<ChainEntry[]> {
    const messages = await this.log.readChain(this.subjects(runId).chain);
    return messages.map(({ seq, data }) => ({
      seq,
      decision: runDecision.schema.parse(data) as RunDecision,
    }));
  }

  async events(runId: RunId): Promise<RunEvent[]> {
    return (await this.chain(runId)).flatMap(({ decision }) => decision.events);
  }

  async eventsOf<Name extends RunEvent['type']>(
    runId: RunId,
    type: Name,
  ): Promise<Extract<RunEvent, { type: Name }>[]> {
    return (await this.events(runId)).filter((event) => event.type === type) as Extract<
      RunEvent,
      { type: Name }
    >[];
  }

  /** A fact as it stands in the log; waits for it. */
  message(subject: string): Promise<StoredMessage> {
    return waitFor(subject, () => this.log.readLast(subject, 'leader'));
  }

  /** The requests and the results of every step of a run that a service was asked for, in their order. */
  async steps(
    runId: RunId,
    service: WorkService,
  ): Promise<{ step: Step; req: StoredMessage; res: StoredMessage }[]> {
    const subjects = this.subjects(runId);
    const steps = (await this.eventsOf(runId, 'StepRequested')).filter((event) => event.service === service);
    return Promise.all(
      steps.map(async ({ step }) => ({
        step,
        req: await this.message(subjects.req(service, step)),
        res: await this.message(subjects.res(service, step)),
      })),
    );
  }
}
