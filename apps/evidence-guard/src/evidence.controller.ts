import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import {
  evidenceRequested,
  evidenceResult,
  type EvidenceRequested,
  type EvidenceResult,
} from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import { parseSubject, runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore, StoredMessage } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';
import { isStepStopped } from '@inquest/event-log/run-stop';
import { Poison, WorkAborted, type WorkContext } from '@inquest/event-log/work';
import { INTERNAL_RULE } from '@inquest/evidence-rules/validate-draft';
import type { Logger } from '@inquest/service-shell/logger';
import {
  EVENT_LOG,
  PAYLOAD_STORE,
  SERVICE_CONFIG,
  SHELL_LOGGER,
} from '@inquest/service-shell/injection-keys';
import type { EvidenceGuardConfig } from './config';
import { resultOf } from './freeze-result';
import { judgeDraft, type Failed } from './judge-draft';
import { NamedFactsReader } from './named-facts';

/** A follower may be late with a fact that a request names: the message comes back this often before the fact counts as missing. */
const MISSING_RETRIES = 3;
const MISSING_RETRY_MS = 200;

const failed = (failure: Failed['failure']): Failed => ({ kind: 'FAILED', failure });

/** The tenant in `<tenant>/<subject>`. */
const tenantOf = ({ envelope }: StoredMessage): string => envelope.principal?.split('/')[0] || 'default';

/** Judges one draft; a redelivery judges it again, to the same bytes, and the first stored result counts. */
@Controller()
export class EvidenceController {
  private readonly facts: NamedFactsReader;

  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(PAYLOAD_STORE) private readonly payloads: PayloadStore,
    @Inject(SERVICE_CONFIG) private readonly config: EvidenceGuardConfig,
    @Inject(SHELL_LOGGER) private readonly logger: Logger,
  ) {
    this.facts = new NamedFactsReader(log, payloads);
  }

  @EventPattern('evidence')
  async onEvidenceRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const request = evidenceRequested.schema.safeParse(message.data);
    const at = parseSubject(message.subject);
    if (!request.success || at?.family !== 'req')
      throw new Poison(`${message.subject} breaks ${evidenceRequested.type}`);
    const run = runSubjects(at.runId, this.log.partitions);
    const subject = run.res('evidence', at.step);
    if (context.deliveryCount > 1 && (await this.log.readLast(subject, 'any'))) return;
    const result =
      (await this.reasonNotToStart(run, at.step, request.data, context)) ??
      (await this.judge(message, at.runId, request.data, context));
    const frame = {
      subject,
      type: evidenceResult.type,
      source: 'evidence-guard',
      time: new Date().toISOString(),
    };
    await this.log.putIfAbsent(
      subject,
      messageOf({ ...frame, ...causedBy(message.envelope) }, evidenceResult.schema.parse(result)),
    );
  }

  private async reasonNotToStart(
    run: ReturnType<typeof runSubjects>,
    step: string,
    { deadlineAt }: EvidenceRequested,
    context: WorkContext,
  ): Promise<Failed | null> {
    if (await isStepStopped(this.log, run, step, context)) return failed('NOT_STARTED');
    return Date.now() >= Date.parse(deadlineAt) ? failed('TIMEOUT') : null;
  }

  private async judge(
    message: StoredMessage,
    runId: RunId,
    request: EvidenceRequested,
    context: WorkContext,
  ): Promise<EvidenceResult> {
    const startedAtMs = performance.now();
    const read = await this.facts.read(runId, request);
    if (read.kind === 'FAILED') {
      if (read.failure === 'FACT_MISSING' && context.deliveryCount <= MISSING_RETRIES)
        context.retryLater(MISSING_RETRY_MS);
      return read;
    }
    const { reason } = context.signal;
    if (reason instanceof WorkAborted) {
      // Its own process ends: another one judges.
      if (reason.by === 'shutdown') context.retryLater(0);
      return failed(reason.by === 'deadline' ? 'TIMEOUT' : 'NOT_STARTED');
    }
    const linkHosts = this.config.LINK_HOSTS;
    const verdict = judgeDraft(request, read.facts, { runId, linkHosts });
    if (verdict.kind === 'FAILED') return verdict;
    if (verdict.kind === 'REJECTED' && verdict.violations.some(({ ruleId }) => ruleId === INTERNAL_RULE)) {
      this.logger.error('a rule failed on a draft, which is rejected', { subject: message.subject });
    }
    const ms = performance.now() - startedAtMs;
    return resultOf(this.payloads, tenantOf(message), request, verdict, { ms, linkHosts });
  }
}
