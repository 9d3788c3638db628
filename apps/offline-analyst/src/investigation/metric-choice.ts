import type { Call } from '../conversation/reply';
import type { MetricInfo, View } from '../evidence/view';
import { neighbourhoodOf } from './suspects';

/** What kinds of metric tell most about failures; the first pattern that fits a name counts. */
const INTEREST: readonly (readonly [RegExp, number])[] = [
  [/uptime|start_time|build_info|created|boot/i, 0],
  [/idle_in_transaction|transaction.*(?:age|oldest|duration)|oldest.*transaction/i, 1],
  [/pool.*(?:in_?use|used|active|busy|wait(?!.*(?:ms|second))|pending|timeout)/i, 1],
  [/error|fail|5xx|exception|reject|drop|refus/i, 0.9],
  [/(?:lag|backlog|queue|pending|unacked|depth)/i, 0.9],
  [/lock|deadlock/i, 0.9],
  [/oom|restart|evict|throttl|crash/i, 0.9],
  [/(?:duration|latency|response_time).*(?:p9|95|99)|p9\d.*(?:duration|latency)/i, 0.8],
  [/^up$|health|ready|available/i, 0.8],
  [/connections|sessions/i, 0.7],
  [/disk|filesystem|volume|inode|storage/i, 0.7],
  [/cert|expir/i, 0.7],
  [/cpu|load/i, 0.6],
  [/memory|rss|heap/i, 0.4],
  [/in_flight|concurren|saturat|utili[sz]ation/i, 0.5],
  [/duration|latency/i, 0.4],
  [/requests|throughput|per_second|rate/i, 0.3],
];
/** Read for every service: whether users are served, and how fast. */
const GOLDEN: readonly RegExp[] = [
  /error.*ratio|ratio.*error|error_rate/i,
  /(?:duration|latency).*(?:p95|p99)/i,
];
const SIZE_OF_POOL = /pool.*(?:size|max|limit|capacity)/i;
const LIMIT_OF_SERVER = /max_connections|connections?_(?:limit|max)/i;

const SUSPECTS_MAX = 4;
const CHOSEN_MAX = 10;
const SCORE_MIN = 0.3;
/** How much counts what happens elsewhere than at the suspects and their dependencies. */
const ELSEWHERE = 0.25;
const LABELLED_SERIES_MAX = 3;

/** Labels tell as much as the name: connections by state, for instance. */
const interestOf = ({ name, labels }: MetricInfo): number => {
  const { service: _, ...rest } = labels;
  const words = [name, ...Object.values(rest)].join(' ');
  return INTEREST.find(([pattern]) => pattern.test(words))?.[1] ?? 0.2;
};

/** 0 for a flat line, towards 1 for one that leaves its range. */
const movementOf = ({ min, max }: MetricInfo): number =>
  min === null || max === null ? 0.5 : (max - min) / Math.max(Math.abs(max), Math.abs(min), 1e-9);

const serviceOfMetric = ({ labels }: MetricInfo): string => labels.service ?? labels.app ?? labels.job ?? '';

const callFor = (metric: MetricInfo, metrics: readonly MetricInfo[]): Call => {
  const { name, labels } = metric;
  const service = labels.service;
  const siblings = metrics.filter((other) => other.name === name && other.labels.service === service);
  if (service === undefined) return { tool: 'query_metric', args: { name } };
  const { service: _, ...rest } = labels;
  const narrowed = siblings.length > LABELLED_SERIES_MAX && Object.keys(rest).length > 0;
  return { tool: 'query_metric', args: narrowed ? { name, service, labels: rest } : { name, service } };
};

/** A pool in use says little without its size, and the server's own limit tells whether the pool is the narrow place. */
const companionsOf = (view: View, metric: MetricInfo): MetricInfo[] => {
  if (!/pool/i.test(metric.name)) return [];
  const sameService = (other: MetricInfo) => serviceOfMetric(other) === serviceOfMetric(metric);
  return view.metrics.filter(
    (other) => (SIZE_OF_POOL.test(other.name) && sameService(other)) || LIMIT_OF_SERVER.test(other.name),
  );
};

/** The metric queries that promise most, for the suspects, their dependencies, and the golden signals of everybody. */
export const metricCalls = (view: View): Call[] => {
  const { suspects, dependencies } = neighbourhoodOf(view, SUSPECTS_MAX);
  const nearness = (service: string) =>
    suspects.includes(service)
      ? 1 - 0.05 * suspects.indexOf(service)
      : dependencies.includes(service)
        ? 0.8
        : suspects.length === 0
          ? 1
          : ELSEWHERE;
  const nearest = ({ labels }: MetricInfo) => Math.max(ELSEWHERE, ...Object.values(labels).map(nearness));
  const golden = GOLDEN.flatMap((pattern) => view.metrics.find(({ name }) => pattern.test(name))?.name ?? []);
  const ranked = view.metrics
    .filter(({ name }) => !golden.includes(name))
    .map((metric) => ({ metric, score: interestOf(metric) * movementOf(metric) * nearest(metric) }))
    .filter(({ score }) => score >= SCORE_MIN)
    .sort((a, b) => b.score - a.score)
    .slice(0, CHOSEN_MAX)
    .map(({ metric }) => metric);
  const withCompanions = ranked.flatMap((metric) => [metric, ...companionsOf(view, metric)]);
  return [
    ...[...new Set(golden)].map((name): Call => ({ tool: 'query_metric', args: { name } })),
    ...withCompanions.map((metric) => callFor(metric, view.metrics)),
  ];
};
