import { configOfThisProcess } from './config';
import { startAnalyst } from './http/server';

const main = async (): Promise<void> => {
  const config = configOfThisProcess();
  const analyst = await startAnalyst(config);
  process.stdout.write(
    `offline analyst (rules, no language model) on http://${config.host}:${analyst.port}/v1\n`,
  );
  process.send?.({ ready: true, port: analyst.port });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void analyst.stop().then(() => process.exit(0)));
  }
};

main().catch((error: Error) => {
  process.stderr.write(`offline-analyst: ${error.message}\n`);
  process.exit(1);
});
