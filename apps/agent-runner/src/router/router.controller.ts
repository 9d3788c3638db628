import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { routerRequested, routerResult } from '@inquest/contracts/agent-facts';
import type { StoredMessage } from '@inquest/event-log/event-log';
import type { WorkContext } from '@inquest/event-log/work';
import { LeasedCalls } from '@inquest/model-client/leased-call';
import { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { SERVICE_CONFIG } from '@inquest/service-shell/injection-keys';
import type { AgentRunnerConfig } from '../config';
import { attemptFor } from '../facts/attempt-for';
import { dataUnder } from '../facts/requested';
import { routerChat, routerResultOf } from './router-answer';

/** One attempt at the intent of a question. */
@Controller()
export class RouterController {
  constructor(
    private readonly leased: LeasedCalls,
    private readonly endpoint: ModelEndpoint,
    @Inject(SERVICE_CONFIG) private readonly config: AgentRunnerConfig,
  ) {}

  @EventPattern('router')
  async onRouterRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const { question, deadlineAt } = dataUnder(routerRequested, message);
    const { MODEL_ROUTER, MODEL_TEMPERATURE } = this.config;
    await this.leased.run({
      message,
      context,
      result: routerResult,
      prepare: () => Promise.resolve(routerChat(MODEL_ROUTER, question, MODEL_TEMPERATURE)),
      call: async (request, signal) =>
        routerResultOf(
          await this.endpoint.attempt({
            ...attemptFor(message, deadlineAt, signal),
            request,
            ids: { kind: 'strict' },
          }),
        ),
    });
  }
}
