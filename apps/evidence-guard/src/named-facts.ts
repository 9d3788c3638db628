import { agentResult } from '@inquest/contracts/agent-facts';
import { investigatorResult } from '@inquest/contracts/case-facts';
import type { EvidenceRequested } from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import { LedgerEntry } from '@inquest/contracts/ledger';
import { runSubjects, type RunSubjects } from '@inquest/contracts/subjects';
import { PayloadUnusable, type EventLog, type PayloadStore } from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import type { LedgerRecord } from '@inquest/evidence-rules/guard-input';
import type { Failed, NamedFacts } from './judge-draft';

type Named = EvidenceRequested['ledger'][number];

/** A named fact is not there, or is not what the request says it is. */
class Unreadable extends Error {
  constructor(readonly failure: Failed['failure']) {
    super(failure);
    this.name = 'Unreadable';
  }
}

/** Reads exactly the facts that a request names, by their subjects, and the objects that those facts name; nothing else of the run. */
export class NamedFactsReader {
  constructor(
    private readonly log: EventLog,
    private readonly payloads: PayloadStore,
  ) {}

  async read(
    runId: RunId,
    request: EvidenceRequested,
  ): Promise<{ kind: 'FACTS'; facts: NamedFacts } | Failed> {
    const run = runSubjects(runId, this.log.partitions);
    try {
      const [draftText, previousDraftText, ...ledger] = await Promise.all([
        this.draft(run, request.draftStep, request.draftService),
        request.previousDraftStep === null
          ? undefined
          : this.draft(run, request.previousDraftStep, request.draftService),
        ...request.ledger.map((named) => this.record(run, named)),
      ]);
      return { kind: 'FACTS', facts: { draftText, previousDraftText, ledger } };
    } catch (error) {
      if (error instanceof Unreadable) return { kind: 'FAILED', failure: error.failure };
      if (error instanceof PayloadUnusable) return { kind: 'FAILED', failure: 'PAYLOAD_UNUSABLE' };
      throw error;
    }
  }

  /** A run's drafts are its agent's, a case's its investigator's. */
  private async draft(
    run: RunSubjects,
    step: string,
    service: EvidenceRequested['draftService'] = 'agent',
  ): Promise<string> {
    const { schema } = service === 'agent' ? agentResult : investigatorResult;
    const result = schema.safeParse(await this.fact(run.res(service, step))).data;
    if (result?.kind !== 'DRAFT') throw new Unreadable('FACT_MISSING');
    return loadPayload(this.payloads, result.draft);
  }

  private async record(
    run: RunSubjects,
    { toolCallId, tool, service, step, status }: Named,
  ): Promise<LedgerRecord> {
    if (status === 'PROJECTING') return { kind: 'PROJECTING', toolCallId, tool };
    const parsed = LedgerEntry.safeParse(await this.fact(run.res(service, step)));
    if (!parsed.success || parsed.data.toolCallId !== toolCallId || parsed.data.status !== status)
      throw new Unreadable('PAYLOAD_UNUSABLE');
    const { projection } = parsed.data;
    // The digest of an inline text is rule 8's to check, so that a changed ledger shows as what it is.
    return {
      kind: 'RESULT',
      entry: parsed.data,
      projection: projection.inline ?? (await loadPayload(this.payloads, projection)),
    };
  }

  private async fact(subject: string): Promise<unknown> {
    const message = await this.log.readLast(subject, 'any');
    if (!message) throw new Unreadable('FACT_MISSING');
    return message.data;
  }
}
