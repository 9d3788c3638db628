import { Logger } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { caseDecision } from '@inquest/contracts/case-decision';
import type { RunId } from '@inquest/contracts/ids';
import { streamOf } from '@inquest/contracts/subjects';
import type { StoredMessage } from '@inquest/event-log/event-log';
import { runIdOf } from '@inquest/event-log/run-id-of';
import { Tail } from '@inquest/event-log/stream-tail';
import type { CaseEntry } from '@inquest/run-view/folded-case';
import { Followers } from '../stream/followers';

/** The decisions of all cases as they are written: one ordered consumer per partition for the whole gateway. */
export class CaseTail {
  private readonly logger = new Logger(CaseTail.name);
  private readonly followers = new Followers<CaseEntry>();
  private tails: Tail[] = [];

  constructor(
    private readonly nc: NatsConnection,
    private readonly partitions: number,
  ) {}

  /** Resolves when nothing that is written from then on is missed. */
  async start(): Promise<void> {
    this.tails = await Promise.all(
      Array.from({ length: this.partitions }, (_, partition) =>
        Tail.open(this.nc, {
          stream: streamOf(partition),
          filter: `diag.${partition}.*.case`,
          start: 'new',
          onMessage: (message) => this.take(message),
        }),
      ),
    );
  }

  stop(): void {
    for (const tail of this.tails) tail.close();
    this.tails = [];
  }

  /** Calls back for every entry of this case's chain from now on, in order; returns the release. */
  follow(caseId: RunId, onEntry: (entry: CaseEntry) => void): () => void {
    return this.followers.follow(caseId, onEntry);
  }

  private take({ subject, seq, data }: StoredMessage): void {
    const caseId = runIdOf(subject) ?? '';
    if (!this.followers.has(caseId)) return;
    const decision = caseDecision.schema.safeParse(data);
    if (!decision.success) return this.logger.error(`${subject} #${seq} is no decision`);
    this.followers.tell(caseId, { seq, decision: decision.data });
  }
}
