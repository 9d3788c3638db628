import type { NatsConnection } from '@nats-io/transport-node';
import { streamOf } from '@inquest/contracts/subjects';
import type { StoredMessage } from './event-log';
import { Tail } from './stream-tail';

/**
 * A whole partition in batches, from a position on: what a projection is made of. The reader's own checkpoint is the
 * only position; nothing is acknowledged on the broker.
 */
export class PartitionReader {
  private readonly buffer: StoredMessage[] = [];
  private drained: (() => void)[] = [];
  private wake: (() => void) | undefined;
  private tail: Tail | undefined;
  private closed = false;

  private constructor() {}

  static async open(
    nc: NatsConnection,
    partition: number,
    fromSeq: number,
    options: { onMalformed?: (seq: number, error: unknown) => void } = {},
  ): Promise<PartitionReader> {
    const reader = new PartitionReader();
    reader.tail = await Tail.open(nc, {
      stream: streamOf(partition),
      filter: `diag.${partition}.>`,
      start: { fromSeq },
      onMalformed: options.onMalformed,
      ready: () => reader.taken(),
      onMessage: (message) => {
        reader.buffer.push(message);
        reader.wake?.();
      },
    });
    return reader;
  }

  /** Up to `max` messages in order, as soon as there is one; empty after `waitMs` without any, or when closed. */
  async next(max: number, waitMs: number): Promise<StoredMessage[]> {
    if (this.buffer.length === 0 && !this.closed) await this.arrival(waitMs);
    const batch = this.buffer.splice(0, max);
    if (this.buffer.length === 0) for (const go of this.drained.splice(0)) go();
    return batch;
  }

  close(): void {
    this.closed = true;
    this.tail?.close();
    this.wake?.();
  }

  /** The broker goes on sending when the buffer is empty: that bounds it by the broker's own window. */
  private taken(): Promise<void> {
    return this.buffer.length === 0
      ? Promise.resolve()
      : new Promise((resolve) => this.drained.push(resolve));
  }

  private async arrival(waitMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, waitMs);
    });
    clearTimeout(timer);
    this.wake = undefined;
  }
}
