import { SourceFailure } from '../incident-source';
import { endpointOf } from '../sources/http-config';
import type { ConnectionCheck, OpenToolset } from '../sources/toolset';
import type { LokiConfig } from './config';
import { KnownStreams } from './known-streams';
import { lokiLabels } from './labels.tool';
import { LokiApi } from './loki-api';
import { LOKI, type LokiContext } from './loki-context';
import { lokiIncident } from './loki-incident';
import { selectorOf } from './logql';
import { lokiSearch } from './search-streams.tool';

const REMEDIES = {
  ACCESS_DENIED: 'check bearerToken or basicAuth, and tenant',
  SOURCE_FAILED: 'check url and tenant, and that this machine reaches it',
  RESULT_UNUSABLE: 'check that url is the API of a Loki, with its path prefix',
} as const;

const checkOf = async (
  { api, config, lookbackMs, nowMs }: LokiContext,
  signal: AbortSignal,
): Promise<ConnectionCheck> => {
  const to = nowMs();
  const window = { from: new Date(to - lookbackMs).toISOString(), to: new Date(to).toISOString() };
  const names = await api.labelNames(window, signal);
  // Not every server of this API tells its version.
  const version = await api.version(signal).catch((error: unknown) => {
    if (error instanceof SourceFailure && error.errorClass !== 'ACCESS_DENIED') return 'of unknown version';
    throw error;
  });
  if (names.length === 0)
    return {
      ok: false,
      detail: `Loki ${version}, without any stream`,
      remedy: 'check tenant and lookbackHours',
    };
  const serving = config.serviceLabels.find((name) => names.includes(name));
  return serving === undefined
    ? {
        ok: false,
        detail: `Loki ${version}, and no stream bears ${config.serviceLabels.join(', ')}`,
        remedy: 'set serviceLabels to the label that names a service',
      }
    : { ok: true, detail: `Loki ${version}, ${names.length} labels, services by ${serving}`, remedy: null };
};

/** Opens the connection to one Loki; nothing is asked before a tool is called. */
export const openLoki: OpenToolset<LokiConfig> = (config, { env, lookbackMs, nowMs = Date.now }) => {
  const { tenant, headers, serviceLabels, levelLabel, matchers, linesMax, ...http } = config;
  const tenantHeader: Record<string, string> = tenant === undefined ? {} : { 'X-Scope-OrgID': tenant };
  const within = Object.keys(matchers).length > 0 ? selectorOf({ equal: matchers }) : undefined;
  const api = new LokiApi(endpointOf({ ...http, headers: { ...headers, ...tenantHeader } }, env), within);
  const context: LokiContext = {
    api,
    known: new KnownStreams(api, lookbackMs, nowMs),
    config: { serviceLabels, levelLabel, matchers, linesMax },
    lookbackMs,
    nowMs,
  };
  const tools = [lokiSearch(context), lokiLabels(context)];
  return {
    name: LOKI,
    incident: lokiIncident(context),
    tools: () => Promise.resolve(tools),
    check: async (signal) => {
      try {
        return await checkOf(context, signal);
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        return { ok: false, detail: error.message, remedy: REMEDIES[error.errorClass] };
      }
    },
    close: () => Promise.resolve(),
  };
};
