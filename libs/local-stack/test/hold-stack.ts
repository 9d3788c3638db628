import { readStackConfig } from '@inquest/local-stack/config';
import { startStack } from '@inquest/local-stack/stack';

/** A process that starts a stack on the folder of its first argument and stops it on SIGTERM. */
const hold = async (dataDir: string): Promise<void> => {
  const config = readStackConfig({ INQUEST_DATA_DIR: dataDir });
  const stack = await startStack({ config, dataDir, services: [] });
  const idle = setInterval(() => undefined, 1_000);
  process.once('SIGTERM', () => {
    clearInterval(idle);
    void stack.stop();
  });
};

void hold(process.argv[2] as string);
