import type { NatsConnection } from '@nats-io/transport-node';
import type { DataOf, FactContract } from '@inquest/contracts/define-fact';
import type { WorkService } from '@inquest/contracts/ids';
import { runDecision, type RunEvent, type RunEventOf } from '@inquest/contracts/run-decision';
import { runSubjects, type InKind } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import type { StoredMessage } from '@inquest/event-log/event-log';
import type { WorkConsumer } from '@inquest/event-log/consumers';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { readConsumer } from '@inquest/event-log/provisioner';
import { waitFor } from '@inquest/testing/wait-for';

export type Entry = { seq: number; n: number; at: string; events: RunEvent[] };

/** The log as it is on the broker, read by its operator. */
export class RunLog {
  private constructor(
    private readonly nc: NatsConnection,
    readonly log: NatsEventLog,
  ) {}

  static async open(url: string, service = 'operator'): Promise<RunLog> {
    const nc = await connectNats({ url, service });
    return new RunLog(nc, await NatsEventLog.open(nc));
  }

  close(): Promise<void> {
    return this.nc.close();
  }

  /** Makes the log forget what stands under these subjects, as time does. */
  async purge(stream: string, filter: string): Promise<void> {
    const answer = await this.nc.request(`$JS.API.STREAM.PURGE.${stream}`, JSON.stringify({ filter }));
    const { success } = answer.json<{ success?: boolean }>();
    if (success !== true) throw new Error(`${stream} was not purged: ${answer.string()}`);
  }

  /** Waits until the broker has handed somebody a message of the run's partition that nobody has answered yet. */
  async inHand(consumer: WorkConsumer, runId: string): Promise<void> {
    const { stream } = this.subjects(runId);
    await waitFor(`a message of ${consumer} in a worker's hand`, async () => {
      const info = await readConsumer(this.nc, { stream, consumer });
      return (info?.num_ack_pending ?? 0) > 0 || undefined;
    });
  }

  subjects(runId: string) {
    return runSubjects(runId, this.log.partitions);
  }

  async chain(runId: string): Promise<Entry[]> {
    const messages = await this.log.readChain(this.subjects(runId).chain);
    return messages.map(({ seq, data }) => ({ seq, ...runDecision.schema.parse(data) }));
  }

  async events(runId: string): Promise<RunEvent[]> {
    return (await this.chain(runId)).flatMap(({ events }) => events);
  }

  async eventsOf<Type extends RunEvent['type']>(runId: string, type: Type): Promise<RunEventOf<Type>[]> {
    return (await this.events(runId)).filter((event): event is RunEventOf<Type> => event.type === type);
  }

  /** Waits until the chain holds an event that fits; a run is at work by itself, so that only facts are waited for. */
  until<Type extends RunEvent['type']>(
    runId: string,
    type: Type,
    fits: (event: RunEventOf<Type>) => boolean = () => true,
  ): Promise<RunEventOf<Type>> {
    return waitFor(`${type} of ${runId}`, async () => (await this.eventsOf(runId, type)).find(fits), 30_000);
  }

  untilRequested(runId: string, service: WorkService): Promise<RunEventOf<'StepRequested'>> {
    return this.until(runId, 'StepRequested', (event) => event.service === service);
  }

  inbound(runId: string, kind: InKind): Promise<StoredMessage | undefined> {
    return this.log.readLast(this.subjects(runId).in(kind), 'leader');
  }

  untilInbound(runId: string, kind: InKind): Promise<StoredMessage> {
    return waitFor(`in.${kind} of ${runId}`, () => this.inbound(runId, kind));
  }

  result(runId: string, service: WorkService, step: string): Promise<StoredMessage | undefined> {
    return this.log.readLast(this.subjects(runId).res(service, step), 'leader');
  }

  untilResult(runId: string, service: WorkService, step: string): Promise<StoredMessage> {
    return waitFor(`the result of ${step}`, () => this.result(runId, service, step), 30_000);
  }

  async resultData<Contract extends FactContract>(
    contract: Contract,
    runId: string,
    service: WorkService,
    step: string,
  ): Promise<DataOf<Contract>> {
    const { data } = await this.untilResult(runId, service, step);
    return contract.schema.parse(data) as DataOf<Contract>;
  }
}
