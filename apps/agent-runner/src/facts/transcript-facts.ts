import type { DataOf, FactContract } from '@inquest/contracts/define-fact';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import {
  agentResult,
  type AgentRequested,
  type AgentResult,
  type TurnRef,
} from '@inquest/contracts/agent-facts';
import { investigatorResult } from '@inquest/contracts/case-facts';
import { ragResult, toolResult } from '@inquest/contracts/tool-facts';
import { runSubjects, type RunSubjects } from '@inquest/contracts/subjects';
import { PayloadUnusable, type EventLog, type PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import { Poison } from '@inquest/event-log/work';
import type { LoadedTurn, LoadedCall } from '../agent/transcript';
import { dataUnder } from './requested';
import { WriteOnceCache } from './write-once-cache';

/** About 16 MB of usual projections. */
const FACTS_MAX = 512;

type Result = { entry: LedgerEntry; projection: string };

/** Reads the facts that a request names, and no others; by name, since a run is never read by wildcard. */
export class TranscriptFacts {
  private readonly replies = new WriteOnceCache<AgentResult>(FACTS_MAX);
  private readonly results = new WriteOnceCache<Result>(FACTS_MAX);

  constructor(
    private readonly log: EventLog,
    private readonly payloads: PayloadStore,
  ) {}

  turns(runId: string, request: AgentRequested): Promise<LoadedTurn[]> {
    const subjects = runSubjects(runId, this.log.partitions);
    return Promise.all(request.history.map((turn) => this.turn(subjects, turn)));
  }

  /** A tool result that was written here and stands in the log: the next turn of its run is likely to come here as well. */
  wrote(subject: string, entry: LedgerEntry): void {
    const { inline } = entry.projection;
    if (inline !== undefined) this.results.put(subject, { entry, projection: inline });
  }

  /** The results of a case's actions, by the id of their calls. */
  async resultsOf(
    caseId: string,
    actions: readonly Pick<TurnRef['calls'][number], 'toolCallId' | 'service' | 'step'>[],
  ): Promise<Map<string, Result>> {
    const subjects = runSubjects(caseId, this.log.partitions);
    const found = await Promise.all(
      actions.map(async (action) => [action.toolCallId, await this.result(subjects, action)] as const),
    );
    return new Map(found);
  }

  /** The text of an earlier final draft of a case. */
  async finalDraft(caseId: string, step: string): Promise<string> {
    const subject = runSubjects(caseId, this.log.partitions).res('investigator', step);
    const reply = await this.read(investigatorResult, subject);
    if (reply.kind !== 'DRAFT') throw new Poison(`step ${step} holds no draft`);
    return usable(loadPayload(this.payloads, reply.draft));
  }

  /** The text of an earlier draft of the run. */
  async draft(runId: string, step: string): Promise<string> {
    const reply = await this.reply(runSubjects(runId, this.log.partitions), step);
    if (reply.kind !== 'DRAFT') throw new Poison(`step ${step} holds no draft`);
    return usable(loadPayload(this.payloads, reply.draft));
  }

  private async turn(subjects: RunSubjects, turn: TurnRef): Promise<LoadedTurn> {
    const [reply, ...results] = await Promise.all([
      this.reply(subjects, turn.replyStep),
      ...turn.calls.map((call) => (call.timedOut ? null : this.result(subjects, call))),
    ]);
    if (reply.kind !== 'TOOL_CALLS') throw new Poison(`step ${turn.replyStep} proposed no calls`);
    const calls = turn.calls.map(({ toolCallId }, i): LoadedCall => {
      // The first of that id: a second one with the same id was never accepted.
      const proposed = reply.calls.find((call) => call.toolCallId === toolCallId);
      if (!proposed) throw new Poison(`step ${turn.replyStep} did not propose one of its calls`);
      return { toolCallId, proposed, result: results[i] ?? null };
    });
    return { calls, rejected: turn.rejected, providerState: reply.providerState };
  }

  private reply(subjects: RunSubjects, step: string): Promise<AgentResult> {
    const subject = subjects.res('agent', step);
    return this.replies.get(subject, () => this.read(agentResult, subject));
  }

  private result(
    subjects: RunSubjects,
    call: Pick<TurnRef['calls'][number], 'service' | 'step'>,
  ): Promise<Result> {
    const subject = subjects.res(call.service, call.step);
    return this.results.get(subject, async () => {
      const entry = await this.read(call.service === 'rag' ? ragResult : toolResult, subject);
      return { entry, projection: await usable(loadPayload(this.payloads, entry.projection)) };
    });
  }

  /** A fact that is named stands in the log. A follower may be late with it: the message comes back a moment later. */
  private async read<Contract extends FactContract>(
    contract: Contract,
    subject: string,
  ): Promise<DataOf<Contract>> {
    const message = await this.log.readLast(subject, 'any');
    if (!message) throw new Error(`${subject} is named by a request and not there (yet)`);
    return dataUnder(contract, message);
  }
}

const usable = (text: Promise<string>): Promise<string> =>
  text.catch((error: unknown) => {
    throw error instanceof PayloadUnusable ? new Poison(error.message, error) : error;
  });
