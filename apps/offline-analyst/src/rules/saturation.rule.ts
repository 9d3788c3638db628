import type { Series, View } from '../evidence/view';
import type { Hypothesis, Rule } from './finding';
import { mainChange, seriesFinding } from './findings';

type Resource = {
  cause: string;
  what: string;
  fits: (series: Series) => boolean;
  /** In the unit of the series. */
  full: (series: Series) => boolean;
};

const percent = ({ unit, name }: Series): number | undefined =>
  unit === '%' || /percent/i.test(name)
    ? 1
    : unit === 'ratio' || /ratio|utili[sz]ation/i.test(name)
      ? 100
      : undefined;

const isFull =
  (share: number) =>
  (series: Series): boolean => {
    const scale = percent(series);
    if (scale === undefined) return false;
    const { last, p50 } = series.statistics;
    return (
      last * scale >= share && (p50 * scale >= share || (mainChange(series)?.after ?? 0) * scale >= share)
    );
  };

const RESOURCES: readonly Resource[] = [
  {
    cause: 'POD_CPU_OVERLOAD',
    what: 'CPU',
    fits: ({ name }) => /cpu/i.test(name) && !/throttl|idle|limit|request/i.test(name),
    full: isFull(90),
  },
  {
    cause: 'CPU_THROTTLED',
    what: 'CPU (throttled at its limit)',
    fits: ({ name }) => /throttl/i.test(name),
    full: isFull(25),
  },
  {
    cause: 'MEMORY_NEAR_LIMIT',
    what: 'memory',
    fits: ({ name }) => /memory|heap/i.test(name) && !/available|free/i.test(name),
    full: isFull(92),
  },
  {
    cause: 'DISK_FULL',
    what: 'disk space',
    fits: ({ name }) =>
      /disk|filesystem|volume|storage/i.test(name) && !/io|read|write|avail|free/i.test(name),
    full: isFull(95),
  },
];

const hypothesis = (view: View, series: Series, { cause, what }: Resource): Hypothesis => {
  const service = series.service ?? 'the host';
  const change = mainChange(series);
  const slower = view.series.find(
    (other) =>
      other.service === series.service &&
      /duration|latency/i.test(other.name) &&
      other.changes.some(({ before, after }) => after > 2 * before),
  );
  return {
    cause,
    object: `Service/${service}`,
    service: series.service,
    rank: change ? 'CAUSE' : 'SYMPTOM',
    headline: `${service} uses nearly its whole share of ${what}`,
    mechanism: `${service} is short of ${what}, so its work queues up and its requests take longer.`,
    findings: [seriesFinding(view, series, 2), ...(slower ? [seriesFinding(view, slower, 1)] : [])],
    actions: [
      `Give ${service} more ${what}, or another instance, to relieve it now.`,
      'Find what began when it rose: load, a release, a batch job.',
    ],
    recommendations: ['Alert on saturation together with latency; saturation alone may be harmless.'],
    lookup: `high ${what} saturation latency`,
  };
};

/** A resource that is used up for good, and not just at a peak. Load of a shared host says little about a service. */
export const saturation: Rule = (view) =>
  view.series
    .filter(({ name }) => !/^host_|^node_/i.test(name))
    .flatMap((series) => {
      const resource = RESOURCES.find(({ fits }) => fits(series));
      return resource?.full(series) ? [hypothesis(view, series, resource)] : [];
    });
