import type { PrometheusConfig } from './config';
import type { KnownNames } from './known-names';
import type { PrometheusApi } from './prometheus-api';

/** What the tools of one Prometheus share. */
export type PrometheusContext = {
  api: PrometheusApi;
  known: KnownNames;
  config: Pick<PrometheusConfig, 'serviceLabels' | 'matchers'>;
  /** How far back names are looked for where a question has no window. */
  lookbackMs: number;
  nowMs: () => number;
};

export const PROMETHEUS = 'prometheus';
