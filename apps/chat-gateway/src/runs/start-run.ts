import type { RunId } from '@inquest/contracts/ids';
import { RunStatus } from '@inquest/contracts/run-view';
import { runRequested } from '@inquest/contracts/inbound-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import { gatewayFact } from '../gateway-facts';
import type { GateDecision } from '../gate/gate';
import { ProblemError } from '../http/problem-error';
import type { LiveChains } from '../stream/chain-tail';
import { requestOf, type AcceptedBody, type Asker } from './new-run';
import { runNotFound, type RunReader } from './run-reader';
import { RowsUnavailable } from './read-pool';
import type { RunRows } from './run-rows';

/** `created` false: the same key asked the same before. */
export type StartedRun = { runId: RunId; status: RunStatus; created: boolean; detached: boolean };

export type StartResult = StartedRun | { gate: Exclude<GateDecision, { kind: 'GUARDED' }> };

const keyReused = (): ProblemError =>
  new ProblemError('key-reused', { detail: 'Use a new Idempotency-Key for another question.' });

/** Makes a run exist: one conditional write, whatever else happens around it. */
export class RunStarter {
  constructor(
    private readonly log: EventLog,
    private readonly rows: RunRows,
    private readonly reader: RunReader,
    private readonly live: LiveChains,
    private readonly gate: { decideNow(): Promise<GateDecision> },
  ) {}

  /**
   * `keyed`: the run id derives from a key, so that the run may exist, or have existed. A known run is found whatever
   * the gate says. Throws `key-reused`, and EventLogUnavailable when the write has no answer.
   */
  async start(runId: RunId, keyed: boolean, asker: Asker, accepted: AcceptedBody): Promise<StartResult> {
    const gate = await this.gate.decideNow();
    if (gate.kind !== 'GUARDED') return (keyed && (await this.known(runId, asker, accepted))) || { gate };
    // Facts expire and are erased; the row stays and says that this key was used. Without a key there is nothing to find.
    const row = keyed ? await this.fromRow(runId, accepted) : undefined;
    if (row) return row;
    const request = requestOf(runId, asker, accepted, {
      positions: this.live.knownPositions(),
      now: new Date().toISOString(),
    });
    const subject = runSubjects(runId, this.log.partitions).in('request');
    const put = await this.log.putIfAbsent(
      subject,
      gatewayFact(runRequested, subject, request, { principal: asker.principal }),
    );
    if (put.kind === 'WRITTEN')
      return { runId, status: 'RECEIVED', created: true, detached: request.detached };
    const found = await this.fromLog(runId, asker, accepted);
    if (!found) throw runNotFound();
    return found;
  }

  /** The run of a key, where there is one. */
  find(runId: RunId, asker: Asker, accepted: AcceptedBody): Promise<StartedRun | undefined> {
    return this.known(runId, asker, accepted);
  }

  private async known(runId: RunId, asker: Asker, accepted: AcceptedBody): Promise<StartedRun | undefined> {
    return (await this.fromRow(runId, accepted)) ?? (await this.fromLog(runId, asker, accepted));
  }

  private async fromRow(runId: RunId, { body, bodyHash }: AcceptedBody): Promise<StartedRun | undefined> {
    try {
      const row = await this.rows.byId(runId);
      if (!row) return undefined;
      if (row.bodyHash !== null && row.bodyHash !== bodyHash) throw keyReused();
      return {
        runId,
        status: RunStatus.parse(row.status),
        created: false,
        detached: body.detached ?? false,
      };
    } catch (error) {
      // The log is the truth of every run that it still holds: Postgres being away stops nobody.
      if (error instanceof RowsUnavailable) return undefined;
      throw error;
    }
  }

  private async fromLog(
    runId: RunId,
    { tenant }: Asker,
    { bodyHash }: AcceptedBody,
  ): Promise<StartedRun | undefined> {
    const logged = await this.reader.fromLog(runId, tenant);
    if (!logged) return undefined;
    const { request, folded } = logged;
    if (request.bodyHash !== bodyHash) throw keyReused();
    return { runId, status: folded.view.status, created: false, detached: request.detached };
  }
}
