import { SourceFailure } from '../incident-source';
import { endpointOf } from '../sources/http-config';
import type { OpenToolset } from '../sources/toolset';
import type { PrometheusConfig } from './config';
import { KnownNames } from './known-names';
import { prometheusLabels } from './labels.tool';
import { PrometheusApi } from './prometheus-api';
import { PROMETHEUS, type PrometheusContext } from './prometheus-context';
import { matchersOf } from './promql';
import { prometheusIncident } from './prometheus-incident';
import { prometheusQueryRange } from './query-range.tool';
import { prometheusQuery } from './query.tool';
import { prometheusRules } from './rules.tool';

const REMEDIES: Readonly<Record<string, string>> = {
  ACCESS_DENIED: 'check bearerToken or basicAuth',
  SOURCE_FAILED: 'check url, and that this machine reaches it',
  RESULT_UNUSABLE: 'check that url is the API of a Prometheus, with its path prefix',
};

/** Opens the connection to one Prometheus; nothing is asked before a tool is called. */
export const openPrometheus: OpenToolset<PrometheusConfig> = (
  config,
  { env, lookbackMs, nowMs = Date.now },
) => {
  const { serviceLabels, matchers, ...http } = config;
  const api = new PrometheusApi(endpointOf(http, env));
  const context: PrometheusContext = {
    api,
    known: new KnownNames(api, nowMs, matchersOf(matchers)),
    config: { serviceLabels, matchers },
    lookbackMs,
    nowMs,
  };
  const tools = [
    prometheusQuery(context),
    prometheusQueryRange(context),
    prometheusLabels(context),
    prometheusRules(context),
  ];
  return {
    name: PROMETHEUS,
    incident: prometheusIncident(context),
    tools: () => Promise.resolve(tools),
    check: async (signal) => {
      try {
        const end = nowMs() / 1_000;
        const [version, names] = await Promise.all([
          // Not every server of this API tells its version.
          api.version(signal).catch((error: unknown) => {
            if (error instanceof SourceFailure && error.errorClass === 'ACCESS_DENIED') throw error;
            return 'of unknown version';
          }),
          api.labels('__name__', [], { start: end - lookbackMs / 1_000, end }, signal),
        ]);
        const count = names.data.length;
        return count === 0
          ? {
              ok: false,
              detail: `${version}, without any metric`,
              remedy: 'check that it scrapes, and lookbackHours',
            }
          : { ok: true, detail: `${version}, ${count} metrics`, remedy: null };
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        return { ok: false, detail: error.message, remedy: REMEDIES[error.errorClass] ?? null };
      }
    },
    close: () => Promise.resolve(),
  };
};
