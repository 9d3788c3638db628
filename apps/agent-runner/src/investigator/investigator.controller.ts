import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import {
  investigatorRequested,
  investigatorResult,
  type InvestigatorRequested,
} from '@inquest/contracts/case-facts';
import { parseSubject } from '@inquest/contracts/subjects';
import type { PayloadStore, StoredMessage } from '@inquest/event-log/event-log';
import { storePayload } from '@inquest/event-log/payloads';
import type { WorkContext } from '@inquest/event-log/work';
import type { ChatRequest } from '@inquest/model-client/chat-request';
import { LeasedCalls } from '@inquest/model-client/leased-call';
import { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { PAYLOAD_STORE, SERVICE_CONFIG } from '@inquest/service-shell/injection-keys';
import type { AgentRunnerConfig } from '../config';
import { attemptFor } from '../facts/attempt-for';
import { dataUnder, tenantOf } from '../facts/requested';
import { TranscriptFacts } from '../facts/transcript-facts';
import { OfferedTools } from '../tools/offered-tools';
import { caseTranscript } from './case-transcript';
import { investigatorResultOf, investigatorSchema } from './investigator-answer';

/** One turn of the investigator of a case: one request, one model call, under the version that the request names. */
@Controller()
export class InvestigatorController {
  constructor(
    private readonly leased: LeasedCalls,
    private readonly endpoint: ModelEndpoint,
    private readonly facts: TranscriptFacts,
    private readonly offered: OfferedTools,
    @Inject(PAYLOAD_STORE) private readonly payloads: PayloadStore,
    @Inject(SERVICE_CONFIG) private readonly config: AgentRunnerConfig,
  ) {}

  @EventPattern('investigator')
  async onInvestigatorRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const request = dataUnder(investigatorRequested, message);
    await this.leased.run({
      message,
      context,
      result: investigatorResult,
      prepare: () => this.chatRequest(message, request),
      call: async (chat, signal) => {
        const outcome = await this.endpoint.attempt({
          ...attemptFor(message, request.deadlineAt, signal),
          request: chat,
          ids: { kind: 'strict' },
        });
        return investigatorResultOf(outcome, request, (draft) =>
          storePayload(this.payloads, tenantOf(message), draft),
        );
      },
    });
  }

  private async chatRequest(message: StoredMessage, request: InvestigatorRequested): Promise<ChatRequest> {
    const caseId = parseSubject(message.subject)?.runId ?? '';
    const [evidence, draft, tools] = await Promise.all([
      this.facts.resultsOf(
        caseId,
        request.actions.filter(({ state }) => state === 'settled'),
      ),
      request.repair === null ? null : this.facts.finalDraft(caseId, request.repair.draftStep),
      this.offered.of(request.source),
    ]);
    return {
      model: this.config.MODEL_AGENT,
      messages: caseTranscript(request, evidence, draft),
      tools,
      toolChoice: 'none',
      answer: investigatorSchema(request.mode, request.promptVersion),
      temperature: this.config.MODEL_TEMPERATURE,
    };
  }
}
