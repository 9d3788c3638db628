import { randomBytes } from 'node:crypto';
import { Module } from '@nestjs/common';
import { hashOf } from '@inquest/contracts/canonical-json';
import type { EventLog } from '@inquest/event-log/event-log';
import { LeasedCalls } from '@inquest/model-client/leased-call';
import { leaseTimingOf } from '@inquest/model-client/lease-timing';
import { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import type { Logger } from '@inquest/service-shell/logger';
import {
  EVENT_LOG,
  SERVICE_CONFIG,
  SERVICE_IDENTITY,
  SHELL_LOGGER,
  type ServiceIdentity,
} from '@inquest/service-shell/injection-keys';
import { CANARIES, CANARIES_HASH } from './canary/canaries';
import { JudgeHealth } from './canary/judge-health';
import { judgeEndpointOf, type SemanticGuardConfig } from './config';
import { Evaluator } from './evaluator/evaluator';
import { EvaluatorController } from './evaluator/evaluator.controller';
import { Judge } from './judge/judge';
import { SemanticController } from './judge/semantic.controller';
import { JUDGE_V1 } from './prompts/judge-v1';

/** Instances may be named alike after a restart; a lease's holder is one process. */
const holderOf = ({ service, instance }: ServiceIdentity): string =>
  `${service}/${instance}/${randomBytes(6).toString('hex')}`;

@Module({
  controllers: [SemanticController, EvaluatorController],
  providers: [
    {
      provide: Judge,
      inject: [SERVICE_CONFIG],
      useFactory: (config: SemanticGuardConfig) =>
        new Judge(new ModelEndpoint(judgeEndpointOf(config)), {
          model: config.MODEL_JUDGE,
          contextBytesMax: config.JUDGE_CONTEXT_BYTES,
        }),
    },
    {
      provide: Evaluator,
      inject: [SERVICE_CONFIG],
      useFactory: (config: SemanticGuardConfig) =>
        new Evaluator(new ModelEndpoint(judgeEndpointOf(config)), {
          model: config.MODEL_EVALUATOR ?? config.MODEL_JUDGE,
          contextBytesMax: config.JUDGE_CONTEXT_BYTES,
        }),
    },
    {
      provide: LeasedCalls,
      inject: [EVENT_LOG, SERVICE_CONFIG, SERVICE_IDENTITY],
      useFactory: (log: EventLog, config: SemanticGuardConfig, identity: ServiceIdentity) =>
        new LeasedCalls({
          log,
          holder: holderOf(identity),
          source: identity.service,
          timing: leaseTimingOf(config.LEASE_MS),
        }),
    },
    {
      provide: JudgeHealth,
      inject: [EVENT_LOG, Judge, SERVICE_CONFIG, SERVICE_IDENTITY, SHELL_LOGGER],
      useFactory: (
        log: EventLog,
        judge: Judge,
        config: SemanticGuardConfig,
        identity: ServiceIdentity,
        logger: Logger,
      ) => {
        const model = config.MODEL_JUDGE;
        const hash = hashOf([judgeEndpointOf(config).baseUrl, model, JUDGE_V1.hash, CANARIES_HASH]);
        return new JudgeHealth({
          log,
          judge,
          canaries: CANARIES,
          hash,
          model,
          holder: holderOf(identity),
          logger,
        });
      },
    },
  ],
})
export class SemanticGuardModule {}
