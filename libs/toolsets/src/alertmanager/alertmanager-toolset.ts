import type { Page } from '../incident-source';
import { SourceFailure } from '../incident-source';
import type { Alert } from '../incident-format';
import { alertOf } from '../prometheus/prometheus-incident';
import { endpointOf } from '../sources/http-config';
import type { IncidentPart, OpenToolset } from '../sources/toolset';
import { suggestNames } from '../suggest-names';
import { AlertmanagerApi, type ManagedAlert } from './alertmanager-api';
import type { AlertmanagerConfig } from './config';
import { ALERTMANAGER, alertmanagerSilences } from './silences.tool';

/** Suppressed alerts fire as well: a silence or an inhibition is told beside them, as a label of ours. */
const shown = (alert: ManagedAlert, serviceLabels: readonly string[]): Alert => {
  const { silencedBy, inhibitedBy } = alert.status;
  const suppressed = silencedBy.length > 0 ? 'silence' : inhibitedBy.length > 0 ? 'inhibition' : undefined;
  const base = alertOf(alert.labels, alert.annotations, alert.startsAt, serviceLabels);
  return suppressed === undefined
    ? base
    : { ...base, labels: { ...base.labels, 'suppressed by': suppressed } };
};

const activeAlerts =
  (api: AlertmanagerApi, serviceLabels: readonly string[]): NonNullable<IncidentPart['activeAlerts']> =>
  async ({ service, includeResolved }, signal): Promise<Page<Alert>> => {
    const all = (await api.alerts(signal)).map((alert) => shown(alert, serviceLabels));
    const items = all.filter((alert) => service === undefined || alert.service === service);
    const services = all.flatMap((alert) => alert.service ?? []);
    return {
      items,
      matched: items.length,
      limitHit: false,
      sampled: false,
      // It forgets what has ended.
      partial: includeResolved,
      permissionFiltered: false,
      // It knows no service but those that have an alert: of another name it cannot say that nothing is wrong with it.
      selectorKnown: service === undefined ? null : items.length > 0,
      suggestions: service === undefined || items.length > 0 ? [] : suggestNames(service, services),
    };
  };

/** Opens the connection to one Alertmanager; nothing is asked before a tool is called. */
export const openAlertmanager: OpenToolset<AlertmanagerConfig> = (config, { env }) => {
  const { serviceLabels, ...http } = config;
  const api = new AlertmanagerApi(endpointOf(http, env));
  const tools = [alertmanagerSilences(api)];
  return {
    name: ALERTMANAGER,
    incident: { activeAlerts: activeAlerts(api, serviceLabels) },
    tools: () => Promise.resolve(tools),
    check: async (signal) => {
      try {
        const [version, alerts] = await Promise.all([api.version(signal), api.alerts(signal)]);
        return { ok: true, detail: `${version}, ${alerts.length} alerts`, remedy: null };
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        const remedy =
          error.errorClass === 'ACCESS_DENIED'
            ? 'check bearerToken or basicAuth'
            : 'check url, and that this machine reaches it';
        return { ok: false, detail: error.message, remedy };
      }
    },
    close: () => Promise.resolve(),
  };
};
