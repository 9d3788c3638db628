import type { Alert, MetricSeries } from '../incident-format';
import type { Page } from '../incident-source';
import type { IncidentPart } from '../sources/toolset';
import { suggestNames } from '../suggest-names';
import type { Labelled, QueryData } from './prometheus-api';
import type { PrometheusContext } from './prometheus-context';
import { literal, matchersOf, selector, type Matcher } from './promql';
import { instantOf, nameAndLabels, pointsOf, secondsOf, stepFor } from './samples';

/** More series than this are counted and not shown. */
const SERIES_MAX = 500;

const page = <Item>(items: Item[], over: Partial<Page<Item>> = {}): Page<Item> => ({
  items,
  matched: items.length,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: null,
  suggestions: [],
  ...over,
});

const seriesOf = (data: QueryData, stepSeconds: number): MetricSeries[] => {
  if (data.resultType !== 'matrix' && data.resultType !== 'vector') return [];
  return data.result.map((each) => {
    const { name, labels } = nameAndLabels(each.metric);
    const { points } = pointsOf('values' in each ? each.values : [each.value]);
    return { name, unit: '', labels, stepSeconds, points };
  });
};

type Reads = Required<Pick<IncidentPart, 'listMetrics' | 'queryMetric' | 'activeAlerts' | 'knowsService'>>;
type Standing = Pick<Page<unknown>, 'selectorKnown' | 'suggestions'>;

/** A service may be named by any of several labels: the union of what each selects. */
const selectorsFor = (
  { serviceLabels, matchers: always }: PrometheusContext['config'],
  matchers: readonly Matcher[],
  service: string | undefined,
): string =>
  service === undefined
    ? selector([...matchers, ...matchersOf(always)])
    : serviceLabels
        .map((label) => selector([...matchers, ...matchersOf(always), { label, op: '=', value: service }]))
        .join(' or ');

/** Whether an empty answer names something that the server does not have. */
class Standings {
  constructor(private readonly context: PrometheusContext) {}

  private held() {
    const end = this.context.nowMs() / 1_000;
    return { start: end - this.context.lookbackMs / 1_000, end };
  }

  metricNames(signal: AbortSignal): Promise<ReadonlySet<string>> {
    return this.context.known.metricNames(this.held(), signal);
  }

  async ofService(service: string, signal: AbortSignal): Promise<Standing> {
    const { known, config } = this.context;
    const values = await Promise.all(
      config.serviceLabels.map((label) => known.valuesOf(label, this.held(), signal)),
    );
    const all = values.flat();
    return all.includes(service)
      ? { selectorKnown: true, suggestions: [] }
      : { selectorKnown: false, suggestions: suggestNames(service, all) };
  }

  async of(query: { name?: string; service?: string }, signal: AbortSignal): Promise<Standing> {
    if (query.name === undefined && query.service === undefined)
      return { selectorKnown: null, suggestions: [] };
    const names = query.name === undefined ? undefined : await this.metricNames(signal);
    const nameKnown = query.name === undefined || names?.has(query.name) === true;
    const service = query.service === undefined ? undefined : await this.ofService(query.service, signal);
    return {
      selectorKnown: nameKnown && service?.selectorKnown !== false,
      suggestions: [
        ...(nameKnown || query.name === undefined ? [] : suggestNames(query.name, names ?? [])),
        ...(service?.suggestions ?? []),
      ],
    };
  }
}

const listMetrics =
  ({ api, config, nowMs }: PrometheusContext, standings: Standings): Reads['listMetrics'] =>
  async ({ service, nameContains }, signal) => {
    // Without a filter the names alone: every series of a server is more than anybody can read.
    if (service === undefined && nameContains === undefined) {
      const names = [...(await standings.metricNames(signal))].sort();
      const bare = (name: string): MetricSeries => ({
        name,
        unit: '',
        labels: {},
        stepSeconds: 1,
        points: [],
      });
      return page(names.slice(0, SERIES_MAX).map(bare), {
        matched: names.length,
        limitHit: names.length > SERIES_MAX,
      });
    }
    const pattern = nameContains === undefined ? '.+' : `(?i).*${literal(nameContains)}.*`;
    const query = selectorsFor(config, [{ label: '__name__', op: '=~', value: pattern }], service);
    const { data, partial } = await api.query(query, nowMs() / 1_000, signal);
    const series = seriesOf(data, 1);
    return page(series.slice(0, SERIES_MAX), {
      matched: series.length,
      limitHit: series.length > SERIES_MAX,
      partial,
      ...(series.length === 0 ? await standings.of({ service }, signal) : { selectorKnown: true }),
    });
  };

const queryMetric =
  ({ api, config }: PrometheusContext, standings: Standings): Reads['queryMetric'] =>
  async ({ name, service, labels, window }, signal) => {
    const [start, end] = [secondsOf(window.from), secondsOf(window.to)];
    const step = stepFor(start, end);
    const matchers: Matcher[] = [{ label: '__name__', op: '=', value: name }, ...matchersOf(labels ?? {})];
    const query = selectorsFor(config, matchers, service);
    const { data, partial } = await api.queryRange(query, { start, end, step }, signal);
    const series = seriesOf(data, step);
    return page(series, {
      partial,
      ...(series.length === 0 ? await standings.of({ name, service }, signal) : { selectorKnown: true }),
    });
  };

/** Of another part of a shared server. A server does not put its own external labels on what it tells itself. */
const isElsewhere = (labels: Labelled, matchers: Readonly<Record<string, string>>): boolean =>
  Object.entries(matchers).some(([label, value]) => labels[label] !== undefined && labels[label] !== value);

const activeAlerts =
  ({ api, config, nowMs }: PrometheusContext, standings: Standings): Reads['activeAlerts'] =>
  async ({ service, includeResolved }, signal) => {
    const { data, partial } = await api.alerts(signal);
    const now = instantOf(nowMs() / 1_000);
    const firing = data
      .filter(({ state, labels }) => state === 'firing' && !isElsewhere(labels, config.matchers))
      .map(({ labels, annotations, activeAt = now }) =>
        alertOf(labels, annotations, activeAt, config.serviceLabels),
      )
      .filter((alert) => service === undefined || alert.service === service);
    return page(firing, {
      // The server keeps what fires; what has ended it has forgotten.
      partial: partial || includeResolved,
      ...(firing.length === 0 ? await standings.of({ service }, signal) : {}),
    });
  };

/** Of one Prometheus: its metrics and its firing alerts, as the incident tools ask for them. */
export const prometheusIncident = (context: PrometheusContext): Reads => {
  const standings = new Standings(context);
  return {
    listMetrics: listMetrics(context, standings),
    queryMetric: queryMetric(context, standings),
    activeAlerts: activeAlerts(context, standings),
    knowsService: async (service, signal) =>
      (await standings.ofService(service, signal)).selectorKnown === true,
  };
};

/** An alert as people know it: the first label that names a service, and whatever says in words what is wrong. */
export const alertOf = (
  labels: Labelled,
  annotations: Labelled,
  startsAt: string,
  serviceLabels: readonly string[],
): Alert => {
  const service = serviceLabels
    .map((label) => labels[label])
    .find((value) => value !== undefined && value !== '');
  return {
    name: (labels['alertname'] ?? 'unnamed').slice(0, 253) || 'unnamed',
    severity: labels['severity'] ?? 'none',
    ...(service === undefined ? {} : { service }),
    startsAt: new Date(startsAt).toISOString(),
    summary: annotations['summary'] ?? annotations['description'] ?? annotations['message'] ?? '',
    labels,
  };
};
