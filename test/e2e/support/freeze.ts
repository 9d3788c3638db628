import { spawnSync } from 'node:child_process';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Stack } from '@inquest/local-stack/stack';
import { waitFor } from '@inquest/testing/wait-for';

/** Stops processes in their tracks, as a machine under load does, so that a run can be held between any two facts. */
export class Freezer {
  private readonly frozen = new Map<string, number>();

  constructor(private readonly stack: Stack) {}

  freeze(...names: string[]): void {
    for (const name of names) {
      const { pid } = this.stack.process(name);
      if (pid === undefined) throw new Error(`${name} does not run`);
      process.kill(pid, 'SIGSTOP');
      this.frozen.set(name, pid);
    }
  }

  /** Everything goes on, but for what was killed meanwhile. */
  thaw(): void {
    for (const [name, pid] of this.frozen) {
      if (this.stack.process(name).pid === pid) process.kill(pid, 'SIGCONT');
    }
    this.frozen.clear();
  }
}

/** Makes a file of which a reader gets nothing, not even its end, until somebody has written and closed it. */
export const makeSilentFile = (path: string): void => {
  const made = spawnSync('mkfifo', [path]);
  if (made.status !== 0) throw new Error(`mkfifo ${path}: ${String(made.stderr)}`);
};

/** Resolves when somebody reads the silent file, with the way to let them go: they have read nothing then. */
export const whenRead = async (path: string): Promise<{ letGo: () => Promise<void> }> => {
  // Without a reader the system refuses to open it (ENXIO), where a plain open would wait for ever.
  const writer = await waitFor(`a reader of ${path}`, () =>
    open(path, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined),
  );
  return { letGo: () => writer.close() };
};
