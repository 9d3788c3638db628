import { Controller, Inject } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { toolRequested, toolResult, type ToolRequested } from '@inquest/contracts/tool-facts';
import { parseSubject, runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, StoredMessage } from '@inquest/event-log/event-log';
import { causedBy, messageOf } from '@inquest/event-log/message';
import { isStepStopped } from '@inquest/event-log/run-stop';
import { Poison, WorkAborted, type WorkContext } from '@inquest/event-log/work';
import { createRedactor } from '@inquest/redaction/redactor';
import { EVENT_LOG } from '@inquest/service-shell/injection-keys';
import { INCIDENT_TOOLSET_TOOLS } from '@inquest/toolsets/incident/incident-toolset';
import { incidentSources } from '@inquest/toolsets/incident-sources';
import type { Environments } from '@inquest/toolsets/sources/environment';
import { runTool, toolsByName } from '@inquest/toolsets/run-tool';
import { dataUnder } from '../facts/requested';
import { TranscriptFacts } from '../facts/transcript-facts';
import { ENVIRONMENTS } from './injection-keys';
import { unrunEntry } from '@inquest/toolsets/unrun-entry';

/** Of a run whose source is not configured: their answer says so. */
const WITHOUT_SOURCE = { tools: toolsByName(INCIDENT_TOOLSET_TOOLS), sources: incidentSources([]) };

/** One accepted tool call. It only reads, so that a redelivery may run it again: the first stored result counts. */
@Controller()
export class ToolController {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(ENVIRONMENTS) private readonly environments: Environments,
    private readonly facts: TranscriptFacts,
  ) {}

  @EventPattern('tool')
  async onToolRequested(message: StoredMessage, context: WorkContext): Promise<void> {
    const request = dataUnder(toolRequested, message);
    const parsed = parseSubject(message.subject);
    if (parsed?.family !== 'req') throw new Poison(`${message.subject} is no request`);
    const { runId, step } = parsed;
    const run = runSubjects(runId, this.log.partitions);
    const subject = run.res('tool', step);
    if (context.deliveryCount > 1 && (await this.log.readLast(subject, 'any'))) return;
    const stopped = await isStepStopped(this.log, run, step, context);
    const entry = await this.entryOf(request, runId, stopped, context);
    const frame = { subject, type: toolResult.type, source: 'agent-runner', time: new Date().toISOString() };
    const put = await this.log.putIfAbsent(
      subject,
      messageOf({ ...frame, ...causedBy(message.envelope) }, toolResult.schema.parse(entry)),
    );
    if (put.kind === 'WRITTEN') this.facts.wrote(subject, entry);
  }

  private async entryOf(
    request: ToolRequested,
    runId: string,
    stopped: boolean,
    context: WorkContext,
  ): Promise<LedgerEntry> {
    if (stopped)
      return unrunEntry(request, WITHOUT_SOURCE.tools.get(request.tool)?.toolset ?? 'none', 'NOT_STARTED');
    const { signal } = context;
    const { tools, sources } = await this.servedFor(request.source, signal);
    const toolset = tools.get(request.tool)?.toolset ?? 'none';
    const entry = await runTool(request, {
      tools,
      sources,
      redactor: createRedactor(runId),
      signal,
    });
    if (entry.errorClass !== 'CANCELLED' || !(signal.reason instanceof WorkAborted)) return entry;
    // Its own process ends: another one runs it anew. Its time is over: that is no cancellation.
    if (signal.reason.by === 'shutdown') return context.retryLater(0);
    return signal.reason.by === 'deadline' ? unrunEntry(request, toolset, 'TIMEOUT') : entry;
  }

  private async servedFor(source: string | null, signal: AbortSignal) {
    const environment = source === null ? undefined : this.environments.find(source);
    if (environment === undefined) return WITHOUT_SOURCE;
    const { tools } = await environment.tools(signal);
    return {
      tools: toolsByName(tools),
      sources: incidentSources(environment.incident ? [environment.incident] : []),
    };
  }
}
