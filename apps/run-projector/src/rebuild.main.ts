import 'reflect-metadata';
import { connectNats } from '@inquest/event-log/connection';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { NatsPayloadStore } from '@inquest/event-log/payload-store';
import { readProjectorConfig } from './config';
import { migrate, openDataSource } from './data-source';
import { rebuild } from './rebuild/rebuild';

/** The rebuild as a command: `node apps/run-projector/dist/rebuild.main.js` with the projector's environment. */
const main = async (): Promise<void> => {
  const config = readProjectorConfig();
  // Under the projector's own user or, from the command line, the operator's.
  const user = new URL(config.NATS_URL).username || 'run-projector';
  const nc = await connectNats({ url: config.NATS_URL, service: user, instance: 'rebuild' });
  const source = await openDataSource(config.DATABASE_URL);
  try {
    await migrate(source);
    const around = { nc, log: await NatsEventLog.open(nc), payloads: new NatsPayloadStore(nc), source };
    const { messages } = await rebuild(around, (partition, seq, lastSeq) =>
      process.stderr.write(`\rpartition ${partition}: ${seq} of ${lastSeq}   `),
    );
    process.stderr.write('\n');
    process.stdout.write(`rebuilt from ${messages} messages\n`);
  } finally {
    await source.destroy();
    await nc.drain();
  }
};

main().catch((error: unknown) => {
  process.stderr.write(`rebuild failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
