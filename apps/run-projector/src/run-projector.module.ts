import { Inject, Module, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import type { DataSource } from 'typeorm';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import type { Logger } from '@inquest/service-shell/logger';
import {
  EVENT_LOG,
  NATS_CONNECTION,
  PAYLOAD_STORE,
  SERVICE_CONFIG,
  SHELL_LOGGER,
} from '@inquest/service-shell/injection-keys';
import type { ProjectorConfig } from './config';
import { migrate, openDataSource } from './data-source';
import { PartitionWorker } from './project-log';

const DATA_SOURCE = Symbol('DATA_SOURCE');

const migrated = async (config: ProjectorConfig): Promise<DataSource> => {
  const source = await openDataSource(config.DATABASE_URL);
  await migrate(source);
  return source;
};

@Module({ providers: [{ provide: DATA_SOURCE, inject: [SERVICE_CONFIG], useFactory: migrated }] })
export class RunProjectorModule implements OnApplicationBootstrap, OnModuleDestroy {
  private workers: PartitionWorker[] = [];

  constructor(
    @Inject(DATA_SOURCE) private readonly source: DataSource,
    @Inject(NATS_CONNECTION) private readonly nc: NatsConnection,
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(PAYLOAD_STORE) private readonly payloads: PayloadStore,
    @Inject(SERVICE_CONFIG) private readonly config: ProjectorConfig,
    @Inject(SHELL_LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { nc, log, payloads, source, logger } = this;
    const around = { nc, log, payloads, source, logger, batchMax: this.config.BATCH_MAX };
    this.workers = Array.from(
      { length: log.partitions },
      (_, partition) => new PartitionWorker(around, partition),
    );
    for (const worker of this.workers) worker.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.source.destroy();
  }
}
