import { Logger } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import type { RunId } from '@inquest/contracts/ids';
import type { Outcome } from '@inquest/contracts/outcome';
import { entryAnswer, type EntryAnswer } from '@inquest/contracts/platform-facts';
import { isTerminal, type TerminalEvent } from '@inquest/contracts/run-decision';
import { entryAnswerSubject } from '@inquest/contracts/subjects';
import { headersOf } from '@inquest/event-log/message-headers';
import { gatewayFact } from '../gateway-facts';
import type { RunReader } from '../runs/run-reader';
import type { ChainEntry } from '@inquest/run-view/fold-run';
import type { LiveChains } from '../stream/chain-tail';

export type EntryPlace = { publisher: string; key: string };

/** No run lasts longer than an hour; what is watched beyond that has lost its end. */
const WATCH_MS = 65 * 60_000;
const WATCHES_MAX = 50_000;

const OUTCOMES: Record<TerminalEvent['type'], Outcome> = {
  RunReleased: 'SUCCESS',
  RunFellBack: 'FALLBACK',
  RunFailed: 'FAILED',
  RunCancelled: 'CANCELLED',
};

const outcomeOf = (entries: readonly ChainEntry[]): Outcome | undefined => {
  const end = entries.flatMap(({ decision }) => decision.events).find(isTerminal);
  return end && OUTCOMES[end.type];
};

/**
 * Tells publishers over core NATS what became of their requests. Nothing keeps these answers: a publisher that missed
 * one publishes its request again, under the same key, and is told again.
 */
export class EntryAnswers {
  private readonly logger = new Logger(EntryAnswers.name);
  private readonly watched = new Map<RunId, () => void>();

  constructor(
    private readonly nc: NatsConnection,
    private readonly reader: RunReader,
    private readonly live: LiveChains,
  ) {}

  say({ publisher, key }: EntryPlace, answer: EntryAnswer): void {
    const subject = entryAnswerSubject(publisher, key);
    const { envelope, data } = gatewayFact(entryAnswer, subject, answer);
    this.nc.publish(subject, JSON.stringify(data), { headers: headersOf(envelope) });
  }

  /** Says ENDED once the run has ended, at once if it has already. */
  async whenEnded(runId: RunId, place: EntryPlace): Promise<void> {
    if (this.watched.size >= WATCHES_MAX)
      return this.logger.warn(`the end of ${runId} will not be told: too many are watched`);
    this.watched.get(runId)?.();
    const told = (outcome: Outcome): void => {
      if (!this.watched.has(runId)) return;
      release();
      this.say(place, { kind: 'ENDED', runId, outcome });
    };
    const unfollow = this.live.follow(runId, (entry) => {
      const outcome = outcomeOf([entry]);
      if (outcome) told(outcome);
    });
    const timer = setTimeout(() => release(), WATCH_MS).unref();
    const release = (): void => {
      clearTimeout(timer);
      unfollow();
      this.watched.delete(runId);
    };
    this.watched.set(runId, release);
    // Followed first: an end that was written before is in the chain, one after it comes live.
    const outcome = outcomeOf(await this.reader.chain(runId));
    if (outcome) told(outcome);
  }

  stop(): void {
    for (const release of [...this.watched.values()]) release();
  }
}
