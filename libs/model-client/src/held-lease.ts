import type { EventLog, NewMessage } from '@inquest/event-log/event-log';
import type { LeaseTiming } from './lease-timing';

/**
 * A lease while its holder works: renewed by compare-and-set; `lost` aborts when a renewal met somebody else's, or when
 * none went through for so long that somebody else may soon call it expired.
 */
export class HeldLease {
  private readonly controller = new AbortController();
  private renewal = 0;
  private renewTimer: NodeJS.Timeout | undefined;
  private giveUpTimer: NodeJS.Timeout | undefined;
  private released = false;
  private seq: number;

  constructor(
    private readonly log: EventLog,
    private readonly subject: string,
    taken: { seq: number; takenAtMs: number },
    private readonly messageOf: (renewal: number) => NewMessage,
    private readonly timing: LeaseTiming,
  ) {
    this.seq = taken.seq;
    const ageMs = performance.now() - taken.takenAtMs;
    this.schedule(timing.renewEveryMs - ageMs);
    this.armGiveUp(timing.giveUpMs - ageMs);
  }

  get lost(): AbortSignal {
    return this.controller.signal;
  }

  release(): void {
    this.released = true;
    clearTimeout(this.renewTimer);
    clearTimeout(this.giveUpTimer);
  }

  private schedule(delayMs: number): void {
    this.renewTimer = setTimeout(() => void this.renew(), Math.max(0, delayMs));
  }

  private armGiveUp(delayMs: number): void {
    clearTimeout(this.giveUpTimer);
    this.giveUpTimer = setTimeout(() => this.giveUp(), Math.max(0, delayMs));
  }

  private giveUp(): void {
    this.release();
    this.controller.abort(new Error('the lease of this model call was lost'));
  }

  private async renew(): Promise<void> {
    const begun = performance.now();
    try {
      const result = await this.log.append(this.subject, this.messageOf(this.renewal + 1), this.seq);
      if (this.released) return;
      if (result.kind === 'CONFLICT') return this.giveUp();
      this.seq = result.seq;
      this.renewal += 1;
      this.armGiveUp(this.timing.giveUpMs - (performance.now() - begun));
      this.schedule(this.timing.renewEveryMs);
    } catch {
      // The broker does not answer: tried again soon, until the give-up timer has the last word.
      if (!this.released) this.schedule(Math.min(this.timing.renewEveryMs, 1_000));
    }
  }
}
