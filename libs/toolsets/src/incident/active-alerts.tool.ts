import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import type { Alert } from '../incident-format';
import { ServiceArgument, coverageOf, filterText, incidentTool, scopeOf, spanOf } from './incident-tool';

const row = ({ name, severity, service, startsAt, endsAt, summary, labels }: Alert): Json => ({
  name,
  severity,
  ...(service === undefined ? {} : { service }),
  state: endsAt === undefined ? 'firing' : 'resolved',
  startsAt,
  ...(endsAt === undefined ? {} : { endsAt }),
  summary,
  labels,
});

export const activeAlerts = incidentTool(
  {
    name: 'active_alerts',
    description:
      'Lists the alerts that are firing at the end of the data, oldest first: name, severity, service, since when, summary. ' +
      'With include_resolved it also lists those that fired and ended within the data. An alert is a symptom, not a cause.',
    parameters: z.strictObject({
      service: ServiceArgument.optional(),
      include_resolved: z.boolean().describe('Also alerts that have ended (default false).').optional(),
    }),
  },
  async ({ service, include_resolved: includeResolved = false }, { source, signal }) => {
    const page = await source.activeAlerts({ service, includeResolved }, signal);
    const alerts = [...page.items].sort((a, b) => (a.startsAt < b.startsAt ? -1 : 1));
    const { window } = await source.extent(signal);
    return {
      kind: 'ROWS',
      matched: page.matched,
      rows: alerts.map(row),
      ...coverageOf(page, {
        scope: scopeOf({ service, filter: filterText({ state: includeResolved ? undefined : 'firing' }) }),
        window,
        dataSpan: spanOf(alerts.flatMap(({ startsAt, endsAt }) => [startsAt, endsAt ?? startsAt])),
        untrustedPaths: ['/rows/*/summary', '/rows/*/labels'],
      }),
    };
  },
);
