import { withStackLock } from '@inquest/local-stack/stack-lock';

/** A process that takes the lock of the folder of its first argument and never gives it back. */
void withStackLock(process.argv[2] as string, () => {
  process.stdout.write('held\n');
  return new Promise(() => setInterval(() => undefined, 1_000));
});
