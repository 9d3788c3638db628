import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity';
import { StackError } from './stack-error';

const LOCK = 'stack.lock';

const contentOf = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

const holds = (content: string): boolean => {
  try {
    return isAlive(JSON.parse(content) as ProcessIdentity);
  } catch {
    return false;
  }
};

/** Takes a dead holder's lock away; a lock that changed hands since the look is put back. */
const clearStale = (file: string, judged: string): void => {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
    if (contentOf(aside) !== judged) linkSync(aside, file);
  } catch {
    // Somebody else cleared it first.
  }
  rmSync(aside, { force: true });
};

const tryTake = (file: string, mine: string): boolean => {
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(draft, mine);
  try {
    // A link appears with its content: no reader ever sees an empty lock.
    linkSync(draft, file);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(draft, { force: true });
  }
};

/** Runs `use` while this process alone holds the data folder's lock; a lock of a dead process counts as free. */
export const withStackLock = async <T>(
  dataDir: string,
  use: () => Promise<T>,
  timeoutMs = 120_000,
): Promise<T> => {
  mkdirSync(dataDir, { recursive: true });
  const file = join(dataDir, LOCK);
  const mine = JSON.stringify({ ...identityOf(process.pid), nonce: Math.random() });
  const deadline = performance.now() + timeoutMs;
  while (!tryTake(file, mine)) {
    const holder = contentOf(file);
    if (holder !== undefined && !holds(holder)) clearStale(file, holder);
    else if (performance.now() > deadline)
      throw new StackError(`another start holds ${file}; it did not end in time`);
    else await sleep(50);
  }
  try {
    return await use();
  } finally {
    if (contentOf(file) === mine) rmSync(file, { force: true });
  }
};
