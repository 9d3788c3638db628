import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import {
  semanticRequested,
  semanticResult,
  type SemanticRequested,
  type SemanticResult,
} from '@inquest/contracts/semantic-facts';
import { parseSubject } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore, StoredMessage } from '@inquest/event-log/event-log';
import { Poison, type WorkContext } from '@inquest/event-log/work';
import { failed, LeasedCalls } from '@inquest/model-client/leased-call';
import type { Logger } from '@inquest/service-shell/logger';
import { EVENT_LOG, PAYLOAD_STORE, SHELL_LOGGER } from '@inquest/service-shell/injection-keys';
import { JudgeHealth } from '../canary/judge-health';
import { readFrozen, type Frozen } from './frozen-snapshot';
import { Judge } from './judge';

type Prepared = { frozen: Frozen | undefined; healthy: boolean };

/** One attempt at one frozen snapshot. */
@Controller()
export class SemanticController {
  constructor(
    private readonly leased: LeasedCalls,
    private readonly judge: Judge,
    private readonly health: JudgeHealth,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(PAYLOAD_STORE) private readonly payloads: PayloadStore,
    @Inject(SHELL_LOGGER) private readonly logger: Logger,
  ) {}

  @EventPattern('semantic')
  async onSemanticRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const request = semanticRequested.schema.safeParse(message.data);
    const at = parseSubject(message.subject);
    if (!request.success || at?.family !== 'req')
      throw new Poison(`${message.subject} breaks ${semanticRequested.type}`);
    const { runId, step } = at;
    await this.leased.run({
      message,
      context,
      result: semanticResult,
      prepare: async (): Promise<Prepared> => {
        const named = {
          runId,
          evidenceStep: request.data.evidenceStep,
          snapshotHash: request.data.snapshotHash,
        };
        const [frozen, healthy] = await Promise.all([
          readFrozen(this.log, this.payloads, named),
          this.health.isHealthy(context.signal),
        ]);
        return { frozen, healthy };
      },
      call: (prepared, signal) => this.attempt(request.data, `${runId}/${step}`, prepared, signal),
    });
  }

  private async attempt(
    request: SemanticRequested,
    idempotencyKey: string,
    { frozen, healthy }: Prepared,
    signal: AbortSignal,
  ): Promise<SemanticResult> {
    if (!healthy) return failed('UNHEALTHY');
    if (!frozen) return failed('INVALID_RESPONSE');
    const timeoutMs = Math.max(1, Date.parse(request.deadlineAt) - Date.now());
    const judgement = await this.judge.judge(frozen, { idempotencyKey, timeoutMs, signal });
    if (judgement.kind === 'FAILED') {
      const { why, ...result } = judgement;
      if (why !== undefined)
        this.logger.warn('the judge gave no valid verdict', { key: idempotencyKey, why });
      return result;
    }
    const { attempt, snapshotHash } = request;
    return { ...judgement, attempt, snapshotHash };
  }
}
