import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { evaluatorRequested, evaluatorResult, type EvaluatorRequested } from '@inquest/contracts/case-facts';
import { parseSubject } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore, StoredMessage } from '@inquest/event-log/event-log';
import { Poison, type WorkContext } from '@inquest/event-log/work';
import { failed, LeasedCalls } from '@inquest/model-client/leased-call';
import { EVENT_LOG, PAYLOAD_STORE, SHELL_LOGGER } from '@inquest/service-shell/injection-keys';
import type { Logger } from '@inquest/service-shell/logger';
import { readCaseEvidence } from './case-evidence';
import { Evaluator } from './evaluator';

/** One pass of an early review: one request, one model call. */
@Controller()
export class EvaluatorController {
  constructor(
    private readonly leased: LeasedCalls,
    private readonly evaluator: Evaluator,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(PAYLOAD_STORE) private readonly payloads: PayloadStore,
    @Inject(SHELL_LOGGER) private readonly logger: Logger,
  ) {}

  @EventPattern('evaluator')
  async onEvaluatorRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const parsed = evaluatorRequested.schema.safeParse(message.data);
    const at = parseSubject(message.subject);
    if (!parsed.success || at?.family !== 'req')
      throw new Poison(`${message.subject} breaks ${evaluatorRequested.type}`);
    const request = parsed.data as EvaluatorRequested;
    const key = `${at.runId}/${at.step}`;
    await this.leased.run({
      message,
      context,
      result: evaluatorResult,
      prepare: () => readCaseEvidence(this.log, this.payloads, at.runId, request),
      call: async (evidence, signal) => {
        if (evidence === undefined) return failed('INVALID_RESPONSE');
        const timeoutMs = Math.max(1, Date.parse(request.deadlineAt) - Date.now());
        const attempt = { idempotencyKey: key, timeoutMs, signal };
        const { result, why } = await this.evaluator.evaluate(request, evidence, attempt);
        if (why !== undefined) this.logger.warn('the evaluator gave no valid evaluation', { key, why });
        return result;
      },
    });
  }
}
