import {
  Injectable,
  type BeforeApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { CaseStreams } from './cases/case-streams';
import { CaseTail } from './cases/case-tail';
import { EntryAnswers } from './entry/entry-answers';
import { GateReader } from './gate/gate-reader';
import { ChainTail } from './stream/chain-tail';
import { EventStreams } from './stream/event-streams';
import { OwnerStreams } from './stream/owner-streams';

/** What runs beside the requests: begun before the first is taken, ended before the server waits for its connections. */
@Injectable()
export class GatewayLifecycle implements OnModuleInit, OnModuleDestroy, BeforeApplicationShutdown {
  constructor(
    private readonly tail: ChainTail,
    private readonly gate: GateReader,
    private readonly streams: EventStreams,
    private readonly owners: OwnerStreams,
    private readonly entryAnswers: EntryAnswers,
    private readonly caseTail: CaseTail,
    private readonly caseStreams: CaseStreams,
  ) {}

  async onModuleInit(): Promise<void> {
    await Promise.all([this.tail.start(), this.caseTail.start(), this.gate.start()]);
  }

  onModuleDestroy(): void {
    this.streams.stop();
    this.caseStreams.stop();
    this.owners.stop();
    this.entryAnswers.stop();
  }

  beforeApplicationShutdown(): void {
    this.tail.stop();
    this.caseTail.stop();
    this.gate.stop();
  }
}
