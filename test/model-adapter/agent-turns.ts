import { join } from 'node:path';
import { sha256 } from '@inquest/contracts/canonical-json';
import type { AgentRequested, AgentResult, ProposedCall } from '@inquest/contracts/agent-facts';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { ToolRequested } from '@inquest/contracts/tool-facts';
import type { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { createRedactor } from '@inquest/redaction/redactor';
import { INCIDENT_TOOLSET_TOOLS } from '@inquest/toolsets/incident/incident-toolset';
import { openIncidentSources } from '@inquest/toolsets/incident-sources';
import { runTool, toolsByName } from '@inquest/toolsets/run-tool';
import { agentResultOf } from '../../apps/agent-runner/src/agent/agent-result-of';
import { answerSchemaFor } from '../../apps/agent-runner/src/agent/answer-schemas';
import { toolsFor, transcriptOf, type LoadedTurn } from '../../apps/agent-runner/src/agent/transcript';
import { OFFERED_WITHOUT_SOURCE } from '../../apps/agent-runner/src/tools/offered-tools';
import { requestOf } from '../../apps/harness-orchestrator/src/run/requests-of';
import { RunUnderTest } from '../../apps/harness-orchestrator/src/run/run.fixtures';
import type { OpenStep } from '../../apps/harness-orchestrator/src/run/run.state';

const SHOP = `shop=${join(__dirname, '../../incidents/quiet-evening')}`;

type Reply = Extract<AgentResult, { kind: 'TOOL_CALLS' }>;

/**
 * The turns of one run with everything between them as it is in production, but for the broker: the harness's decider
 * and its requests, the transcript, the adapter, the tools.
 */
export class AgentTurns {
  readonly run: RunUnderTest;
  /** Outcome of the last model call. */
  last: AgentResult | undefined;
  /** Calls that a tool really answered. */
  readonly executed: string[] = [];
  /** Accepted calls that no tool ran, by their class of error. */
  readonly refused: string[] = [];
  private readonly replies = new Map<string, Reply>();
  private readonly entries = new Map<string, LedgerEntry>();
  private readonly tools = toolsByName(INCIDENT_TOOLSET_TOOLS);
  private readonly sources = openIncidentSources(SHOP);

  constructor(idMode: 'strict' | 'mint') {
    this.run = new RunUnderTest({ idMode }).route();
  }

  get sealed(): string | null {
    const sealed = this.run.run.sealed;
    return sealed?.kind === 'FAILED' ? sealed.reason : (sealed?.kind ?? null);
  }

  /** One turn: one model call, then every call that the harness accepted of it. */
  async turn(endpoint: ModelEndpoint, key: string, timeoutMs: number): Promise<void> {
    const open = this.open('agent');
    if (open === undefined) throw new Error('the run asks for no turn');
    const request = requestOf(this.run.run, open).data as AgentRequested;
    const outcome = await endpoint.attempt({
      request: {
        model: 'm',
        messages: transcriptOf(request, this.history(request), null),
        ...toolsFor(request, OFFERED_WITHOUT_SOURCE),
        answer: answerSchemaFor(request.intent),
      },
      idempotencyKey: key,
      ids: request.idMode === 'mint' ? { kind: 'mint', turn: request.turn } : { kind: 'strict' },
      timeoutMs,
      signal: new AbortController().signal,
    });
    const result = await agentResultOf(outcome, request.draftBytesMax, (draft) =>
      Promise.resolve({ sha256: sha256(draft), bytes: Buffer.byteLength(draft), inline: draft }),
    );
    this.last = result;
    if (result.kind === 'TOOL_CALLS') this.replies.set(open.step, result);
    this.run.agent(result);
    for (let tool = this.open('tool'); tool; tool = this.open('tool')) await this.execute(tool);
  }

  private open(service: OpenStep['service']): OpenStep | undefined {
    return this.run.run.open.find((step) => step.service === service);
  }

  private async execute(open: OpenStep): Promise<void> {
    const request = requestOf(this.run.run, open).data as ToolRequested;
    const entry = await runTool(request, {
      tools: this.tools,
      sources: this.sources,
      redactor: createRedactor('run'),
      signal: new AbortController().signal,
    });
    (entry.errorClass === null ? this.executed : this.refused).push(
      entry.errorClass === null ? entry.toolCallId : entry.errorClass,
    );
    this.entries.set(entry.toolCallId, entry);
    this.run.answer(open.step, { service: 'tool', result: entry });
  }

  private history(request: AgentRequested): LoadedTurn[] {
    return request.history.map(({ replyStep, calls, rejected }) => {
      const reply = this.replies.get(replyStep);
      if (reply === undefined) throw new Error(`${replyStep} is in no transcript`);
      return {
        rejected,
        providerState: reply.providerState,
        calls: calls.map(({ toolCallId }) => {
          const entry = this.entries.get(toolCallId);
          const proposed = reply.calls.find((call) => call.toolCallId === toolCallId) as ProposedCall;
          return {
            toolCallId,
            proposed,
            result: entry ? { entry, projection: entry.projection.inline ?? '' } : null,
          };
        }),
      };
    });
  }
}
