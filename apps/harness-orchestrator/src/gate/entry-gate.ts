import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { cutOver, type CutOver } from '@inquest/contracts/platform-facts';
import { CUT_OVER_SUBJECT } from '@inquest/contracts/subjects';
import { readControl } from '@inquest/event-log/control';
import type { EventLog } from '@inquest/event-log/event-log';

/** How long an open gate is taken for open; as long as a roll-back may take at the gateway. */
export const OPEN_FOR_MS = 1_000;

/** Whether the cut-over that holds is to the contracts and rules of this very release. */
export const admitsRuns = (fact: CutOver | undefined): boolean =>
  fact?.kind === 'CUT_OVER' && fact.contractVersion === CONTRACT_VERSION && fact.ruleSet === RULE_SET;

/**
 * The cut-over as the harness sees it. The gateway asks the same before it writes a request: whoever else could write
 * one still starts no run. Only an open gate is remembered, so that a cut-over takes effect at once.
 */
export class EntryGate {
  private openUntilMs = 0;

  constructor(
    private readonly log: EventLog,
    private readonly nowMs: () => number,
  ) {}

  async look(): Promise<'OPEN' | 'SHUT'> {
    if (this.nowMs() < this.openUntilMs) return 'OPEN';
    const last = await readControl(this.log, CUT_OVER_SUBJECT);
    // A gate that cannot be read is shut.
    const open = admitsRuns(cutOver.schema.safeParse(last?.data).data);
    this.openUntilMs = open ? this.nowMs() + OPEN_FOR_MS : 0;
    return open ? 'OPEN' : 'SHUT';
  }
}
