import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import type { DynamicModule, INestApplication, INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { MicroserviceOptions } from '@nestjs/microservices';
import { connectNats } from '@inquest/event-log/connection';
import { isConnected } from '@inquest/event-log/reconnects';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { NatsPayloadStore } from '@inquest/event-log/payload-store';
import type { NatsConnection } from '@nats-io/transport-node';
import { Announcer, type AnnouncedExtra } from './announcements';
import type { ServiceEnv } from './config';
import { startHealthServer } from './health-server';
import { JetStreamStrategy, PassThroughFilter } from './jetstream-strategy';
import { Logger, nestLogger } from './logger';
import { RunInterrupts } from './run-interrupts';
import { ShellModule } from './shell.module';
import {
  EVENT_LOG,
  NATS_CONNECTION,
  PAYLOAD_STORE,
  RUN_INTERRUPTS,
  SERVICE_CONFIG,
  SERVICE_IDENTITY,
  SHELL_LOGGER,
  type ServiceIdentity,
} from './injection-keys';

export type ServiceDefinition<Config extends ServiceEnv> = {
  /** Also the service's NATS user and the first token of its announcements. */
  name: string;
  module: Type | DynamicModule;
  /** What the app's `config.ts` has read with readConfig. */
  config: Config;
  version?: string;
  /** An HTTP side beside the handlers (the gateway): where it listens, and what to set up before it does. */
  http?: { port: number; host?: string; configure?: (app: INestApplication) => void | Promise<void> };
  /** Added to every announcement. */
  announce?: (app: INestApplicationContext) => () => AnnouncedExtra;
  /** True for services that work on runs: their handlers' signals fire when the run is cancelled. Default true. */
  interruptible?: boolean;
};

export type RunningService = {
  app: INestApplicationContext;
  identity: ServiceIdentity;
  nc: NatsConnection;
  /** Drains and disconnects; safe to call twice. */
  stop(): Promise<void>;
};

const STOP_WITHIN_MS = 5_000;
const DRAIN_MS = 3_500;

/** Starts a service in this process and leaves the process alone: for tests and for several services in one process. */
export const startService = async <Config extends ServiceEnv>(
  definition: ServiceDefinition<Config>,
): Promise<RunningService> => {
  const { name, config } = definition;
  const startedAtMs = performance.now();
  const identity: ServiceIdentity = {
    service: name,
    instance: config.INSTANCE_ID ?? randomBytes(4).toString('hex'),
    startedAt: new Date().toISOString(),
  };
  const logger = new Logger({ service: name, instance: identity.instance }, config.LOG_LEVEL);
  const nc = await connectNats({ url: config.NATS_URL, service: name, instance: identity.instance });
  try {
    const running = await start(definition, { nc, identity, logger });
    logger.info('ready', { ms: Math.round(performance.now() - startedAtMs) });
    return running;
  } catch (error) {
    await nc.close();
    throw error;
  }
};

type Base = { nc: NatsConnection; identity: ServiceIdentity; logger: Logger };

const start = async <Config extends ServiceEnv>(
  definition: ServiceDefinition<Config>,
  { nc, identity, logger }: Base,
): Promise<RunningService> => {
  const { config, version = '0.1.0' } = definition;
  const log = await NatsEventLog.open(nc);
  const interrupts = definition.interruptible === false ? undefined : new RunInterrupts(nc, log, logger);
  const strategy = new JetStreamStrategy({
    nc,
    partitions: log.partitions,
    slots: config.SLOTS,
    ackWaitMs: config.ACK_WAIT_MS,
    interrupts,
    logger,
  });
  const shell = ShellModule.with([
    { provide: EVENT_LOG, useValue: log },
    { provide: PAYLOAD_STORE, useValue: new NatsPayloadStore(nc) },
    { provide: NATS_CONNECTION, useValue: nc },
    { provide: RUN_INTERRUPTS, useValue: interrupts },
    { provide: SERVICE_CONFIG, useValue: config },
    { provide: SERVICE_IDENTITY, useValue: identity },
    { provide: SHELL_LOGGER, useValue: logger },
  ]);
  const app = await listen(definition, ShellModule.around(definition.module, shell), strategy, logger);
  const announced: () => AnnouncedExtra = definition.announce?.(app) ?? (() => ({}));
  const announcer = new Announcer(nc, { ...identity, version }, logger, announced);
  await announcer.start();
  const health =
    config.HEALTH_PORT > 0
      ? await startHealthServer(config.HEALTH_PORT, () => {
          const extra = announced();
          // A guard whose judge fails its canaries lives, and does not do its work.
          return { ready: isConnected(nc) && extra.judge?.healthy !== false, version, ...identity, ...extra };
        })
      : undefined;
  let stopped: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    await announcer.stop();
    await strategy.close(DRAIN_MS);
    interrupts?.close();
    await app.close();
    health?.close();
    await nc.drain().catch(() => undefined);
    logger.info('stopped');
  };
  return { app, identity, nc, stop: () => (stopped ??= stop()) };
};

/** {@link startService} as a process: ends on SIGTERM and SIGINT within five seconds, exit code 1 if it cannot start. */
export const runService = async <Config extends ServiceEnv>(
  definition: ServiceDefinition<Config>,
): Promise<void> => {
  const starting = startService(definition);
  // Before the service is up as well: a supervisor may change its mind at any time.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void end(starting));
  try {
    await starting;
  } catch (error) {
    process.stderr.write(`${definition.name} could not start: ${describe(error)}\n`);
    process.exit(1);
  }
};

const end = async (starting: Promise<RunningService>): Promise<void> => {
  setTimeout(() => process.exit(0), STOP_WITHIN_MS).unref();
  await starting.then((service) => service.stop()).catch(() => undefined);
  process.exit(0);
};

const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${describe(error.cause)}`;
};

const listen = async <Config extends ServiceEnv>(
  { http }: ServiceDefinition<Config>,
  root: DynamicModule,
  strategy: JetStreamStrategy,
  logger: Logger,
): Promise<INestApplicationContext> => {
  const options = { logger: nestLogger(logger), abortOnError: false };
  if (!http) {
    const app = await NestFactory.createMicroservice<MicroserviceOptions>(root, { ...options, strategy });
    app.useGlobalFilters(new PassThroughFilter());
    await app.listen();
    return app;
  }
  // Event streams never end by themselves; without this a stop would wait for every reader.
  const app = await NestFactory.create(root, { ...options, forceCloseConnections: true });
  // A filter of the microservice alone: HTTP keeps its own.
  // Nest takes no global filter for a connected microservice: such a handler names PassThroughFilter itself.
  app.connectMicroservice<MicroserviceOptions>({ strategy });
  await http.configure?.(app);
  await app.startAllMicroservices();
  await app.listen(http.port, http.host ?? '127.0.0.1');
  return app;
};
