import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

/** What tells one process from a later one that was given the same pid. */
export type ProcessIdentity = {
  pid: number;
  /** Opaque; equal for the same process only. Linux: boot id and clock ticks since boot. Elsewhere: `ps lstart`. */
  startedAt: string;
  /** The command line with single blanks. */
  command: string;
};

const bootId = (() => {
  let known: string | undefined;
  return (): string => (known ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
})();

const fromProc = (pid: number): ProcessIdentity | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold blanks and parentheses itself: fields are counted behind the last one.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, startedAt: `${bootId()}/${fields[19]}`, command };
  } catch {
    return undefined;
  }
};

const fromPs = (pid: number): ProcessIdentity | undefined => {
  try {
    const line = execFileSync('env', ['LC_ALL=C', 'ps', '-o', 'state=,lstart=,command=', '-p', String(pid)], {
      encoding: 'utf8',
    }).trim();
    const match = /^(\S+)\s+(\S+\s+\S+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/.exec(line);
    if (!match || match[1]?.startsWith('Z')) return undefined;
    return { pid, startedAt: (match[2] ?? '').replace(/\s+/g, ' '), command: (match[3] ?? '').trim() };
  } catch {
    return undefined;
  }
};

/** The live process behind a pid; `undefined` when there is none (a zombie counts as none). */
export const identityOf = (pid: number): ProcessIdentity | undefined =>
  process.platform === 'linux' ? fromProc(pid) : fromPs(pid);

/** True while exactly this process lives: a pid that the system has given to another program does not count. */
export const isAlive = (identity: ProcessIdentity): boolean => {
  const now = identityOf(identity.pid);
  return now !== undefined && now.startedAt === identity.startedAt && now.command === identity.command;
};

/** The pid and every descendant of it. */
export const withDescendants = (pid: number): number[] => {
  const parents = process.platform === 'linux' ? parentsFromProc() : parentsFromPs();
  const found = [pid];
  for (let i = 0; i < found.length; i += 1) {
    for (const [child, parent] of parents) if (parent === found[i]) found.push(child);
  }
  return found;
};

const parentsFromProc = (): [number, number][] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name): [number, number][] => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])]];
      } catch {
        return [];
      }
    });

const parentsFromPs = (): [number, number][] =>
  execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line): [number, number] => {
      const [pid, parent] = line.trim().split(/\s+/);
      return [Number(pid), Number(parent)];
    });
