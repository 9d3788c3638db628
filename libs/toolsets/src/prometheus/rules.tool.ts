import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, limitArgument, scopeOf } from '../incident/incident-tool';
import { PROJECTION_BYTES_MAX, TOOL_TIMEOUT_MS, defineTool, type ReadOnlyTool } from '../tool';
import { PROMETHEUS, type PrometheusContext } from './prometheus-context';

const LIMIT_DEFAULT = 50;
/** What is wrong comes first: firing, pending, then rules that the server cannot evaluate. */
const rank = ({ state, health }: { state?: string; health: string }): number =>
  state === 'firing' ? 0 : state === 'pending' ? 1 : health === 'err' ? 2 : 3;

export const prometheusRules = ({ api }: PrometheusContext): ReadOnlyTool =>
  defineTool(
    {
      name: 'prometheus_rules',
      toolset: PROMETHEUS,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      description:
        'Lists alerting and recording rules: name, query, for how long, state now, whether the server can evaluate it. ' +
        'Firing ones first. Read it to learn what an alert means before you say why it fires.',
      parameters: z.strictObject({
        contains: z.string().min(1).max(200).describe('Part of a rule’s name or query.').optional(),
        type: z.enum(['alerting', 'recording']).optional(),
        limit: limitArgument(200, LIMIT_DEFAULT).optional(),
      }),
    },
    async ({ contains, type, limit = LIMIT_DEFAULT }, { signal }) => {
      const { data, partial } = await api.rules(signal);
      const needle = contains?.toLowerCase();
      const found = data
        .flatMap(({ name: group, rules }) => rules.map((rule) => ({ group, ...rule })))
        .filter(
          (rule) =>
            (type === undefined || rule.type === type) &&
            (needle === undefined || `${rule.name} ${rule.query}`.toLowerCase().includes(needle)),
        )
        .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
      return {
        kind: 'ROWS',
        matched: found.length,
        rows: found.slice(0, limit).map((rule): Json => ({
          name: rule.name,
          type: rule.type,
          ...(rule.state === undefined ? {} : { state: rule.state }),
          ...(rule.duration === undefined ? {} : { forSeconds: rule.duration }),
          query: rule.query,
          health: rule.health,
          ...(rule.lastError ? { lastError: rule.lastError } : {}),
          ...(rule.annotations?.['summary'] ? { summary: rule.annotations['summary'] } : {}),
          group: rule.group,
        })),
        scope: scopeOf({ filter: filterText({ type, contains }) }),
        window: null,
        dataSpan: null,
        limitHit: found.length > limit,
        sampled: false,
        partial,
        permissionFiltered: false,
        selectorKnown: null,
        suggestions: [],
        untrustedPaths: [
          '/rows/*/summary',
          '/rows/*/lastError',
          '/rows/*/query',
          '/rows/*/name',
          '/rows/*/group',
        ],
      };
    },
  );
