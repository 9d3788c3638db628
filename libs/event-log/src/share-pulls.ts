/** One queue as the budget sees it. */
export type QueueLoad = {
  /** Messages asked for and not yet here. */
  outstanding: number;
  /** What the broker said is waiting in this queue, less what was asked for since. */
  backlog: number;
};

export type Pull = { queue: number; batch: number; extra: boolean };

const BACKLOG_PARTS = 6;

/**
 * Decides what to ask for with `free` slots. Every queue keeps `base` pulls open, so that an idle one answers at once;
 * the rest goes to queues that are known to hold more, a part of it at a time: each delivery leads to further pulls, so
 * this grows within a few round trips, while two processes that grow alike share what there is.
 * `first` rotates who is served first when there is not enough for all.
 */
export const sharePulls = (queues: readonly QueueLoad[], free: number, base: number, first = 0): Pull[] => {
  const pulls: Pull[] = [];
  let left = free;
  const each = (ask: (queue: QueueLoad) => number, extra: boolean): void => {
    for (let i = 0; i < queues.length && left > 0; i++) {
      const index = (first + i) % queues.length;
      const queue = queues[index];
      if (!queue) continue;
      const batch = Math.min(left, ask(queue));
      if (batch <= 0) continue;
      left -= batch;
      pulls.push({ queue: index, batch, extra });
    }
  };
  each((queue) => (queue.outstanding * 2 > base ? 0 : base - queue.outstanding), false);
  each((queue) => Math.ceil((queue.backlog - queue.outstanding) / BACKLOG_PARTS), true);
  return pulls;
};

/**
 * Pulls that each queue keeps open. One or two: more would only be reserved for queues that have nothing to give, and a
 * burst shows itself in the first delivery's backlog.
 */
export const basePulls = (slots: number, queues: number): number =>
  Math.min(2, Math.max(1, Math.floor(slots / (4 * queues))));

/** With fewer slots than queues some queue would wait for another's pull to expire. */
export const slotsFor = (wished: number, queues: number): number => Math.max(wished, queues + 1);
