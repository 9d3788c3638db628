import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import {
  agentRequested,
  agentResult,
  type AgentRequested,
  type AgentResult,
} from '@inquest/contracts/agent-facts';
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
import { agentResultOf } from './agent-result-of';
import { answerSchemaFor } from './answer-schemas';
import { toolsFor, transcriptOf } from './transcript';

/** One turn of the Diagnosis Agent: one request, one model call. */
@Controller()
export class AgentController {
  constructor(
    private readonly leased: LeasedCalls,
    private readonly endpoint: ModelEndpoint,
    private readonly facts: TranscriptFacts,
    private readonly offered: OfferedTools,
    @Inject(PAYLOAD_STORE) private readonly payloads: PayloadStore,
    @Inject(SERVICE_CONFIG) private readonly config: AgentRunnerConfig,
  ) {}

  @EventPattern('agent')
  async onAgentRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const request = dataUnder(agentRequested, message);
    await this.leased.run({
      message,
      context,
      result: agentResult,
      prepare: () => this.chatRequest(message, request),
      call: (chat, signal) => this.call(message, request, chat, signal),
    });
  }

  private async chatRequest(message: StoredMessage, request: AgentRequested): Promise<ChatRequest> {
    const runId = parseSubject(message.subject)?.runId ?? '';
    const [turns, draft, tools] = await Promise.all([
      this.facts.turns(runId, request),
      request.repair === null ? null : this.facts.draft(runId, request.repair.draftStep),
      this.offered.of(request.source),
    ]);
    return {
      model: this.config.MODEL_AGENT,
      messages: transcriptOf(request, turns, draft),
      ...toolsFor(request, tools),
      answer: answerSchemaFor(request.intent),
      temperature: this.config.MODEL_TEMPERATURE,
    };
  }

  private async call(
    message: StoredMessage,
    request: AgentRequested,
    chat: ChatRequest,
    signal: AbortSignal,
  ): Promise<AgentResult> {
    const ids =
      request.idMode === 'mint' ? { kind: 'mint' as const, turn: request.turn } : { kind: 'strict' as const };
    const outcome = await this.endpoint.attempt({
      ...attemptFor(message, request.deadlineAt, signal),
      request: chat,
      ids,
    });
    return agentResultOf(outcome, request.draftBytesMax, (draft) =>
      storePayload(this.payloads, tenantOf(message), draft),
    );
  }
}
