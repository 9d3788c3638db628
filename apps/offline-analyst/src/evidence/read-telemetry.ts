import { fields, instantMs, list, number, strings, text } from './fields';
import { at, type Place } from './place';
import type { Alert, Dependency, LogLine, LogPattern, MetricInfo, Series } from './view';

export const readAlert = (value: unknown, place: Place): Alert[] => {
  const alert = fields(value);
  const labels = strings(alert.labels);
  const name = text(alert.name) ?? labels.alertname ?? null;
  if (name === null) return [];
  return [
    {
      place,
      name,
      severity: (text(alert.severity) ?? labels.severity ?? 'warning').toLowerCase(),
      service: text(alert.service) ?? labels.service ?? null,
      node: labels.node ?? null,
      startsAtMs: instantMs(alert.startsAt) ?? 0,
      endsAtMs: instantMs(alert.endsAt),
      summary: text(alert.summary) ?? '',
    },
  ];
};

export const readDependency = (value: unknown, place: Place): Dependency[] => {
  const { from, to } = fields(value);
  return typeof from === 'string' && typeof to === 'string' ? [{ place, from, to }] : [];
};

export const readLogLine = (value: unknown, place: Place): LogLine[] => {
  const line = fields(value);
  const message = text(line.message);
  if (message === null) return [];
  return [
    {
      place,
      timeMs: instantMs(line.time) ?? 0,
      service: text(line.service) ?? '',
      level: (text(line.level) ?? '').toUpperCase(),
      message,
    },
  ];
};

/** A message with its numbers and ids taken out: what two lines of one kind have in common. */
export const shapeOf = (message: string): string =>
  message
    .replace(/\b[0-9a-f]{8,}(?:-[0-9a-f]{4,}){0,4}\b/gi, '#')
    .replace(/\d+(?:\.\d+)?/g, '#')
    .slice(0, 240);

const sampleAmong = (
  lines: readonly LogLine[],
  of: Pick<LogPattern, 'service' | 'level' | 'pattern'>,
): LogPattern['sample'] => {
  const line = lines.find(
    ({ service, level, message }) =>
      service === of.service && level === of.level && shapeOf(message) === of.pattern,
  );
  return line ? { place: at(line.place, 'message'), message: line.message } : null;
};

export const readPattern = (value: unknown, place: Place, lines: readonly LogLine[]): LogPattern[] => {
  const group = fields(value);
  const pattern = text(group.pattern);
  const count = number(group.count);
  if (pattern === null || count === null) return [];
  const service = text(group.service) ?? '';
  const level = (text(group.level) ?? '').toUpperCase();
  const example = text(group.example);
  return [
    {
      place,
      pattern,
      service,
      level,
      count,
      firstMs: instantMs(group.firstAt) ?? 0,
      lastMs: instantMs(group.lastAt) ?? 0,
      // An example may be cut; a line of the same kind is whole.
      sample:
        sampleAmong(lines, { service, level, pattern }) ??
        (example === null ? null : { place: at(place, 'example'), message: example }),
    },
  ];
};

export const readMetric = (value: unknown, place: Place): MetricInfo[] => {
  const metric = fields(value);
  const name = text(metric.name);
  if (name === null) return [];
  const { min, max, last } = metric;
  const range = { min: number(min), max: number(max), last: number(last) };
  return [{ place, name, labels: strings(metric.labels), unit: text(metric.unit) ?? '', ...range }];
};

export const readSeries = (value: unknown, place: Place): Series[] => {
  const series = fields(value);
  const name = text(series.name);
  const key = ['statistics', 'stats', 'summary'].find((candidate) => series[candidate] !== undefined);
  if (name === null || key === undefined) return [];
  const stats = fields(series[key]);
  const value_ = (of: string) => number(stats[of]) ?? Number.NaN;
  const labels = strings(series.labels);
  const changes = list(series.changePoints).flatMap((change, index) => {
    const { at: when, before, after } = fields(change);
    const atMs = instantMs(when);
    return atMs === null || typeof before !== 'number' || typeof after !== 'number'
      ? []
      : [{ place: at(place, 'changePoints', index), atMs, before, after }];
  });
  const points = list(series.points).flatMap((point) => {
    const [when, y] = list(point);
    const atMs = instantMs(when);
    return atMs === null || typeof y !== 'number' ? [] : [{ atMs, value: y }];
  });
  return [
    {
      place,
      name,
      unit: text(series.unit) ?? '',
      labels,
      service: labels.service ?? text(series.service),
      statistics: {
        place: at(place, key),
        count: value_('count'),
        min: value_('min'),
        max: value_('max'),
        mean: value_('mean'),
        first: value_('first'),
        last: value_('last'),
        p50: value_('p50'),
        p95: value_('p95'),
        maxAtMs: instantMs(stats.maxAt) ?? 0,
      },
      changes,
      points,
      complete: points.length >= (number(series.pointsTotal) ?? points.length),
    },
  ];
};

/** Lines that none of the groups stands for: a summary shows the most frequent ones only. */
export const ungrouped = (lines: readonly LogLine[], groups: readonly LogPattern[]): LogPattern[] => {
  const keyOf = (of: Pick<LogPattern, 'service' | 'level' | 'pattern'>) =>
    `${of.service}|${of.level}|${of.pattern}`;
  const known = new Set(groups.map(keyOf));
  const found = new Map<string, LogPattern>();
  for (const { place, service, level, message, timeMs } of lines) {
    const pattern = shapeOf(message);
    const key = keyOf({ service, level, pattern });
    if (known.has(key)) continue;
    const present = found.get(key);
    found.set(key, {
      place,
      pattern,
      service,
      level,
      count: (present?.count ?? 0) + 1,
      firstMs: Math.min(present?.firstMs ?? timeMs, timeMs),
      lastMs: Math.max(present?.lastMs ?? timeMs, timeMs),
      sample: { place: at(place, 'message'), message },
    });
  }
  return [...found.values()];
};
