import { randomBytes } from 'node:crypto';
import { Inject, Module, type OnModuleDestroy } from '@nestjs/common';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import { LeasedCalls } from '@inquest/model-client/leased-call';
import { leaseTimingOf } from '@inquest/model-client/lease-timing';
import { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import {
  EVENT_LOG,
  PAYLOAD_STORE,
  SERVICE_CONFIG,
  SERVICE_IDENTITY,
  type ServiceIdentity,
} from '@inquest/service-shell/injection-keys';
import type { Environments } from '@inquest/toolsets/sources/environment';
import { openEnvironments } from '@inquest/toolsets/sources/open-environments';
import { AgentController } from './agent/agent.controller';
import { sourceSecrets, type AgentRunnerConfig } from './config';
import { TranscriptFacts } from './facts/transcript-facts';
import { InvestigatorController } from './investigator/investigator.controller';
import { RouterController } from './router/router.controller';
import { ENVIRONMENTS } from './tools/injection-keys';
import { OfferedTools } from './tools/offered-tools';
import { ToolController } from './tools/tool.controller';

/** Instances may be named alike after a restart; a lease's holder is one process. */
const holderOf = ({ service, instance }: ServiceIdentity): string =>
  `${service}/${instance}/${randomBytes(6).toString('hex')}`;

@Module({
  controllers: [RouterController, AgentController, InvestigatorController, ToolController],
  providers: [
    {
      provide: ModelEndpoint,
      inject: [SERVICE_CONFIG],
      useFactory: (config: AgentRunnerConfig) =>
        new ModelEndpoint({
          baseUrl: config.OPENAI_BASE_URL,
          apiKey: config.OPENAI_API_KEY,
          stream: config.MODEL_STREAM,
        }),
    },
    {
      provide: LeasedCalls,
      inject: [EVENT_LOG, SERVICE_CONFIG, SERVICE_IDENTITY],
      useFactory: (log: EventLog, config: AgentRunnerConfig, identity: ServiceIdentity) =>
        new LeasedCalls({
          log,
          holder: holderOf(identity),
          source: identity.service,
          timing: leaseTimingOf(config.LEASE_MS),
        }),
    },
    {
      provide: TranscriptFacts,
      inject: [EVENT_LOG, PAYLOAD_STORE],
      useFactory: (log: EventLog, payloads: PayloadStore) => new TranscriptFacts(log, payloads),
    },
    {
      provide: ENVIRONMENTS,
      inject: [SERVICE_CONFIG],
      useFactory: (config: AgentRunnerConfig) =>
        openEnvironments({
          folders: config.INCIDENT_SOURCES,
          file: config.INQUEST_CONFIG,
          env: sourceSecrets(),
        }),
    },
    OfferedTools,
  ],
})
export class AgentRunnerModule implements OnModuleDestroy {
  constructor(@Inject(ENVIRONMENTS) private readonly environments: Environments) {}

  onModuleDestroy(): Promise<void> {
    return this.environments.close();
  }
}
