import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { parseSubject, runSubjects } from '@inquest/contracts/subjects';
import { ragRequested, ragResult, type RagRequested } from '@inquest/contracts/tool-facts';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';
import { isStepStopped } from '@inquest/event-log/run-stop';
import { Poison, WorkAborted, type WorkContext } from '@inquest/event-log/work';
import { createRedactor } from '@inquest/redaction/redactor';
import type { Logger } from '@inquest/service-shell/logger';
import { EVENT_LOG, SHELL_LOGGER } from '@inquest/service-shell/injection-keys';
import { KNOWLEDGE_LOOKUP } from '@inquest/toolsets/catalogue';
import { unrunEntry } from '@inquest/toolsets/unrun-entry';
import { lookUp } from './lookup/lookup';
import { LivingKnowledge } from './documents/living-knowledge';

/** One accepted lookup. It only reads, so that a redelivery may make it again: the first stored result counts. */
@Controller()
export class KnowledgeLookupController {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(SHELL_LOGGER) private readonly logger: Logger,
    private readonly knowledge: LivingKnowledge,
  ) {}

  @EventPattern('rag')
  async onRagRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const request = ragRequested.schema.safeParse(message.data);
    const at = parseSubject(message.subject);
    if (!request.success || at?.family !== 'req') {
      throw new Poison(`${message.subject} breaks ${ragRequested.type}`, request.error);
    }
    const run = runSubjects(at.runId, this.log.partitions);
    const subject = run.res('rag', at.step);
    if (context.deliveryCount > 1 && (await this.log.readLast(subject, 'any'))) return;
    const stopped = await isStepStopped(this.log, run, at.step, context);
    const entry = await this.entryOf(request.data, at.runId, stopped, context);
    const frame = { subject, type: ragResult.type, source: 'knowledge-rag', time: new Date().toISOString() };
    // EXISTS is as good as WRITTEN: somebody else's delivery of the same request was faster.
    await this.log.putIfAbsent(
      subject,
      messageOf({ ...frame, ...causedBy(message.envelope) }, ragResult.schema.parse(entry)),
    );
  }

  private async entryOf(
    request: RagRequested,
    runId: string,
    stopped: boolean,
    { signal, retryLater }: WorkContext,
  ): Promise<LedgerEntry> {
    const redactor = createRedactor(runId);
    if (stopped) return unrunEntry(request, KNOWLEDGE_LOOKUP.toolset, 'NOT_STARTED');
    if (Date.now() >= Date.parse(request.deadlineAt))
      return unrunEntry(request, KNOWLEDGE_LOOKUP.toolset, 'TIMEOUT');
    const entry = await lookUp(request, {
      search: (query, limit, until) => this.knowledge.search(query, limit, until),
      redactor,
      signal,
      onFailure: ({ cause, ...failure }) =>
        this.logger.info('a lookup failed', { runId, ...failure, cause: nameOf(cause) }),
    });
    if (entry.errorClass !== 'CANCELLED' || !(signal.reason instanceof WorkAborted)) return entry;
    // Its own process ends: another one makes the lookup. Its time is over: that is no cancellation.
    if (signal.reason.by === 'shutdown') return retryLater(0);
    return signal.reason.by === 'deadline' ? unrunEntry(request, KNOWLEDGE_LOOKUP.toolset, 'TIMEOUT') : entry;
  }
}

/** Messages of errors may quote what was asked; their kind does not. */
const nameOf = (cause: unknown): string | undefined => (cause instanceof Error ? cause.name : undefined);
