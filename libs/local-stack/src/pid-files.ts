import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity';

/** What a start leaves for the next one: enough to stop a left-over process and to spare everybody else's. */
export type PidRecord = ProcessIdentity & { stopSignal: NodeJS.Signals };

const readRecord = (file: string): PidRecord | undefined => {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as PidRecord;
  } catch {
    return undefined;
  }
};

export const writePidFile = (dir: string, name: string, pid: number, stopSignal: NodeJS.Signals): void => {
  const identity = identityOf(pid);
  if (!identity) return;
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, `${name}.json`), JSON.stringify({ ...identity, stopSignal } satisfies PidRecord));
};

export const removePidFile = (dir: string, name: string): void =>
  rmSync(join(dir, `${name}.json`), { force: true });

/** Processes that a killed start left behind and that still live, by name. */
export const leftOvers = (dir: string): { name: string; record: PidRecord }[] => {
  let files: string[];
  try {
    files = readdirSync(dir).filter((file) => file.endsWith('.json'));
  } catch {
    return [];
  }
  return files.flatMap((file) => {
    const record = readRecord(join(dir, file));
    return record && isAlive(record) ? [{ name: basename(file, '.json'), record }] : [];
  });
};

const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch {
    // Gone between the look and the signal: what we wanted.
  }
};

/** Waits until the process is gone; false when it outlived the deadline. */
export const awaitGone = async (identity: ProcessIdentity, timeoutMs: number): Promise<boolean> => {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false;
    await sleep(15);
  }
  return true;
};

/** Stops one process by its recorded identity: politely first, by SIGKILL after the deadline. */
export const stopRecorded = async (record: PidRecord, timeoutMs: number): Promise<void> => {
  if (!isAlive(record)) return;
  signal(record.pid, record.stopSignal);
  if (await awaitGone(record, timeoutMs)) return;
  if (isAlive(record)) signal(record.pid, 'SIGKILL');
  await awaitGone(record, 5_000);
};

/** Stops every left-over below `dir` and clears the folder; returns the names of what was stopped. */
export const stopLeftOvers = async (dir: string, timeoutMs = 5_000): Promise<string[]> => {
  const found = leftOvers(dir);
  await Promise.all(found.map(({ record }) => stopRecorded(record, timeoutMs)));
  rmSync(dir, { recursive: true, force: true });
  return found.map(({ name }) => name);
};
