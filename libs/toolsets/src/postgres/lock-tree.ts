/** A session, as far as waiting is concerned. */
export type Waiting = { pid: number; blockedBy: readonly number[] };

export type LockRoot = {
  pid: number;
  /** Everybody who waits for it, directly or behind others, in the order of their pids. */
  waiters: number[];
};

/**
 * Who holds everybody up: sessions that others wait for and that wait for nobody, those with most waiters first. Sessions
 * that wait for each other are a ring; its smallest pid stands for it. Linear in sessions and waits.
 */
export const lockRoots = (sessions: readonly Waiting[]): LockRoot[] => {
  const waitersOf = new Map<number, number[]>();
  const waits = new Set<number>();
  for (const { pid, blockedBy } of sessions) {
    for (const blocker of blockedBy) {
      if (blocker === pid) continue;
      waits.add(pid);
      waitersOf.set(blocker, [...(waitersOf.get(blocker) ?? []), pid]);
    }
  }
  const behind = (root: number, seen: Set<number>): number[] => {
    const found: number[] = [];
    const queue = [root];
    seen.add(root);
    for (let at = 0; at < queue.length; at += 1) {
      for (const waiter of waitersOf.get(queue[at] ?? -1) ?? []) {
        if (seen.has(waiter)) continue;
        seen.add(waiter);
        found.push(waiter);
        queue.push(waiter);
      }
    }
    return found.sort((a, b) => a - b);
  };
  const covered = new Set<number>();
  const roots: LockRoot[] = [];
  const add = (pid: number): void => {
    const waiters = behind(pid, new Set());
    for (const each of [pid, ...waiters]) covered.add(each);
    roots.push({ pid, waiters });
  };
  const blockers = [...waitersOf.keys()].sort((a, b) => a - b);
  for (const pid of blockers) if (!waits.has(pid)) add(pid);
  // What is left waits in a ring.
  for (const pid of blockers) if (!covered.has(pid)) add(pid);
  return roots.sort((a, b) => b.waiters.length - a.waiters.length || a.pid - b.pid);
};
