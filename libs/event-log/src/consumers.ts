import { ENTRY_STREAM, TIMERS_STREAM, streamOf } from '@inquest/contracts/subjects';

/** The durable work consumers; a Nest handler names one of them in `@EventPattern`. */
export const WORK_CONSUMERS = [
  'router',
  'agent',
  'tool',
  'rag',
  'evidence',
  'semantic',
  'investigator',
  'evaluator',
  'harness-res',
  'harness-in',
  'timer',
  'entry',
] as const;
export type WorkConsumer = (typeof WORK_CONSUMERS)[number];

export const isWorkConsumer = (name: string): name is WorkConsumer =>
  (WORK_CONSUMERS as readonly string[]).includes(name);

/** One durable on one stream. A single `filter` each: servers before 2.10 know no more, and wildcard unions are slow. */
export type ConsumerPlace = { consumer: WorkConsumer; stream: string; filter: string };

/**
 * Wakes are given back with a delay over and over by design, so their delivery count says nothing about failures;
 * and a hundred thousand runs may each have one outstanding.
 */
export const isTimer = (consumer: WorkConsumer): boolean => consumer === 'timer';

export const placesOf = (consumer: WorkConsumer, partitions: number): ConsumerPlace[] => {
  if (consumer === 'timer') return [{ consumer, stream: TIMERS_STREAM, filter: 'tmr.>' }];
  if (consumer === 'entry') return [{ consumer, stream: ENTRY_STREAM, filter: 'entry.>' }];
  return Array.from({ length: partitions }, (_, p) => ({
    consumer,
    stream: streamOf(p),
    filter: `diag.${p}.*.${familyFilter(consumer)}`,
  }));
};

const familyFilter = (consumer: Exclude<WorkConsumer, 'timer' | 'entry'>): string => {
  switch (consumer) {
    case 'harness-res':
      return 'res.>';
    case 'harness-in':
      return 'in.>';
    default:
      return `req.${consumer}.>`;
  }
};
