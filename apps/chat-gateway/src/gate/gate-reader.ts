import { Logger } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { cutOver, type CutOver, type ServiceAnnounced } from '@inquest/contracts/platform-facts';
import { CUT_OVER_SUBJECT } from '@inquest/contracts/subjects';
import { readControl } from '@inquest/event-log/control';
import type { EventLog } from '@inquest/event-log/event-log';
import { admissionOf, readPartitionStates, type StreamState } from '@inquest/event-log/stream-state';
import { ServiceRegistry } from '@inquest/service-shell/service-registry';
import { decideGate, guardsProblem, type GateDecision } from './gate';

/** A roll-back takes effect within this; a cut-over at once, see {@link GateReader.decideNow}. */
const CONTROL_EVERY_MS = 1_000;
const PARTITIONS_EVERY_MS = 3_000;

/** Keeps what the gate decides on at hand, so that no question waits for it. */
export class GateReader {
  private readonly logger = new Logger(GateReader.name);
  private registry: ServiceRegistry | undefined;
  private current: CutOver | null | undefined;
  private told: string | undefined;
  private partitions: StreamState[] = [];
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly nc: NatsConnection,
    private readonly log: EventLog,
    private readonly options: { legacyConfigured: boolean },
  ) {}

  async start(): Promise<void> {
    this.registry = await ServiceRegistry.open(this.nc);
    await Promise.all([this.readGate(), this.readLoad()]);
    this.timers.push(setInterval(() => void this.readGate(), CONTROL_EVERY_MS));
    this.timers.push(setInterval(() => void this.readLoad(), PARTITIONS_EVERY_MS));
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.registry?.close();
  }

  decide(): GateDecision {
    return decideGate({
      cutOver: this.current,
      legacyConfigured: this.options.legacyConfigured,
      services: this.services(),
      admission: admissionOf(this.partitions),
    });
  }

  /** Looks again before anybody is sent away: the operator may have opened the gate a moment ago. */
  async decideNow(): Promise<GateDecision> {
    const decision = this.decide();
    if (decision.kind === 'GUARDED') return decision;
    await this.readGate();
    return this.decide();
  }

  /** Why the guards may not be relied on. Before any cut-over they are held against this release. */
  guardsProblem(): string | undefined {
    const release = { contractVersion: CONTRACT_VERSION, ruleSet: RULE_SET };
    return guardsProblem(this.current?.kind === 'CUT_OVER' ? this.current : release, this.services());
  }

  /** Everybody who has announced itself within 30 s, by name and instance. */
  services(): ServiceAnnounced[] {
    const alive = this.registry?.alive() ?? [];
    return alive.sort((a, b) => a.service.localeCompare(b.service) || a.instance.localeCompare(b.instance));
  }

  cutOver(): CutOver | null {
    return this.current ?? null;
  }

  partitionStates(): readonly StreamState[] {
    return this.partitions;
  }

  /** From the leader: a gate that opens on a stale answer is no gate. */
  private async readGate(): Promise<void> {
    try {
      const last = await readControl(this.log, CUT_OVER_SUBJECT);
      const fact =
        last === undefined ? { success: true as const, data: null } : cutOver.schema.safeParse(last.data);
      const state = fact.success ? (fact.data?.kind ?? 'not cut over') : 'unreadable';
      if (state !== this.told) this.logger[this.told === undefined ? 'log' : 'warn'](`the gate is ${state}`);
      this.told = state;
      // A gate that cannot be read is shut.
      this.current = fact.success ? fact.data : undefined;
    } catch {
      // The broker is away: writing says so to whoever asks, and the last word stays.
    }
  }

  private async readLoad(): Promise<void> {
    try {
      this.partitions = await readPartitionStates(this.nc, this.log.partitions);
    } catch {
      // As above.
    }
  }
}
