import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import type { NatsConnection } from '@nats-io/transport-node';
import { Work } from '@inquest/event-log/consume';
import { isWorkConsumer, type WorkConsumer } from '@inquest/event-log/consumers';
import type { StoredMessage } from '@inquest/event-log/event-log';
import type { Interrupts, WorkContext, WorkHandler } from '@inquest/event-log/work';
import { isObservable, lastValueFrom, throwError, type Observable } from 'rxjs';
import type { Logger } from './logger';

export type JetStreamStrategyOptions = {
  nc: NatsConnection;
  partitions: number;
  slots: number;
  interrupts?: Interrupts;
  logger: Logger;
  ackWaitMs?: number;
  watchdogMs?: number;
};

/**
 * Nest's view of the log: `@EventPattern('<work consumer>')` handlers get `(StoredMessage, WorkContext)`. The consumers
 * are the provisioner's; a pattern that is none of them is refused at start.
 */
export class JetStreamStrategy extends Server implements CustomTransportStrategy {
  private work: Work | undefined;

  constructor(private readonly options: JetStreamStrategyOptions) {
    super();
  }

  listen(callback: (error?: unknown) => void): void {
    try {
      this.start();
      callback();
    } catch (error) {
      callback(error);
    }
  }

  /** Drains: handlers get `graceMs`, then their signals are aborted and their messages given back. */
  async close(graceMs?: number): Promise<void> {
    await this.work?.close(graceMs);
  }

  on(): void {
    // The transport has no events of its own; the connection's status is the shell's concern.
  }

  unwrap<T>(): T {
    return this.options.nc as T;
  }

  private start(): void {
    const { nc, partitions, slots, interrupts, logger, ackWaitMs, watchdogMs } = this.options;
    const handlers = new Map<WorkConsumer, WorkHandler>();
    for (const pattern of this.messageHandlers.keys()) {
      if (!isWorkConsumer(pattern))
        throw new Error(`@EventPattern('${pattern}') is not a work consumer of the log`);
      handlers.set(pattern, this.handlerOf(pattern));
    }
    if (handlers.size === 0) return;
    this.work = new Work(nc, {
      partitions,
      slots,
      handlers,
      interrupts,
      ackWaitMs,
      watchdogMs,
      log: (level, message, fields) => logger.log(level, message, fields),
    });
  }

  private handlerOf(pattern: string): WorkHandler {
    const handler = this.messageHandlers.get(pattern);
    if (!handler) throw new Error(`no handler for ${pattern}`);
    return async (message: StoredMessage, context: WorkContext) => {
      const answer: unknown = await handler(message, context);
      // Nest answers with an Observable: not awaiting it would acknowledge work that has not happened.
      if (isObservable(answer))
        await lastValueFrom(answer as Observable<unknown>, { defaultValue: undefined });
    };
  }
}

/** Without it Nest turns every error into "Internal server error", and its class, which says what to do, is lost. */
@Catch()
export class PassThroughFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
