import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, scopeOf, spanOf } from '../incident/incident-tool';
import { PROJECTION_BYTES_MAX, TOOL_TIMEOUT_MS, defineTool, type ReadOnlyTool } from '../tool';
import type { AlertmanagerApi, Silence } from './alertmanager-api';

export const ALERTMANAGER = 'alertmanager';

/** `service="cart"`, as Alertmanager writes a matcher. */
const matcherText = ({ name, value, isRegex, isEqual }: Silence['matchers'][number]): string =>
  `${name}${isEqual ? '=' : '!'}${isRegex ? '~' : isEqual ? '' : '='}${JSON.stringify(value)}`;

const row = ({ status, matchers, startsAt, endsAt, createdBy, comment }: Silence): Json => ({
  state: status.state,
  matchers: matchers.map(matcherText),
  startsAt,
  endsAt,
  createdBy,
  comment,
});

export const alertmanagerSilences = (api: AlertmanagerApi): ReadOnlyTool =>
  defineTool(
    {
      name: 'alertmanager_silences',
      toolset: ALERTMANAGER,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      description:
        'Lists silences: what they match, from when to when, who made them and why. A silence hides alerts: look here before you ' +
        'conclude from missing ones, and for planned work.',
      parameters: z.strictObject({
        include_expired: z.boolean().describe('Also those that have ended (default false).').optional(),
      }),
    },
    async ({ include_expired: includeExpired = false }, { signal }) => {
      const silences = (await api.silences(signal))
        .filter(({ status }) => includeExpired || status.state !== 'expired')
        .sort((a, b) => (a.startsAt < b.startsAt ? 1 : -1));
      return {
        kind: 'ROWS',
        matched: silences.length,
        rows: silences.map(row),
        scope: scopeOf({ filter: filterText({ state: includeExpired ? undefined : 'active or pending' }) }),
        window: null,
        dataSpan: spanOf(silences.map(({ startsAt }) => startsAt)),
        limitHit: false,
        sampled: false,
        partial: false,
        permissionFiltered: false,
        selectorKnown: null,
        suggestions: [],
        untrustedPaths: ['/rows/*/comment', '/rows/*/createdBy', '/rows/*/matchers'],
      };
    },
  );
