// Simple alert rules, evaluated at each scrape as Prometheus would: a condition that holds for `forSeconds`.

const above = (name, service, limit) => ({ latest }) => {
  const value = latest(name, { service });
  return value !== undefined && value > limit;
};

export const RULES = [
  {
    name: 'CheckoutErrorRatioHigh', severity: 'critical', service: 'checkout', forSeconds: 15,
    holds: above('http_error_ratio', 'checkout', 0.05),
    summary: 'more than 5 % of the requests to checkout fail',
  },
  {
    name: 'CheckoutLatencyHigh', severity: 'warning', service: 'checkout', forSeconds: 15,
    holds: above('http_request_duration_p95_ms', 'checkout', 1_500),
    summary: 'p95 latency of checkout is above 1500 ms',
  },
  {
    name: 'StorefrontErrorRatioHigh', severity: 'critical', service: 'storefront', forSeconds: 15,
    holds: above('http_error_ratio', 'storefront', 0.05),
    summary: 'more than 5 % of the requests to storefront fail',
  },
  {
    name: 'DatabasePoolRequestsWaiting', severity: 'warning', service: 'checkout', forSeconds: 10,
    holds: above('db_pool_waiting', 'checkout', 0),
    summary: 'requests of checkout wait for a database connection',
  },
  {
    name: 'RecommendationSlowQueries', severity: 'info', service: 'recommendation', forSeconds: 15,
    holds: above('slow_queries_per_second', 'recommendation', 0.3),
    summary: 'recommendation logs more than 0.3 slow queries per second',
  },
  {
    name: 'TargetDown', severity: 'warning', service: 'catalog', forSeconds: 0,
    holds: ({ latest }) => latest('up', { service: 'catalog' }) === 0,
    summary: 'the last scrape of catalog failed',
  },
];

const instantOf = (epochSeconds) => new Date(epochSeconds * 1_000).toISOString();

/** Every time that one rule fired. `valueAt(instant, name, labels)` is undefined where a scrape failed. */
const alertsOfRule = ({ name, severity, service, summary, forSeconds, holds }, instants, valueAt) => {
  const alerts = [];
  let since;
  let firing;
  for (const at of instants) {
    if (!holds({ latest: (metric, labels) => valueAt(at, metric, labels) })) {
      if (firing) firing.endsAt = instantOf(at);
      [since, firing] = [undefined, undefined];
      continue;
    }
    since ??= at;
    if (firing || at - since < forSeconds) continue;
    firing = { name, severity, service, startsAt: instantOf(at), summary, labels: { service, severity } };
    alerts.push(firing);
  }
  return alerts;
};

/** What the rules say at each scrape of recorded series: a function of the metrics and of nothing else. */
export const evaluateAlerts = (series) => {
  const instants = [...new Set(series.flatMap(({ points }) => points.map(([at]) => at)))].sort((a, b) => a - b);
  const values = new Map(series.map(({ name, labels, points }) => [JSON.stringify([name, labels]), new Map(points)]));
  const valueAt = (at, name, labels) => values.get(JSON.stringify([name, labels]))?.get(at);
  return RULES.flatMap((rule) => alertsOfRule(rule, instants, valueAt)).sort((a, b) =>
    a.startsAt < b.startsAt ? -1 : a.startsAt > b.startsAt ? 1 : 0,
  );
};
