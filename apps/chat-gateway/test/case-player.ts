import { caseDecision } from '@inquest/contracts/case-decision';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import type { PlayedCase } from '@inquest/testing/played-case';
import { PLAYED_AT } from '@inquest/testing/played-case-events';
import type { Writers } from './a-run';

/** Writes a played case as its services would, entry by entry. */
export class CasePlayer {
  private next = 0;
  private lastSeq = 0;

  constructor(
    private readonly writers: Writers,
    readonly played: PlayedCase,
  ) {}

  /** What the workers wrote. */
  async results(): Promise<void> {
    const { orchestrator, agentRunner, evidenceGuard } = this.writers;
    const subjects = runSubjects(this.played.request.caseId, orchestrator.partitions);
    for (const [service, step, data] of this.played.results) {
      const [log, source]: [EventLog, string] =
        service === 'evidence' ? [evidenceGuard, 'evidence-guard'] : [agentRunner, 'agent-runner'];
      const subject = subjects.res(service, step);
      const frame = { subject, type: `inquest.res.${service}.v1`, source, time: PLAYED_AT };
      await log.putIfAbsent(subject, messageOf(frame, data));
    }
  }

  /** Appends entries of the chain up to this index (exclusive); returns the last one's position. */
  async decide(until = this.played.entries.length): Promise<number> {
    const { orchestrator } = this.writers;
    const subject = runSubjects(this.played.request.caseId, orchestrator.partitions).caseChain;
    for (; this.next < until; this.next += 1) {
      const events = this.played.entries[this.next];
      const n = this.next;
      const data = caseDecision.schema.parse({ n, prevSeq: this.lastSeq, took: [], at: PLAYED_AT, events });
      const frame = {
        subject,
        type: caseDecision.type,
        source: 'harness-orchestrator',
        time: PLAYED_AT,
        chainIndex: n,
      };
      const appended = await orchestrator.append(subject, messageOf(frame, data), this.lastSeq);
      if (appended.kind !== 'APPENDED') throw new Error('another writer was faster');
      this.lastSeq = appended.seq;
    }
    return this.lastSeq;
  }

  async whole(): Promise<number> {
    await this.results();
    return this.decide();
  }
}
