import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { withDescendants } from './process-identity';

/** RSS counts shared pages once per process, PSS divides them among those that share. PSS is null where the system has none. */
export type ProcessMemory = { name: string; pid: number; rssMb: number; pssMb: number | null };
export type StackMemory = { processes: ProcessMemory[]; rssMb: number; pssMb: number | null };

const kilobytes = (text: string, label: string): number =>
  Number(new RegExp(`^${label}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0);

const ofOne = (pid: number): { rss: number; pss: number | null } => {
  if (process.platform !== 'linux') {
    const rss = Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim());
    return { rss, pss: null };
  }
  const rss = kilobytes(readFileSync(`/proc/${pid}/status`, 'utf8'), 'VmRSS');
  try {
    return { rss, pss: kilobytes(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), 'Pss') };
  } catch {
    return { rss, pss: null };
  }
};

const megabytes = (kb: number): number => Math.round((kb / 1024) * 10) / 10;

/** Memory of each process and its children, and of all together. */
export const memoryOfProcesses = (roots: readonly { name: string; pid: number }[]): StackMemory => {
  const processes = roots.map(({ name, pid }): ProcessMemory => {
    let rss = 0;
    let pss: number | null = 0;
    for (const each of withDescendants(pid)) {
      try {
        const one = ofOne(each);
        rss += one.rss;
        pss = pss === null || one.pss === null ? null : pss + one.pss;
      } catch {
        // A short-lived child ended between the listing and the reading.
      }
    }
    return { name, pid, rssMb: megabytes(rss), pssMb: pss === null ? null : megabytes(pss) };
  });
  const known = processes.every(({ pssMb }) => pssMb !== null);
  return {
    processes,
    rssMb: Math.round(processes.reduce((sum, { rssMb }) => sum + rssMb, 0)),
    pssMb: known ? Math.round(processes.reduce((sum, { pssMb }) => sum + (pssMb ?? 0), 0)) : null,
  };
};
