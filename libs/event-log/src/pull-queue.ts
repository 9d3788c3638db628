import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { parseDelivery, type DeliveryInfo } from './delivery-subject';
import { newInbox } from './inbox';
import { nanos } from './js-api';

export const PULL_EXPIRES_MS = 30_000;
/** For pulls made on the broker's word that more is waiting: if another process was faster, the slots come back soon. */
export const EXTRA_EXPIRES_MS = 1_000;
const HEARTBEAT_MS = 5_000;
/** Two heartbeats missed, and some: the broker has forgotten our pulls. */
export const SILENCE_MAX_MS = 12_000;
const EXPIRY_SLACK_MS = 2_000;

export type PullEvents = {
  onMessage(msg: Msg, info: DeliveryInfo): void;
  /** Fewer messages may come than were asked for: slots are free again. */
  onFreed(): void;
  /** The consumer is not there or was taken away. */
  onMissing(why: string): void;
};

/**
 * The pulls of one process on one consumer. Keeps count of how many messages may still arrive unasked-for, which is
 * what the slot budget is made of. A pull stays outstanding on the broker, so that a message published to an idle
 * consumer is on its way at once.
 */
export class PullQueue {
  /** Messages asked for and not yet delivered. */
  outstanding = 0;
  private inbox = '';
  private sub: Subscription | undefined;
  private heardAt = 0;
  private expiresAt = 0;
  private readonly nextSubject: string;

  constructor(
    private readonly nc: NatsConnection,
    readonly stream: string,
    readonly consumer: string,
    private readonly events: PullEvents,
  ) {
    this.nextSubject = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    this.subscribe();
  }

  pull(batch: number, expiresMs = PULL_EXPIRES_MS): void {
    const now = performance.now();
    if (this.outstanding === 0) this.heardAt = now;
    this.outstanding += batch;
    this.expiresAt = Math.max(this.expiresAt, now + expiresMs);
    const beats = expiresMs >= 2 * HEARTBEAT_MS ? { idle_heartbeat: nanos(HEARTBEAT_MS) } : {};
    this.nc.publish(this.nextSubject, JSON.stringify({ batch, expires: nanos(expiresMs), ...beats }), {
      reply: this.inbox,
    });
  }

  /**
   * Forgets all pulls. The broker drops those of an inbox without interest; a message that is on its way to the old
   * inbox is still taken.
   */
  reset(): void {
    this.sub?.drain().catch(() => undefined);
    this.subscribe();
    this.outstanding = 0;
    this.expiresAt = 0;
  }

  /** Called about once a second: finds pulls that the broker no longer knows. */
  check(now: number): void {
    if (this.outstanding === 0) return;
    if (now - this.heardAt > SILENCE_MAX_MS || now > this.expiresAt + EXPIRY_SLACK_MS) {
      this.reset();
      this.events.onFreed();
    }
  }

  /** Takes what is on its way and no more; resolves when nothing can arrive any longer. */
  async drain(): Promise<void> {
    await this.sub?.drain();
  }

  private subscribe(): void {
    const inbox = newInbox(this.nc);
    this.inbox = inbox;
    this.sub = this.nc.subscribe(inbox, {
      callback: (error, msg) => {
        const current = inbox === this.inbox;
        if (error) return current ? this.events.onMissing(error.message) : undefined;
        this.heardAt = performance.now();
        const info = msg.subject === inbox ? undefined : parseDelivery(msg.reply);
        if (!info) return current ? this.status(msg) : undefined;
        if (current && this.outstanding > 0) this.outstanding--;
        this.events.onMessage(msg, info);
      },
    });
  }

  private status(msg: Msg): void {
    const code = msg.headers?.code ?? 0;
    if (code === 100) return;
    if (code === 404 || code === 408) {
      const left = Number(msg.headers?.get('Nats-Pending-Messages'));
      this.outstanding = Math.max(0, this.outstanding - (left > 0 ? left : 1));
      return this.events.onFreed();
    }
    this.reset();
    this.events.onMissing(`${code} ${msg.headers?.description ?? ''}`.trim());
  }
}
