import type { Scope, Window } from '@inquest/contracts/scope';
import { z } from 'zod';
import { SourceFailure, type IncidentSource, type Page } from '../incident-source';
import {
  ArgumentsRefused,
  PROJECTION_BYTES_MAX,
  TOOL_TIMEOUT_MS,
  defineTool,
  type Coverage,
  type RawResult,
  type ReadOnlyTool,
  type ToolContext,
} from '../tool';

export const INCIDENT_TOOLSET = 'incident';

/* ---------- arguments that several tools share ---------- */

const Name = z.string().min(1).max(253);
export const ServiceArgument = Name.describe(
  'Exact service name, as service_dependencies and list_metrics spell it.',
);
export const NamespaceArgument = Name.describe('Exact namespace.');
export const FromArgument = z.iso
  .datetime({ offset: true })
  .describe('Start of the window, inclusive, ISO 8601 with an offset, e.g. 2026-05-01T10:00:00Z.');
export const ToArgument = z.iso
  .datetime({ offset: true })
  .describe('End of the window, exclusive, ISO 8601 with an offset.');
export const limitArgument = (max: number, usual: number) =>
  z.number().int().min(1).max(max).describe(`At most this many rows (1 to ${max}, default ${usual}).`);

/* ---------- what every incident tool reports about itself ---------- */

const FILTER_CHARS_MAX = 500;

/** `key=value` joined by `, ` with keys in order; undefined when nothing restricts the query. */
export const filterText = (filter: Record<string, string | undefined>): string | undefined => {
  const parts = Object.entries(filter)
    .filter((entry): entry is [string, string] => entry[1] !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  return parts.length === 0 ? undefined : parts.join(', ').slice(0, FILTER_CHARS_MAX);
};

/** Leaves out what did not restrict the query: an absent member of a scope means "not restricted". */
export const scopeOf = (scope: { service?: string; namespace?: string; filter?: string }): Scope =>
  Object.fromEntries(Object.entries(scope).filter(([, value]) => value !== undefined));

/**
 * The window that is really searched: what was asked for, within what the source holds. A source that ends at noon
 * cannot show that nothing happened at one, so the recorded window never reaches beyond the data.
 */
export const searchedWindow = (held: Window, from: string | undefined, to: string | undefined): Window => {
  const [start, end] = [from ?? held.from, to ?? held.to];
  if (Date.parse(start) >= Date.parse(end)) throw new ArgumentsRefused('from: must be before to');
  const window = {
    from: Date.parse(start) > Date.parse(held.from) ? start : held.from,
    to: Date.parse(end) < Date.parse(held.to) ? end : held.to,
  };
  if (Date.parse(window.from) >= Date.parse(window.to)) {
    throw new ArgumentsRefused(
      `from, to: outside of the data, which reaches from ${held.from} to ${held.to}`,
    );
  }
  return window;
};

/** First and last of some instants; null for none. */
export const spanOf = (instants: Iterable<string>): Window | null => {
  let first: { atMs: number; instant: string } | undefined;
  let last = first;
  for (const instant of instants) {
    const atMs = Date.parse(instant);
    if (first === undefined || atMs < first.atMs) first = { atMs, instant };
    if (last === undefined || atMs > last.atMs) last = { atMs, instant };
  }
  return first === undefined || last === undefined ? null : { from: first.instant, to: last.instant };
};

export const instantOf = (epochSeconds: number): string => new Date(epochSeconds * 1_000).toISOString();

export const coverageOf = (
  page: Omit<Page<unknown>, 'items' | 'matched'>,
  own: Pick<Coverage, 'scope' | 'window' | 'dataSpan' | 'untrustedPaths'>,
): Coverage => ({
  limitHit: page.limitHit,
  sampled: page.sampled,
  partial: page.partial,
  permissionFiltered: page.permissionFiltered,
  selectorKnown: page.selectorKnown,
  suggestions: page.suggestions,
  ...own,
});

type IncidentToolContext = Omit<ToolContext, 'source'> & { source: IncidentSource };

/** A tool over an {@link IncidentSource}, with the toolset's limits. */
export const incidentTool = <Schema extends z.ZodObject>(
  description: { name: string; description: string; parameters: Schema },
  run: (args: z.output<Schema>, context: IncidentToolContext) => Promise<RawResult>,
): ReadOnlyTool =>
  defineTool(
    {
      ...description,
      toolset: INCIDENT_TOOLSET,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      needsSource: true,
    },
    async (args, { source, ...context }) => {
      if (source === null) throw new SourceFailure('SOURCE_FAILED', 'no source');
      return run(args, { ...context, source });
    },
  );
